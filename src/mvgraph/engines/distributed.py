"""Rows on workers: blocks are dask futures, and only sums are sent.

The only file that imports dask.

Every step is a pure function of the previous block, so that dask can recompute the
blocks of a lost worker. For the same reason small arrays are passed to functions as
arguments and not scattered.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import reduce
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mvgraph.engines.memory import Arrays, Gather, Init, MemoryEngine, Step, add
from mvgraph.ops.parallel import slices

__all__ = ["DistributedEngine"]

#: Sums added per task; more of them make the tree of additions less deep.
SUMS_PER_TASK = 8
Opened = TypeVar("Opened")


class DistributedEngine(MemoryEngine):
    """Keep the blocks of all rows on the workers of a dask cluster.

    Parameters
    ----------
    scheduler : str, Client or None, default=None
        Address such as ``tcp://host:8786``, a client, or None: the current client, or
        else a local cluster of processes that is closed after the fit.
    block_rows : int, default=65536
        Rows per block. The sums of blocks are added in a fixed tree.

    Raises
    ------
    ImportError
        If the extra ``dask`` is not installed.
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

    def _own(self, opened: Opened) -> Opened:
        """Close a client or cluster at the end."""
        self._owned.append(opened)
        return opened

    def __exit__(self, *error: object) -> None:
        self._blocks = []
        if self._scratch is not None:  # first: closing a cluster may be interrupted
            shutil.rmtree(self._scratch, ignore_errors=True)
        for opened in reversed(self._owned):
            opened.close()

    def start(self, init: Init, source: Any) -> Arrays:
        """See MemoryEngine; views in memory are written to files for the workers."""
        self._scratch = Path(tempfile.mkdtemp(prefix="mvgraph-"))
        shipped = source.on_disk(self._scratch)
        blocks = slices(len(source), self.block_rows)
        workers = cycle(sorted(self.client.nthreads()) or [None])
        made = [  # equal numbers of rows per worker: a step waits for the slowest
            self.client.submit(
                _start,
                init,
                shipped,
                rows,
                pure=False,
                workers=worker,
                allow_other_workers=True,
            )
            for rows, worker in zip(blocks, workers, strict=False)
        ]
        return self._reduce(made)

    def step(self, f: Step) -> Arrays:
        """See MemoryEngine."""
        return self._reduce(self._map(f))

    def gather(self, f: Gather) -> Arrays:
        """See MemoryEngine."""
        parts = self.client.gather(self._map(f))
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _map(self, f: Callable[[Arrays], Any]) -> list[Any]:
        return [
            self.client.submit(_on_block, f, pair, pure=False) for pair in self._blocks
        ]

    def _reduce(self, made: list[Any]) -> Arrays:
        """Keep pairs of block and sums on the workers; add the sums in a tree."""
        self._blocks = made
        sums = [self.client.submit(_sums, pair, pure=False) for pair in made]
        while len(sums) > 1:
            sums = [
                self.client.submit(_add_all, *sums[i : i + SUMS_PER_TASK], pure=False)
                for i in range(0, len(sums), SUMS_PER_TASK)
            ]
        total: Arrays = sums[0].result()
        return total


def _start(init: Init, source: Any, rows: slice) -> tuple[Arrays, Arrays]:
    return init(source.read(rows))


def _add_all(*sums: Arrays) -> Arrays:
    return reduce(add, sums)


def _on_block(f: Callable[[Arrays], Any], pair: tuple[Arrays, Arrays]) -> Any:
    return f(pair[0])


def _sums(pair: tuple[Arrays, Arrays]) -> Arrays:
    return pair[1]
