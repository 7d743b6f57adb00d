"""Rows in memory: blocks are arrays, threads work on them, sums are added in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np

__all__ = ["MemoryEngine", "add", "map_rows", "n_threads", "slices"]

Arrays = tuple[np.ndarray, ...]


def n_threads() -> int:
    """Return the processors of this process, bounded by OMP_NUM_THREADS."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    bound = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available, int(bound) if bound.isdigit() else available))


def slices(n_rows: int, size: int) -> list[slice]:
    """Cut rows into consecutive slices; they never depend on the workers."""
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


def ordered(
    f: Callable[[Any], Any], items: Iterable[Any], most: int | None = None
) -> Iterator[Any]:
    """Yield f of every item in order, a few items ahead on threads, at most so many."""
    threads = n_threads() if most is None else min(most, n_threads())
    if threads == 1:
        yield from map(f, items)
        return
    source = iter(items)
    pool = ThreadPoolExecutor(threads)
    try:
        ahead = [pool.submit(f, item) for item in islice(source, 2 * threads)]
        while ahead:
            done = ahead.pop(0).result()
            ahead += [pool.submit(f, item) for item in islice(source, 1)]
            yield done
    finally:  # after an error or Ctrl-C only what runs already is waited for
        pool.shutdown(cancel_futures=True)


def map_rows(
    f: Callable[[slice], Any],
    n_rows: int,
    size: int = 1024,
    tick: Callable[[], None] | None = None,
) -> list[Any]:
    """Call f on consecutive row slices, in order; tick after each of them."""
    parts = slices(n_rows, size)
    results = []
    for result in map(f, parts) if len(parts) == 1 else ordered(f, parts):
        results.append(result)
        if tick is not None:
            tick()
    return results


def add(a: Arrays, b: Arrays) -> Arrays:
    """Add sums entry by entry."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


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
        old, self._blocks = self._blocks, []
        return self._collect(f, old)

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
