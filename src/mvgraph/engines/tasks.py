"""Functions that run on workers: of a block of rows, and of what blocks gave."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from mvgraph.engines.memory import Arrays, Init, Map, add
from mvgraph.ops.parallel import one_blas_thread

__all__ = [
    "OnBlocks",
    "add_all",
    "on_block",
    "read_and_run",
    "run_on_block",
    "same",
    "start",
    "sums",
]


class OnBlocks(NamedTuple):
    """A function of views and of the first row, for blocks of dask arrays."""

    f: Map
    source: Any  # without rows
    starts: np.ndarray

    def run(self, blocks: tuple[Any, ...], block: int) -> Any:
        """Return f of the block with this number."""
        return self.f(self.source.build(blocks), int(self.starts[block]))


def same(x: Any) -> Any:
    """Return x: a task whose result others share."""
    return x


def run_on_block(*blocks: Any, task: OnBlocks, block_id: tuple[int, ...]) -> Any:
    """Run a function on the blocks of all views."""
    with one_blas_thread():
        return task.run(blocks, block_id[0])


def start(init: Init, block: Any, first_row: int) -> tuple[Arrays, Arrays]:
    """Make a block of an engine and its sums."""
    return init(block)


def read_and_run(shared: tuple[Map, bytes], rows: slice) -> Any:
    """Run a function on rows of a source in files, which is opened here."""
    f, source = shared
    with one_blas_thread():
        return f(pickle.loads(source).read(rows), rows.start)


def add_all(*parts: Arrays) -> Arrays:
    """Add sums."""
    return reduce(add, parts)


def on_block(f: Callable[[Arrays], Any], pair: tuple[Arrays, Arrays]) -> Any:
    """Run a function on a block, without its sums."""
    with one_blas_thread():
        return f(pair[0])


def sums(pair: tuple[Arrays, Arrays]) -> Arrays:
    """Return the sums of a block."""
    return pair[1]
