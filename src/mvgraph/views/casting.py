"""Cast what users bring to float arrays or CSR matrices; refuse what has no numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import is_non_numpy, to_numpy
from mvgraph.ops.wording import counted
from mvgraph.views.dask_array import DaskArray
from mvgraph.views.kinds import is_dask
from mvgraph.views.lazy import LazyArray, is_lazy


def as_float(a: Any, name: str):
    """Cast one view to a float array or CSR matrix; refuse what has no numbers."""
    if type(a) is np.ndarray and a.dtype in (np.float32, np.float64) and a.ndim == 2:
        return a
    if sp.issparse(a):
        if a.ndim != 2:
            raise _not_two_dimensional(a, name)
        check_sparse(a, f"View {name!r}")  # before compiled code reads it
        a = a.tocsr()
        check_dtype(a.dtype, name)
        return a if a.dtype in (np.float32, np.float64) else a.astype(np.float64)
    if is_non_numpy(a):
        a = to_numpy(a)
    if is_lazy(a):
        check_dtype(np.dtype(a.dtype), name)
        if isinstance(a, LazyArray):
            return a
        return DaskArray(a, name) if is_dask(a) else LazyArray(a)
    return _dense_float(a, name)


def _dense_float(a: Any, name: str) -> np.ndarray:
    if hasattr(a, "to_numpy"):  # a series, which has no columns
        a = a.to_numpy()
    if isinstance(a, np.ma.MaskedArray):
        a = _unmasked(a, name)
    if not isinstance(a, np.ndarray) or isinstance(a, np.matrix):
        a = np.asarray(a)
    if a.dtype == object:
        a = _from_objects(a, name)
    check_dtype(a.dtype, name)
    if a.ndim != 2:
        raise _not_two_dimensional(a, name)
    if a.dtype not in (np.float32, np.float64):
        a = a.astype(np.float64)
    return a


def _not_two_dimensional(a: Any, name: str) -> ValueError:
    return ValueError(
        f"Expected 2D array for view {name!r}, got {a.ndim}D array of shape "
        f"{a.shape} instead: pass samples in rows and features in columns. "
        "Reshape your data with array.reshape(-1, 1) if it has a single feature "
        "or array.reshape(1, -1) if it is a single sample."
    )


def _unmasked(a: np.ma.MaskedArray, name: str) -> np.ndarray:
    """Return the numbers of a masked array; rows masked throughout become NaN."""
    mask = np.ma.getmaskarray(a)
    if a.ndim != 2 or not mask.any():
        return a.data
    whole = np.all(mask, axis=1)
    stray = mask & ~whole[:, None]
    if stray.any():
        row, column = (int(i[0]) for i in np.nonzero(stray))
        raise ValueError(
            f"Input is masked in part: view {name!r}, row {row}, column {column} "
            f"({counted(int(stray.any(axis=1).sum()), 'such row')}); fill it, for "
            "example with a.filled(0), or mask the whole row to declare the sample "
            "absent from this view."
        )
    check_dtype(a.dtype, name)
    data = a.data.astype(a.dtype if a.dtype == np.float32 else np.float64)
    data[whole] = np.nan
    return data


def _from_objects(a: np.ndarray, name: str) -> np.ndarray:
    """Accept object arrays that hold plain real numbers only (scikit-learn does)."""
    if any(isinstance(x, str | bytes) for x in a.ravel()):
        raise ValueError(
            f"View {name!r} holds strings; encode categories as numbers first."
        )
    try:
        return a.astype(np.float64)
    except TypeError as error:  # scikit-learn expects TypeError to stay TypeError
        raise TypeError(
            f"View {name!r} has objects that are no numbers ({error}); "
            "argument must be a string or a number array."
        ) from error


def check_dtype(dtype: np.dtype, name: str) -> None:
    """Refuse dtypes that hold no real numbers."""
    if dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported (view {name!r}): "
            "pass real and imaginary parts as two views."
        )
    if dtype.kind not in "fiub":
        raise ValueError(
            f"View {name!r} has dtype {dtype}, not numbers; encode categories first."
        )


def check_sparse(matrix: Any, what: str = "the sparse matrix") -> None:
    """Refuse a sparse matrix whose indices point outside of it.

    SciPy does not look, and compiled code that follows such an index reads or writes
    memory of others.

    Parameters
    ----------
    matrix : sparse matrix or array
    what : str
        Its name, for the error.

    Raises
    ------
    ValueError
        Names the first index that is wrong.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from mvgraph.views.casting import check_sparse
    >>> broken = sp.csr_matrix(np.eye(3))
    >>> broken.indices[1] = 7
    >>> check_sparse(broken)
    Traceback (most recent call last):
    ...
    ValueError: the sparse matrix is damaged: an index is 7, ...
    """
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, what)
    elif matrix.format == "coo":
        for axis, index in enumerate(matrix.coords):
            if len(index) != len(matrix.data):
                raise _damaged(what, "its indices and values differ in number")
            _check_range(index, matrix.shape[axis], what)


def _check_compressed(matrix: Any, what: str) -> None:
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    rows, columns = matrix.shape
    block = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    along, across = (columns, rows) if matrix.format == "csc" else (rows, columns)
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise _damaged(what, "its indices are no integers")
    if indptr.ndim != 1 or len(indptr) != along // block[0] + 1 or indptr[0] != 0:
        raise _damaged(what, f"its row pointers do not fit a shape of {matrix.shape}")
    if (np.diff(indptr.astype(np.int64)) < 0).any():
        raise _damaged(what, "its row pointers are not in ascending order")
    if int(indptr[-1]) > min(len(indices), len(matrix.data)):
        raise _damaged(what, "its row pointers end behind its values")
    _check_range(indices[: int(indptr[-1])], across // block[1], what)


def _check_range(index: np.ndarray, size: int, what: str) -> None:
    if not len(index):
        return
    low, high = int(index.min()), int(index.max())
    if low < 0 or high >= size:
        odd = low if low < 0 else high
        raise _damaged(what, f"an index is {odd}, and there are {size} of these")


def _damaged(what: str, why: str) -> ValueError:
    return ValueError(
        f"{what} is damaged: {why}. Remedy: build it again, for example with"
        " scipy.sparse.csr_matrix(dense)"
    )


def check_names(names: Sequence[str] | None, n_views: int) -> tuple[str, ...]:
    """Return the names of the views, made up where there are none."""
    if names is None:
        return tuple(f"view_{v}" for v in range(n_views))
    names = tuple(str(n) for n in names)
    if len(names) != n_views or len(set(names)) != n_views:
        raise ValueError(
            f"names must be {n_views} different names, one per view; got {names}."
        )
    return names


def check_shapes(
    shapes: Sequence[tuple[int, ...]], names: Sequence[str], n: int
) -> None:
    """Refuse views that have not n samples, and empty ones."""
    for shape, name in zip(shapes, names, strict=True):
        if shape[0] != n:
            raise ValueError(
                f"View {name!r} has {shape[0]} samples but view {names[0]!r} has "
                f"{n}; views must describe the same samples in the same order."
            )
        if shape[0] == 0:
            raise ValueError(
                f"Found array with 0 sample(s) ({shape=}) while a minimum "
                f"of 1 is required (view {name!r})."
            )
        if shape[1] == 0:
            raise ValueError(
                f"Found array with 0 feature(s) ({shape=}) while a minimum "
                f"of 1 is required (view {name!r}); drop the view."
            )


def check_ids(ids: Any, n: int) -> np.ndarray:
    """Return the identifiers of n samples as an array."""
    ids = np.asarray(ids)
    if ids.shape != (n,):
        raise ValueError(f"ids must have shape ({n},), got {ids.shape}.")
    return ids
