"""Rows out of core: blocks live in memory-mapped scratch files under a memory limit."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.engines.memory import Arrays, MemoryEngine, add
from mvgraph.ops.parallel import ordered, slices

__all__ = ["ChunkedEngine"]

#: Copies of a block that a step holds: old and new, on every thread, and waiting.
BLOCK_COPIES = 6
#: At most so many threads are counted on. A constant: blocks, and with them sums, must
#: not depend on how many there are.
MAX_THREADS = 8


class ChunkedEngine(MemoryEngine):
    """Keep the blocks of all rows in scratch files, a few of them in memory.

    Leave it (``with``) to remove the files, whatever happened in between.

    Parameters
    ----------
    memory_limit : int, default=2**30
        Bytes that the blocks in memory may take together.
    folder : path, optional
        Where to put the scratch files; default: the folder for temporary files.
    """

    def __init__(
        self, memory_limit: int = 2**30, folder: str | Path | None = None
    ) -> None:
        super().__init__()
        self.memory_limit, self.folder = memory_limit, folder
        self._scratch: Path | None = None
        self._files: list[np.memmap] = []
        self._slices: list[slice] = []

    def __exit__(self, *error: object) -> None:
        self._files = []
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def start(
        self, init: Callable[[Any], tuple[Arrays, Arrays]], source: Any
    ) -> Arrays:
        """See MemoryEngine; the first rows tell how large a block may be."""
        self._scratch = Path(tempfile.mkdtemp(prefix="mvgraph-", dir=self.folder))
        n = len(source)
        probe, _ = init(source.read(slice(0, min(n, 64))))
        row_bytes = sum(a.nbytes for a in probe) // min(n, 64) + 1
        copies = BLOCK_COPIES * (MAX_THREADS + 1)
        rows = self.memory_limit // (row_bytes * copies)
        if rows < 1:
            raise ValueError(
                f"memory_limit={self.memory_limit} bytes is too small: up to "
                f"{MAX_THREADS} threads need {copies} copies of a row of {row_bytes} "
                f"bytes; allow at least {row_bytes * copies} bytes."
            )
        self._files = [
            np.lib.format.open_memmap(
                self._scratch / f"{i}.npy", "w+", a.dtype, (n, *a.shape[1:])
            )
            for i, a in enumerate(probe)
        ]
        self._slices = slices(n, int(min(rows, self.block_rows)))
        return self._write(lambda r: init(source.read(r)))

    def step(self, f: Callable[[Arrays], tuple[Arrays, Arrays]]) -> Arrays:
        """See MemoryEngine; tensors that f hands back as they were stay on disk."""

        def run(rows: slice):
            old = self._read(rows)
            new, sums = f(old)
            changed = [b if b is not a else None for a, b in zip(old, new, strict=True)]
            return changed, sums

        return self._write(run)

    def gather(self, f: Callable[[Arrays], Arrays]) -> Arrays:
        """See MemoryEngine."""
        parts = list(ordered(lambda r: f(self._read(r)), self._slices, MAX_THREADS))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _read(self, rows: slice) -> Arrays:
        return tuple(np.array(file[rows]) for file in self._files)

    def _write(self, run: Callable[[slice], tuple[Any, Arrays]]) -> Arrays:
        total: Arrays | None = None
        done = ordered(run, self._slices, MAX_THREADS)
        for rows, (block, sums) in zip(self._slices, done, strict=True):
            for file, tensor in zip(self._files, block, strict=True):
                if tensor is not None:
                    file[rows] = tensor
            total = sums if total is None else add(total, sums)
        assert total is not None
        return total
