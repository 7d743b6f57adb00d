"""Recognise what was passed as a view, and cast it to a float array or CSR matrix.

Objects are recognised by their methods, so that no package is imported for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import is_non_numpy, to_numpy
from mvgraph.ops.wording import counted
from mvgraph.views.dask_array import DaskArray
from mvgraph.views.lazy import LazyArray, is_lazy

#: The largest whole number that float64 can hold.
LARGEST = int(np.finfo(np.float64).max)


def is_plain(value: Any) -> bool:
    """Return whether X is a 2-D NumPy array or sparse matrix: without any names."""
    return sp.issparse(value) or (type(value) is np.ndarray and value.ndim == 2)


def is_frame(value: Any) -> bool:
    """Return whether X is a data frame of any library, or an Arrow table."""
    kind = type(value)  # a lazy frame would work out its columns when asked
    named = hasattr(kind, "columns") or hasattr(kind, "column_names")
    ways = ("to_numpy", "collect_schema", "to_batches")
    return named and any(hasattr(kind, way) for way in ways)


def is_held_frame(value: Any) -> bool:
    """Return whether X is a data frame in memory with an index of its columns."""
    ways = hasattr(value, "columns"), hasattr(value, "collect")
    return is_frame(value) and ways == (True, False)


def is_series(value: Any) -> bool:
    """Return whether X is a polars or pandas series."""
    return hasattr(value, "to_numpy") and hasattr(value, "to_list")


def is_annotated(data: Any) -> bool:
    """Return whether X is an AnnData or a MuData."""
    return hasattr(data, "obs_names") and (
        hasattr(data, "mod") or hasattr(data, "obsm")
    )


def is_mudata(data: Any) -> bool:
    """Return whether X is a MuData, which has modalities, not an AnnData."""
    return hasattr(data, "mod")


def is_dask(a: Any) -> bool:
    """Return whether X is a dask array, judged by its methods."""
    return hasattr(a, "__dask_graph__") and hasattr(a, "map_blocks")


def in_memory(a: Any) -> Any:
    """Compute a dask array; return any other array unchanged."""
    return a.compute() if is_dask(a) else a


def as_float(a: Any, name: str):
    """Cast one view to a float array or CSR matrix; reject anything but numbers."""
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
    """Accept object arrays of plain real numbers only (as scikit-learn does)."""
    if any(isinstance(x, str | bytes) for x in a.ravel()):
        raise ValueError(
            f"View {name!r} holds strings; encode categories as numbers first."
        )
    try:
        return a.astype(np.float64)
    except OverflowError as error:
        beyond = [isinstance(x, int) and abs(x) > LARGEST for x in a.ravel()]
        place = tuple(map(int, np.unravel_index(np.argmax(beyond), a.shape)))
        raise ValueError(
            f"View {name!r} has a whole number at {place} that is beyond what float64 "
            "can hold. Scale the column, or leave it out."
        ) from error
    except TypeError as error:  # scikit-learn expects TypeError to stay TypeError
        raise TypeError(
            f"View {name!r} has objects that are not numbers ({error}); "
            "argument must be a string or a number array."
        ) from error


def check_dtype(dtype: np.dtype, name: str) -> None:
    """Reject dtypes other than real numbers."""
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
    """Reject a sparse matrix whose indices point outside of it.

    SciPy does not check by itself, and compiled code that follows such an index reads
    or writes outside of the arrays.

    Parameters
    ----------
    matrix : sparse matrix or array
    what : str
        Its name, for the error.

    Raises
    ------
    ValueError
        The message is that of SciPy.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from mvgraph.views.casting import check_sparse
    >>> broken = sp.csr_matrix(np.eye(3))
    >>> broken.indices[1] = 7
    >>> check_sparse(broken)
    Traceback (most recent call last):
    ...
    ValueError: the sparse matrix is damaged: indices must be < 3. ...
    """
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            copy(matrix).check_format(full_check=True)  # which may prune the arrays
        elif matrix.format == "coo":
            type(matrix)((matrix.data, matrix.coords), shape=matrix.shape)
    except ValueError as error:
        raise ValueError(
            f"{what} is damaged: {error}. Build it again, for example with "
            "scipy.sparse.csr_matrix(dense)"
        ) from error


def check_names(names: Sequence[str] | None, n_views: int) -> tuple[str, ...]:
    """Return the names of the views, generated if there are none."""
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
    """Reject views that do not have n samples, and empty ones."""
    for shape, name in zip(shapes, names, strict=True):
        if shape[0] != n:
            raise ValueError(
                f"View {name!r} has {shape[0]} samples but view {names[0]!r} has "
                f"{n}; views must describe the same samples in the same order."
            )
        for size, what in zip(shape, ("sample", "feature"), strict=True):
            if size == 0:  # in scikit-learn's words
                raise ValueError(
                    f"Found array with 0 {what}(s) ({shape=}) while a minimum of 1 is "
                    f"required (view {name!r}); drop the view."
                )


def check_ids(ids: Any, n: int) -> np.ndarray:
    """Return the identifiers of n samples as an array."""
    ids = np.asarray(ids)
    if ids.shape != (n,):
        raise ValueError(f"ids must have shape ({n},), got {ids.shape}.")
    return ids
