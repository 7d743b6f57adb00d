"""Views: several descriptions of the same samples, row-aligned and float."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.casting import as_float
from mvgraph.views.missing import presence

__all__ = ["Views"]


class Views:
    """Hold several row-aligned descriptions of the same samples.

    A container that scikit-learn can slice by row: ``len``, ``shape`` and
    ``views[rows]`` speak of samples, so ``GridSearchCV`` and ``cross_validate`` work;
    a loop over them gives samples too, each as Views of one row. Views themselves are
    in ``arrays``, ``names``, ``items()`` and ``view(name)``.

    Parameters
    ----------
    arrays : sequence of array-like or sparse matrix, each of shape (n_samples, d_v)
        One array a view, samples in rows. Integers and booleans are cast to float64
        before any arithmetic; float32 and float64 are kept; sparse becomes CSR;
        rows of masked arrays that are masked throughout become NaN.
    names : sequence of str, optional
        One name a view; default ``view_0``, ``view_1``, ...
    ids : array-like of shape (n_samples,), optional
        Identifiers of the samples, carried along and never used in computations.

    Attributes
    ----------
    arrays : tuple of ndarray or csr_matrix
    names : tuple of str
    ids : ndarray or None
    mask : ndarray of bool, shape (n_samples, n_views), or None
        True where the sample has the view. A row that is NaN in every column of a
        view is absent from that view. None when nothing is absent.

    Raises
    ------
    ValueError
        Views of different length, empty views, strings, objects, complex numbers,
        infinities, values beyond a tenth of what the type holds, or NaN in a row that
        is not NaN throughout. The message names the view, the row and the remedy.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> views = Views([np.ones((4, 2)), np.zeros((4, 3), dtype=np.uint8)])
    >>> views.shape, views.n_features, views[:2].n_samples
    ((4, 5), (2, 3), 2)
    >>> [(name, a.shape) for name, a in views.items()]
    [('view_0', (4, 2)), ('view_1', (4, 3))]
    """

    def __init__(
        self,
        arrays: Sequence[Any],
        names: Sequence[str] | None = None,
        ids: Any = None,
    ) -> None:
        if len(arrays) == 0:
            raise ValueError("No views were given; pass at least one 2-D array.")
        self.names = _check_names(names, len(arrays))
        cast = [as_float(a, n) for a, n in zip(arrays, self.names, strict=True)]
        _check_lengths(cast, self.names)
        self.arrays = tuple(cast)
        self.ids = None if ids is None else _check_ids(ids, len(self))
        self.mask = presence(self.arrays, self.names)

    @classmethod
    def _trusted(cls, arrays, names, ids, mask) -> Views:
        """Build from parts that were checked before (slices, reorderings)."""
        self = cls.__new__(cls)
        self.arrays, self.names, self.ids = tuple(arrays), tuple(names), ids
        self.mask = None if mask is None or mask.all() else mask
        return self

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.arrays)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.arrays[0].shape[0]

    @property
    def n_features(self) -> tuple[int, ...]:
        """Number of features of every view."""
        return tuple(a.shape[1] for a in self.arrays)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features over all views."""
        return self.n_samples, sum(self.n_features)

    @property
    def nbytes(self) -> int:
        """Bytes held by the values of all views."""
        return sum(a.data.nbytes if sp.issparse(a) else a.nbytes for a in self.arrays)

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: Any) -> Views:
        if isinstance(rows, str):
            raise TypeError(
                f"views[{rows!r}]: rows are taken by position; a view by its name is "
                f"views.view({rows!r})."
            )
        if isinstance(rows, tuple):  # scikit-learn slices with (rows, ...)
            rows = rows[0]
        if isinstance(rows, int | np.integer):
            rows = [rows]
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
        return Views._trusted(
            [a[rows] for a in self.arrays],
            self.names,
            None if self.ids is None else self.ids[rows],
            None if self.mask is None else self.mask[rows],
        )

    def items(self) -> Iterator[tuple[str, Any]]:
        """Go over the views: pairs of name and array."""
        return zip(self.names, self.arrays, strict=True)

    def view(self, key: int | str) -> Any:
        """Return one view by position or name."""
        if isinstance(key, str):
            if key not in self.names:
                raise ValueError(f"No view is named {key!r}; names: {self.names}.")
            key = self.names.index(key)
        return self.arrays[key]

    def select(self, keys: Sequence[int] | np.ndarray) -> Views:
        """Return the views at the given positions, in that order."""
        return Views._trusted(
            [self.arrays[v] for v in keys],
            [self.names[v] for v in keys],
            self.ids,
            None if self.mask is None else self.mask[:, list(keys)],
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{n}: {d}" for n, d in zip(self.names, self.n_features, strict=True)
        )
        missing = "" if self.mask is None else f", {int((~self.mask).sum())} absent"
        return f"Views({self.n_samples} samples; {parts}{missing})"


def _check_names(names, n_views) -> tuple[str, ...]:
    if names is None:
        return tuple(f"view_{v}" for v in range(n_views))
    names = tuple(str(n) for n in names)
    if len(names) != n_views or len(set(names)) != n_views:
        raise ValueError(
            f"names must be {n_views} different names, one a view; got {names}."
        )
    return names


def _check_lengths(arrays, names) -> None:
    n = arrays[0].shape[0]
    for a, name in zip(arrays, names, strict=True):
        if a.shape[0] != n:
            raise ValueError(
                f"View {name!r} has {a.shape[0]} samples but view {names[0]!r} has "
                f"{n}; views must describe the same samples in the same order."
            )
        if a.shape[0] == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={a.shape}) while a minimum "
                f"of 1 is required (view {name!r})."
            )
        if a.shape[1] == 0:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={a.shape}) while a minimum "
                f"of 1 is required (view {name!r}); drop the view."
            )


def _check_ids(ids, n) -> np.ndarray:
    ids = np.asarray(ids)
    if ids.shape != (n,):
        raise ValueError(f"ids must have shape ({n},), got {ids.shape}.")
    return ids
