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
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.blocks import slices
from mvgraph.engines.memory import Arrays, MemoryEngine, add

__all__ = ["DistributedEngine"]


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
        for thing in reversed(self._owned):
            thing.close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def start(
        self, init: Callable[[Any], tuple[Arrays, Arrays]], source: Any
    ) -> Arrays:
        """See MemoryEngine; views in memory are put into files that workers read."""
        self._scratch = Path(tempfile.mkdtemp(prefix="mvgraph-"))
        shipped = source.on_disk(self._scratch)
        made = [
            self.client.submit(_start, init, shipped, rows, pure=False)
            for rows in slices(len(source), self.block_rows)
        ]
        return self._reduce(made)

    def step(self, f: Callable[[Arrays], tuple[Arrays, Arrays]]) -> Arrays:
        """See MemoryEngine."""
        return self._reduce(
            [self.client.submit(f, block, pure=False) for block in self._blocks]
        )

    def gather(self, f: Callable[[Arrays], Arrays]) -> Arrays:
        """See MemoryEngine."""
        parts = self.client.gather(
            [self.client.submit(f, block, pure=False) for block in self._blocks]
        )
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def _reduce(self, made: list[Any]) -> Arrays:
        """Split (block, sums), keep the blocks on the workers, add sums as a tree."""
        self._blocks = [self.client.submit(_item, pair, 0, pure=False) for pair in made]
        sums = [self.client.submit(_item, pair, 1, pure=False) for pair in made]
        while len(sums) > 1:
            pairs = [sums[i : i + 2] for i in range(0, len(sums), 2)]
            sums = [
                self.client.submit(add, *pair, pure=False)
                if len(pair) == 2
                else pair[0]
                for pair in pairs
            ]
        return sums[0].result()


def _start(init, source, rows: slice):
    return init(source.read(rows))


def _item(pair, i: int):
    return pair[i]
