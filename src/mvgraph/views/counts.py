"""Raw counts: distinguished from other numbers, and scaled to one total per sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.dask_array import DaskArray
from mvgraph.views.lazy import LazyArray

#: Values that are checked at once.
BLOCK = 2**18
#: Values that are read of a view that is not in memory.
FIRST_VALUES = 2**20
#: Fewer positive values may be whole numbers by chance.
FEWEST = 10
WORDS = {
    True: "counts (whole numbers, none negative)",
    False: "other numbers (such as normalised values)",
}


def holds_counts(x: Any) -> bool:
    """Return whether all values are non-negative whole numbers, some above one.

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
    numbers = _whole_numbers(x)
    return numbers is not None and numbers[0] > 1


def holds_whole_numbers(x: Any) -> bool:
    """Return whether all values are non-negative whole numbers, apart from NaN rows."""
    return _whole_numbers(x) is not None


def counts_or_not(x: Any) -> bool | None:
    """Return whether values are counts; None where they may or may not be.

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
    numbers = _whole_numbers(x)
    if numbers is None:
        return False
    largest, n_positive = numbers
    return True if largest > 1 and n_positive >= FEWEST else None


def _whole_numbers(x: Any) -> tuple[float, int] | None:
    """Return the largest value and the number of positive ones; None if not counts.

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


def find_kinds(
    arrays: Sequence[Any], present: Sequence[bool], first_values: int = FIRST_VALUES
) -> tuple[bool | None, ...]:
    """Find out which views contain counts.

    Dask arrays are not read: their rows must not pass through the client.

    Parameters
    ----------
    arrays : sequence of V arrays (N, d_v)
    present : sequence of bool
        False for views that no sample has.
    first_values : int, optional
        How many values of a view in a file are read.

    Returns
    -------
    tuple of V (bool or None)
        None if that cannot be determined.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.views.counts import find_kinds
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> find_kinds([x, np.log1p(x), 1.0 * (x > 3)], [True] * 3)
    (True, False, None)
    """

    def kind(x: Any) -> bool | None:
        if isinstance(x, DaskArray):
            return None
        if isinstance(x, LazyArray | np.memmap):
            x = x[: max(1, first_values // x.shape[1])]
        return counts_or_not(x)

    pairs = zip(arrays, present, strict=True)
    return tuple(kind(x) if there else None for x, there in pairs)


def other_kinds(
    names: Sequence[str],
    kinds: Sequence[bool | None],
    fitted: Sequence[bool | None],
) -> str | None:
    """Report which views are counts now and were not in the fit, or the reverse."""
    triples = list(zip(names, kinds, fitted, strict=True))
    parts = []
    for old in (True, False):
        changed = [repr(n) for n, new, was in triples if was is old and new is not old
                   and new is not None]  # fmt: skip
        if changed:
            parts.append(
                f"{', '.join(changed)}: the fit had {WORDS[old]}, the new data have "
                f"{WORDS[not old]}"
            )
    if not parts:
        return None
    return (
        f"Values of a different kind from those in the fit: {'; '.join(parts)}. Labels"
        " of such data may be meaningless. Pass values of the kind that the model was"
        " fitted on, or fit a model on values like these."
    )


def library_size(x: Any) -> float:
    """Return the median of the sums of the rows that are not zero, 1 without any."""
    total = _totals(x)
    positive = total[total > 0]  # False for NaN too
    return float(np.median(positive)) if len(positive) else 1.0


def log_normalise(x: Any, size: float) -> Any:
    """Scale every row to the sum `size`, then take log(1 + x); zero rows stay zero.

    Parameters
    ----------
    x : ndarray or sparse matrix of shape (n, d)
        Counts; rows of NaN stay NaN.
    size : float
        See `library_size`; for new samples, that of the fit.

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
