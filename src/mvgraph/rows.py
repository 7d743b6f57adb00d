"""Rows of scaled views, read block by block; rows that a view lacks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.lazy import FileArray
from mvgraph.scaling import Scaling, apply_steps, fit_scaling
from mvgraph.views import Views

__all__ = ["Block", "Rows", "fill_absent", "learn_scalings"]


class Block(NamedTuple):
    """Scaled rows of every view; absent rows are zero and False in the mask."""

    arrays: list
    mask: np.ndarray | None  # (n, V)


class Rows:
    """Views with their scalings and the order in which rows are read.

    Reading a block touches these rows only, so views may be larger than memory.
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

    def on_disk(self, folder: Path) -> Rows:
        """Return rows that other processes can read: views in files, not in memory."""
        views = self.views if self.order is None else self.views[self.order]
        arrays = []
        for v, x in enumerate(views.arrays):
            if isinstance(x, np.ndarray):
                path = folder / f"view_{v}.npy"
                np.save(path, x)
                x = FileArray(path)
            arrays.append(x)
        shipped = Views._trusted(arrays, views.names, None, views.mask)
        return Rows(shipped, self.scalings)

    def read(self, rows: slice) -> Block:
        """Return the scaled rows of one slice of the order."""
        part = self.views[rows if self.order is None else self.order[rows]]
        arrays = []
        for v, (x, steps) in enumerate(zip(part.arrays, self.scalings, strict=True)):
            present = None if part.mask is None else part.mask[:, v]
            arrays.append(fill_absent(apply_steps(x, steps), present))
        return Block(arrays, part.mask)


def learn_scalings(views: Views, rule: str) -> list[tuple[Scaling, ...]]:
    """Learn a rule on the samples that each view has."""
    if views.mask is None:
        return [fit_scaling(x, rule) for x in views.arrays]
    return [fit_scaling(x[views.mask[:, v]], rule) for v, x in enumerate(views.arrays)]


def fill_absent(x, present: np.ndarray | None):
    """Put zeros into the rows that a view lacks."""
    if present is None or present.all():
        return x
    if sp.issparse(x):
        keep = sp.csr_matrix(x[np.flatnonzero(present)])
        where = (np.flatnonzero(present), np.arange(keep.shape[0]))
        spread = sp.csr_matrix(
            (np.ones(keep.shape[0]), where), shape=(len(present), keep.shape[0])
        )
        return spread @ keep
    return np.where(present[:, None], x, 0)
