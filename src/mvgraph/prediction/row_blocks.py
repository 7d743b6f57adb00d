"""Functions of rows: of dask arrays they give dask arrays, of others NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mvgraph.ops.parallel import one_blas_thread
from mvgraph.views.container import Views
from mvgraph.views.rows import Rows, on_workers

__all__ = ["lazy_on_rows", "on_rows"]


def on_rows(
    f: Callable[[Views], np.ndarray], views: Views, dtype: Any, width: int | None = None
) -> Any:
    """Return f of all rows; for dask arrays lazily, block by block where they lie.

    Parameters
    ----------
    f : callable
        From n rows to an array of n rows, which depend on one row each.
    views : Views
    dtype : dtype
    width : int, optional
        Columns of the result; default: it has one axis.

    Returns
    -------
    ndarray or dask array of shape (N,) or (N, width)
    """
    if not on_workers(views):
        with one_blas_thread():
            return np.asarray(f(views), dtype=dtype)
    return lazy_on_rows(partial(_without_number, f, dtype), views, dtype, width)


def lazy_on_rows(
    f: Callable[[Views, int], Any],
    views: Views,
    dtype: Any,
    width: int | None = None,
    meta: Any = None,
) -> Any:
    """Return a dask array of f(rows, number of the first row); see `on_rows`."""
    from mvgraph.engines.distributed import lazy_rows

    return lazy_rows(f, Rows(views), dtype, width, meta)


def _without_number(
    f: Callable[[Views], np.ndarray], dtype: Any, views: Views, first_row: int
) -> np.ndarray:
    return np.asarray(f(views), dtype=dtype)
