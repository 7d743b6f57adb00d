"""Rows out of core: blocks are kept in memory-mapped scratch files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from mvgraph.engines.memory import Arrays, Gather, Init, MemoryEngine, Step, add, join
from mvgraph.ops.memory import TooLargeError
from mvgraph.ops.parallel import ordered, slices
from mvgraph.persistence.scratch import Scratch

#: New arrays of a block; None for an array that did not change.
Changes: TypeAlias = Sequence[np.ndarray | None]

#: Copies of a block in memory per thread: old and new ones, in use and waiting.
BLOCK_COPIES = 6
#: Maximum number of threads. A constant, since the sizes of blocks, and with them the
#: rounding of sums, must not depend on the machine.
MAX_THREADS = 8
#: Copies of a block in memory together.
COPIES = BLOCK_COPIES * (MAX_THREADS + 1)


class ChunkedEngine(MemoryEngine):
    """Keep the blocks of all rows in scratch files, a few of them in memory.

    A context manager: the files are removed at its end, also after an error.

    Parameters
    ----------
    memory_limit : int, default=2**30
        Bytes that the blocks in memory may take together.
    folder : path, optional
        Folder of the scratch files; default: the system's temporary folder.
    """

    in_memory = False

    def __init__(
        self, memory_limit: int = 2**30, folder: str | Path | None = None
    ) -> None:
        super().__init__()
        self.memory_limit = memory_limit
        self._scratch = Scratch(folder)
        self._files: list[np.memmap] = []
        self._slices: list[slice] = []

    def __exit__(self, *error: object) -> None:
        self._files = []
        self._scratch.remove()

    def start(self, init: Init, source: Any) -> Arrays:
        """See MemoryEngine; the size of a block follows from the first rows."""
        folder = self._scratch.make()
        n = len(source)
        probe, _ = init(source.read(slice(0, min(n, 64))))
        row_bytes = sum(a.nbytes for a in probe) // min(n, 64) + 1
        rows = self.memory_limit // (row_bytes * COPIES)
        if rows < 1:
            raise TooLargeError(
                f"memory_limit={self.memory_limit} bytes is too small: up to "
                f"{MAX_THREADS} threads need {COPIES} copies of a row of {row_bytes} "
                f"bytes; allow at least {row_bytes * COPIES} bytes."
            )
        self._files = [
            np.lib.format.open_memmap(
                folder / f"{i}.npy", "w+", a.dtype, (n, *a.shape[1:])
            )
            for i, a in enumerate(probe)
        ]
        self._slices = slices(n, int(min(rows, self.block_rows)))
        return self._write(lambda r: init(source.read(r)))

    def step(self, f: Step) -> Arrays:
        """See MemoryEngine; arrays that f returns unchanged are not written again."""

        def run(rows: slice) -> tuple[Changes, Arrays]:
            old = self._read(rows)
            new, sums = f(old)
            changed = [b if b is not a else None for a, b in zip(old, new, strict=True)]
            return changed, sums

        return self._write(run)

    def gather(self, f: Gather) -> Arrays:
        """See MemoryEngine."""
        return join(ordered(lambda r: f(self._read(r)), self._slices, MAX_THREADS))

    def _read(self, rows: slice) -> Arrays:
        return tuple(np.array(file[rows]) for file in self._files)

    def _write(self, run: Callable[[slice], tuple[Changes, Arrays]]) -> Arrays:
        total: Arrays | None = None
        done = ordered(run, self._slices, MAX_THREADS)
        for rows, (block, sums) in zip(self._slices, done, strict=True):
            for file, tensor in zip(self._files, block, strict=True):
                if tensor is not None:
                    file[rows] = tensor
            total = sums if total is None else add(total, sums)
        assert total is not None
        return total
