"""Raw counts: told from other numbers, and brought to one size per sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = [
    "counts_or_not",
    "holds_counts",
    "holds_whole_numbers",
    "library_size",
    "log_normalise",
]

#: Values that are looked at in one go.
BLOCK = 2**18
#: Fewer values above zero may be whole numbers by chance.
FEWEST = 10


def holds_counts(x: Any) -> bool:
    """Tell whole numbers, none negative, of which some exceed one.

    Rows of NaN are left out. Zeros and ones are presence, not counts.

    Parameters
    ----------
    x : ndarray or sparse matrix

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.views.counts import holds_counts
    >>> holds_counts(np.array([[0, 3], [1, 2]])), holds_counts(np.array([[0.5, 3]]))
    (True, False)
    """
    found = _whole_numbers(x)
    return found is not None and found[0] > 1


def holds_whole_numbers(x: Any) -> bool:
    """Tell whole numbers, none negative, rows of NaN apart."""
    return _whole_numbers(x) is not None


def counts_or_not(x: Any) -> bool | None:
    """Tell counts from other numbers; None where the values may be either.

    Zeros and ones may be counts of rare things or presence, and a few whole numbers
    may be so by chance.

    Parameters
    ----------
    x : ndarray or sparse matrix

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.views.counts import counts_or_not
    >>> x = np.arange(12).reshape(4, 3)
    >>> counts_or_not(x), counts_or_not(x / 2), counts_or_not(x[:2])
    (True, False, None)
    """
    found = _whole_numbers(x)
    if found is None:
        return False
    largest, n_positive = found
    return True if largest > 1 and n_positive >= FEWEST else None


def _whole_numbers(x: Any) -> tuple[float, int] | None:
    """Return the largest value and how many are above zero; None if some is no count.

    A count is a whole number, not negative.
    """
    values = x.data if sp.issparse(x) else np.asarray(x).ravel(order="K")
    if values.dtype.kind not in "uif":
        return None
    largest, n_positive = 0.0, 0
    for start in range(0, len(values), BLOCK):
        part = values[start : start + BLOCK]
        if np.isnan(part.min()):  # a copy only where it is needed
            part = part[~np.isnan(part)]
        if len(part) == 0:
            continue
        if part.min() < 0 or not np.array_equal(part, np.floor(part)):
            return None
        largest = max(largest, float(part.max()))
        n_positive += int(np.count_nonzero(part))
    return largest, n_positive


def library_size(x: Any) -> float:
    """Return the median of the sums of the rows that are not zero, 1 without any."""
    total = _totals(x)
    held = total[total > 0]  # False for NaN too
    return float(np.median(held)) if len(held) else 1.0


def log_normalise(x: Any, size: float) -> Any:
    """Scale every row to the sum `size`, then take log(1 + x); zero rows stay zero.

    Parameters
    ----------
    x : ndarray or sparse matrix of shape (n, d)
        Counts; rows of NaN stay NaN.
    size : float
        See `library_size`; for new samples that of the fit.

    Returns
    -------
    ndarray or csr_matrix of float
        float32 stays float32, else float64; sparse stays sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.views.counts import log_normalise
    >>> np.expm1(log_normalise(np.array([[1, 3], [10, 30]]), 8)).round(6).tolist()
    [[2.0, 6.0], [2.0, 6.0]]
    """
    kind = np.float32 if x.dtype == np.float32 else np.float64
    total = _totals(x)
    factor: np.ndarray = (size / np.where(total > 0, total, 1)).astype(kind)
    if sp.issparse(x):
        scaled = sp.csr_matrix(x, dtype=kind, copy=True)
        scaled.data = np.log1p(scaled.data * np.repeat(factor, np.diff(scaled.indptr)))
        return scaled
    return np.log1p(np.asarray(x, dtype=kind) * factor[:, None])


def _totals(x: Any) -> np.ndarray:
    if not sp.issparse(x):
        return np.asarray(x).sum(axis=1, dtype=np.float64)
    return np.asarray(sp.csr_matrix(x, dtype=np.float64).sum(axis=1)).ravel()
