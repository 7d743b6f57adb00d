"""Rows in memory: threads process blocks of arrays, sums are added in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from mvgraph.ops.parallel import ordered, slices

Arrays: TypeAlias = tuple[np.ndarray, ...]
#: Makes a block and its sums from rows, as ``read`` of a source returns them.
Init: TypeAlias = Callable[[Any], tuple[Arrays, Arrays]]
#: Makes the next block and its sums from a block.
Step: TypeAlias = Callable[[Arrays], tuple[Arrays, Arrays]]
#: Reads results of a block of rows and the number of its first row.
Map: TypeAlias = Callable[[Any, int], Any]
#: Reads results from a block, row by row.
Gather: TypeAlias = Callable[[Arrays], Arrays]
Item = TypeVar("Item")


def add(a: Arrays, b: Arrays) -> Arrays:
    """Add two tuples of sums entry by entry."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def join(parts: Iterable[Arrays]) -> Arrays:
    """Concatenate the arrays of several blocks."""
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _consume(blocks: deque[Arrays]) -> Iterator[Arrays]:
    """Yield blocks and drop them, so that their memory is free for new blocks."""
    while blocks:
        yield blocks.popleft()


class MemoryEngine:
    """Keep the blocks of all rows as arrays of this process.

    Engines separate the algorithms from where rows are stored: ``start`` makes the
    blocks, ``step`` replaces them and adds up the sums that the function returns with
    each block, ``gather`` reads results; ``map`` is for work in a single pass. All of
    them keep the order of rows.

    Parameters
    ----------
    block_rows : int, default=8192
        Rows per block.
    """

    #: True if the rows are in the memory of this process.
    in_memory: ClassVar[bool] = True

    def __init__(self, block_rows: int = 8192) -> None:
        self.block_rows = block_rows
        self._blocks: list[Any] = []

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks = []

    def map(self, f: Map, source: Any) -> Iterator[Any]:
        """Yield f(block, number of its first row) of all blocks of rows, in order.

        Nothing is kept.

        Parameters
        ----------
        f : callable
        source : mvgraph.views.rows.Rows
        """
        yield from ordered(
            lambda r: f(source.read(r), r.start), source.slices(self.block_rows)
        )

    def count_blocks(self, source: Any) -> int:
        """Return how many results ``map`` yields."""
        return len(source.slices(self.block_rows))

    def start(self, init: Init, source: Any) -> Arrays:
        """Make a block of arrays from every block of rows; return the total sums.

        Parameters
        ----------
        init : callable
        source : object with ``len`` and ``read(slice)``
            See :class:`mvgraph.views.rows.ScaledRows`.
        """
        self._blocks = []
        rows = slices(len(source), self.block_rows)
        return self._collect(lambda r: init(source.read(r)), rows)

    def step(self, f: Step) -> Arrays:
        """Replace every block by f(block)[0]; return the sum of f(block)[1]."""
        old, self._blocks = deque(self._blocks), []
        return self._collect(f, _consume(old))

    def gather(self, f: Gather) -> Arrays:
        """Concatenate the results of f over all blocks."""
        return join(ordered(f, self._blocks))

    def _collect(
        self, f: Callable[[Item], tuple[Arrays, Arrays]], items: Iterable[Item]
    ) -> Arrays:
        total: Arrays | None = None
        for block, sums in ordered(f, items):
            self._blocks.append(block)
            total = sums if total is None else add(total, sums)
        assert total is not None
        return total
