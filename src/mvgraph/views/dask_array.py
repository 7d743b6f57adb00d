"""Dask arrays as views: functions of rows run on the workers, where the rows are.

Dask itself is not imported: methods of the arrays that the user gave are called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mvgraph.views.lazy import LazyArray, in_order


class DaskArray(LazyArray):
    """A 2-D dask array; its chunks hold whole rows.

    Parameters
    ----------
    source : dask array
    name : str
        Name of the view, for errors.
    """

    def __init__(self, source: Any, name: str) -> None:
        rows, columns = source.chunks
        if np.isnan(rows).any():
            raise ValueError(
                f"View {name!r} is a dask array with an unknown number of rows; "
                "call compute_chunk_sizes() of the array first, or "
                "to_dask_array(lengths=True) of the frame."
            )
        if len(columns) > 1 or 0 in rows:
            source = source.rechunk({0: tuple(n for n in rows if n) or rows, 1: -1})
        super().__init__(source)

    def _read_slice(self, rows: Any) -> Any:
        return self.source[rows].compute()

    _read_rows = _read_slice


def aligned(arrays: Sequence[Any]) -> list[Any]:
    """Return dask arrays cut at the same rows, those of the first."""
    rows = arrays[0].chunks[0]
    return [a if a.chunks[0] == rows else a.rechunk({0: rows}) for a in arrays]


def lazy_chunks(
    f: Callable[[Sequence[np.ndarray]], np.ndarray],
    arrays: Sequence[DaskArray],
    dtype: Any,
) -> Any:
    """Return a small function of all rows, computed on the workers, in one pass.

    Parameters
    ----------
    f : callable
        From blocks of the same n rows of every view, as float arrays, to an array
        (n, number of views). It must not refer to large arrays.
    arrays : sequence of V DaskArray
    dtype : dtype
        Of the result.

    Returns
    -------
    dask array of shape (N, V)
    """
    return _mapped(
        f, [a.source for a in arrays], [a.dtype for a in arrays], dtype, len(arrays)
    )


def read_rows(arrays: Sequence[DaskArray], rows: Any) -> list[np.ndarray]:
    """Read the same rows of several views in one pass; see ``LazyArray``."""
    back: Any = slice(None)
    if not isinstance(rows, slice):
        rows, back = in_order(rows, len(arrays[0]))
    taken = [x[rows] for x in aligned([a.source for a in arrays])]
    dtypes = [a.dtype for a in arrays]
    widths = [a.shape[1] for a in arrays]
    lazy = _mapped(np.hstack, taken, dtypes, np.result_type(*dtypes), sum(widths))
    joint = lazy.compute()[back]
    parts = np.split(joint, np.cumsum(widths)[:-1], axis=1)
    return [
        np.ascontiguousarray(x, dtype=t) for x, t in zip(parts, dtypes, strict=True)
    ]


def rows_of_all(arrays: Sequence[Any], rows: Any) -> list[Any]:
    """Take rows of every view; of dask arrays in one pass."""
    far = [a for a in arrays if isinstance(a, DaskArray)]
    blocks = iter(read_rows(far, rows) if far else ())
    return [next(blocks) if isinstance(a, DaskArray) else a[rows] for a in arrays]


def _mapped(
    f: Callable[[Sequence[np.ndarray]], np.ndarray],
    sources: Sequence[Any],
    dtypes: Sequence[np.dtype],
    dtype: Any,
    width: int,
) -> Any:
    first, *others = aligned(sources)
    return first.map_blocks(
        _on_floats,
        *others,
        f=f,
        dtypes=tuple(dtypes),
        dtype=dtype,
        chunks=(first.chunks[0], (width,)),
        meta=np.empty((0, 0), dtype=dtype),
    )


def _on_floats(
    *blocks: Any,
    f: Callable[[Sequence[np.ndarray]], np.ndarray],
    dtypes: Sequence[np.dtype],
) -> np.ndarray:
    pairs = zip(blocks, dtypes, strict=True)
    return f([np.asarray(b).astype(t, copy=False) for b, t in pairs])
