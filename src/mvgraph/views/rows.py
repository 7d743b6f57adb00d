"""Rows of views, read block by block, in this process or on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views
from mvgraph.views.dask_array import DaskArray, aligned
from mvgraph.views.lazy import FileArray
from mvgraph.views.missing import fill_absent, presence
from mvgraph.views.scaling import Scaling, apply_steps


class RowBlock(NamedTuple):
    """Scaled rows of every view; missing rows are zero, and False in the mask."""

    arrays: list[Any]
    mask: np.ndarray | None  # (n, V)


class _Layout(NamedTuple):
    """What makes views of blocks of rows that lie on workers."""

    names: tuple[str, ...]
    far: tuple[bool, ...]  # False: no sample has the view
    dtypes: tuple[np.dtype, ...]
    n_features: tuple[int, ...]
    masked: bool
    unread: bool  # the rows have not been checked yet

    def views(self, blocks: Sequence[Any], first_row: int) -> Views:
        """Build views of blocks, in the order of the views that are there."""
        left, n = iter(blocks), len(blocks[0])
        arrays: list[np.ndarray] = []
        for far, dtype, d in zip(self.far, self.dtypes, self.n_features, strict=True):
            if far:
                arrays.append(np.asarray(next(left)).astype(dtype, copy=False))
            else:
                arrays.append(np.broadcast_to(dtype.type(0), (n, d)))
        mask = None
        if self.unread:
            lacking = [v for v, far in enumerate(self.far) if not far]
            mask = presence(arrays, self.names, None, lacking, first_row)
        elif self.masked:  # rows were checked: NaN in one column is NaN in all
            pairs = zip(arrays, self.far, strict=True)
            mask = np.column_stack([~np.isnan(x[:, 0]) & far for x, far in pairs])
        return Views._trusted(arrays, self.names, None, mask)


class Rows:
    """Rows of views, as an engine reads them; blocks are Views.

    Parameters
    ----------
    views : Views
    """

    views: Views

    def __init__(self, views: Views) -> None:
        self.views = views
        self._layout: _Layout | None = None

    def __len__(self) -> int:
        return len(self.views)

    def read(self, rows: slice) -> Any:
        """Return a block of rows."""
        return self._block(self._views(rows))

    def slices(self, size: int) -> list[slice]:
        """Cut the rows into blocks of this size; dask arrays at their chunks."""
        arrays = self.on_workers()
        if arrays is None:
            return slices(len(self), size)
        ends = np.cumsum([0, *arrays[0].chunks[0]]).tolist()
        return [slice(a, b) for a, b in pairwise(ends)]

    def on_workers(self, size: int | None = None) -> list[Any] | None:
        """Return the dask arrays of all views, cut at the same rows.

        Parameters
        ----------
        size : int, optional
            Rows per chunk; default: those of the first view.

        Returns
        -------
        list of dask arrays, or None if not all rows are in dask arrays
        """
        if not self.views.on_workers:
            return None
        far = [a.source for a in self.views.arrays if isinstance(a, DaskArray)]
        if size is not None:
            far[0] = far[0].rechunk({0: size})
        return aligned(far)

    def without_rows(self) -> Rows:
        """Return what ``build`` needs, without the rows: small, for workers."""
        views, small = self.views, copy(self)
        small._layout = _Layout(
            views.names,
            tuple(isinstance(a, DaskArray) for a in views.arrays),
            tuple(a.dtype for a in views.arrays),
            views.n_features,
            not views.unread and views.mask is not None,
            views.unread,
        )
        del small.views
        return small

    def build(self, blocks: Sequence[Any], first_row: int) -> Any:
        """Return the block that ``read`` would, of rows that were read elsewhere."""
        assert self._layout is not None
        return self._block(self._layout.views(blocks, first_row))

    def on_disk(self, folder: Path) -> Rows:
        """Return rows that other processes can read: arrays in memory are saved."""
        arrays = []
        for v, x in enumerate(self._views(slice(None)).arrays):
            if isinstance(x, np.ndarray):
                path = folder / f"view_{v}.npy"
                np.save(path, x)
                x = FileArray(path)
            arrays.append(x)
        shipped = copy(self)
        shipped.views = Views._trusted(arrays, self.views.names, None, self.views.mask)
        return shipped

    def _views(self, rows: slice) -> Views:
        return self.views if rows == slice(None) else self.views[rows]

    def _block(self, views: Views) -> Any:
        return views


class ScaledRows(Rows):
    """Views with their scalings and the order in which rows are read.

    Only the rows of a block are read at a time, so views may be larger than memory.
    """

    def __init__(
        self,
        views: Views,
        scalings: list[tuple[Scaling, ...]],
        order: np.ndarray | None = None,
    ) -> None:
        super().__init__(views)
        self.scalings, self.order = scalings, order

    def on_disk(self, folder: Path) -> Rows:
        """See Rows; the rows are saved in the order in which they are read."""
        if self.order is None:
            return super().on_disk(folder)
        return ScaledRows(self.views[self.order], self.scalings).on_disk(folder)

    def _views(self, rows: slice) -> Views:
        return (
            super()._views(rows) if self.order is None else self.views[self.order[rows]]
        )

    def _block(self, views: Views) -> RowBlock:
        arrays = []
        for v, (x, steps) in enumerate(zip(views.arrays, self.scalings, strict=True)):
            present = None if views.mask is None else views.mask[:, v]
            arrays.append(fill_absent(apply_steps(x, steps), present))
        return RowBlock(arrays, views.mask)
