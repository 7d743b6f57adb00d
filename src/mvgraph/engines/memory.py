"""Rows in memory: blocks are arrays, threads work on them, sums are added in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mvgraph.ops.parallel import ordered, slices

__all__ = ["MemoryEngine", "add"]

Arrays = tuple[np.ndarray, ...]


def add(a: Arrays, b: Arrays) -> Arrays:
    """Add sums entry by entry."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _taken(blocks: deque) -> Iterator[Any]:
    """Yield blocks and keep none: the memory of old ones serves the new ones."""
    while blocks:
        yield blocks.popleft()


class MemoryEngine:
    """Keep the blocks of all rows as arrays of this process.

    The seam between algorithms and where rows live: ``start`` makes the blocks,
    ``step`` replaces them and adds up what the function returns beside them,
    ``gather`` reads them out. All three keep the order of rows.
    """

    def __init__(self, block_rows: int = 8192) -> None:
        self.block_rows = block_rows
        self._blocks: list[Any] = []

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks = []

    def start(
        self, init: Callable[[Any], tuple[Arrays, Arrays]], source: Any
    ) -> Arrays:
        """Make a block of tensors of every block of rows; return the summed sums."""
        self._blocks = []
        return self._collect(lambda r: init(source.read(r)), self._rows(source))

    def step(self, f: Callable[[Arrays], tuple[Arrays, Arrays]]) -> Arrays:
        """Replace every block by f(block)[0]; return the sum of f(block)[1]."""
        old, self._blocks = deque(self._blocks), []
        return self._collect(f, _taken(old))

    def gather(self, f: Callable[[Arrays], Arrays]) -> Arrays:
        """Join the results of f over blocks, row by row."""
        parts = list(ordered(f, self._blocks))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _rows(self, source: Any) -> list[slice]:
        return slices(len(source), self.block_rows)

    def _collect(self, f, items) -> Arrays:
        total: Arrays | None = None
        for block, sums in ordered(f, items):
            self._blocks.append(block)
            total = sums if total is None else add(total, sums)
        assert total is not None
        return total
