"""Cast what users bring to float arrays or CSR matrices; refuse what has no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import is_non_numpy, to_numpy
from mvgraph.ops.wording import counted
from mvgraph.views.dask_array import DaskArray, is_dask
from mvgraph.views.lazy import LazyArray, is_lazy
from mvgraph.views.sparse import check_sparse


def as_float(a: Any, name: str):
    """Cast one view to a float array or CSR matrix; refuse what has no numbers."""
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
