"""Rows of scaled views, read block by block."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.container import Views
from mvgraph.views.lazy import FileArray
from mvgraph.views.scaling import Scaling, apply_steps, fill_absent

__all__ = ["RowBlock", "ScaledRows"]


class RowBlock(NamedTuple):
    """Scaled rows of every view; missing rows are zero, and False in the mask."""

    arrays: list[Any]
    mask: np.ndarray | None  # (n, V)


class ScaledRows:
    """Views with their scalings and the order in which rows are read.

    Only the rows of a block are read at a time, so views may be larger than memory.
    """

    def __init__(
        self,
        views: Views,
        scalings: list[tuple[Scaling, ...]],
        order: np.ndarray | None = None,
    ) -> None:
        self.views, self.scalings, self.order = views, scalings, order

    def __len__(self) -> int:
        return len(self.views)

    def on_disk(self, folder: Path) -> ScaledRows:
        """Return rows that other processes can read: arrays in memory are saved."""
        views = self.views if self.order is None else self.views[self.order]
        arrays = []
        for v, x in enumerate(views.arrays):
            if isinstance(x, np.ndarray):
                path = folder / f"view_{v}.npy"
                np.save(path, x)
                x = FileArray(path)
            arrays.append(x)
        shipped = Views._trusted(arrays, views.names, None, views.mask)
        return ScaledRows(shipped, self.scalings)

    def read(self, rows: slice) -> RowBlock:
        """Return the scaled rows of a slice of the order."""
        part = self.views[rows if self.order is None else self.order[rows]]
        arrays = []
        for v, (x, steps) in enumerate(zip(part.arrays, self.scalings, strict=True)):
            present = None if part.mask is None else part.mask[:, v]
            arrays.append(fill_absent(apply_steps(x, steps), present))
        return RowBlock(arrays, part.mask)
