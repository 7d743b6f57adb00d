"""Rows on workers: blocks are dask futures and only sums travel.

The only file that knows dask.

Every step is a pure function of the block before it, so that dask can make the blocks
of a lost worker again; the functions get small arrays as arguments, not by scatter,
for the same reason.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import reduce
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.engines.memory import Arrays, MemoryEngine, add
from mvgraph.ops.parallel import slices

__all__ = ["DistributedEngine"]

#: Sums that are added in one task: fewer levels of the tree, fewer waits for a worker.
SUMS_PER_TASK = 8


class DistributedEngine(MemoryEngine):
    """Keep the blocks of all rows on the workers of a dask cluster.

    Parameters
    ----------
    scheduler : str, Client or None, default=None
        Address such as ``tcp://host:8786``, a client, or None: the current client, or
        a cluster of processes on this machine that ends with the fit.
    block_rows : int, default=65536
        Rows of a block. Sums are added block by block in a fixed tree.

    Raises
    ------
    ImportError
        Without the extra ``dask``.
    """

    def __init__(self, scheduler: Any = None, block_rows: int = 65536) -> None:
        super().__init__(block_rows)
        try:
            from distributed import Client, LocalCluster, default_client
        except ImportError as error:
            raise ImportError(
                "The distributed engine needs dask: pip install 'mvgraph[dask]'."
            ) from error
        self._owned: list[Any] = []
        self._blocks: list[Any] = []
        if isinstance(scheduler, Client):
            self.client = scheduler
        elif scheduler is not None:
            self.client = self._own(Client(scheduler))
        else:
            try:
                self.client = default_client()
            except ValueError:
                cluster = LocalCluster(threads_per_worker=1, dashboard_address=":0")
                self.client = self._own(Client(self._own(cluster)))
        self._scratch: Path | None = None

    def _own(self, thing: Any) -> Any:
        self._owned.append(thing)
        return thing

    def __exit__(self, *error: object) -> None:
        self._blocks = []
        if self._scratch is not None:  # first: to close a cluster may be interrupted
            shutil.rmtree(self._scratch, ignore_errors=True)
        for thing in reversed(self._owned):
            thing.close()

    def start(
        self, init: Callable[[Any], tuple[Arrays, Arrays]], source: Any
    ) -> Arrays:
        """See MemoryEngine; views in memory are put into files that workers read."""
        self._scratch = Path(tempfile.mkdtemp(prefix="mvgraph-"))
        shipped = source.on_disk(self._scratch)
        blocks = slices(len(source), self.block_rows)
        homes = cycle(sorted(self.client.nthreads()) or [None])
        made = [  # as many rows on every worker: a step waits for the last of them
            self.client.submit(
                _start,
                init,
                shipped,
                rows,
                pure=False,
                workers=home,
                allow_other_workers=True,
            )
            for rows, home in zip(blocks, homes, strict=False)
        ]
        return self._reduce(made)

    def step(self, f: Callable[[Arrays], tuple[Arrays, Arrays]]) -> Arrays:
        """See MemoryEngine."""
        return self._reduce(self._map(f))

    def gather(self, f: Callable[[Arrays], Arrays]) -> Arrays:
        """See MemoryEngine."""
        parts = self.client.gather(self._map(f))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _map(self, f: Callable[[Arrays], Any]) -> list[Any]:
        return [
            self.client.submit(_on_block, f, pair, pure=False) for pair in self._blocks
        ]

    def _reduce(self, made: list[Any]) -> Arrays:
        """Keep pairs of block and sums on the workers, add the sums as a tree."""
        self._blocks = made
        sums = [self.client.submit(_sums, pair, pure=False) for pair in made]
        while len(sums) > 1:
            sums = [
                self.client.submit(_add_all, *sums[i : i + SUMS_PER_TASK], pure=False)
                for i in range(0, len(sums), SUMS_PER_TASK)
            ]
        return sums[0].result()


def _start(init, source, rows: slice):
    return init(source.read(rows))


def _add_all(*sums):
    return reduce(add, sums)


def _on_block(f, pair):
    return f(pair[0])


def _sums(pair):
    return pair[1]
