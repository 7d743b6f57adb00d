"""Rows on workers: blocks are dask futures, and only sums are sent.

The only file that imports dask.

Every step is a pure function of the previous block, so that dask can recompute the
blocks of a lost worker. For the same reason arrays are passed to functions as arguments
and not scattered. What every block needs (a model, the views in files) is the result of
one task, so that it is sent once and not with every block. Rows of dask arrays are
never sent: functions run where the rows are.
"""

from __future__ import annotations

import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import cycle
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from mvgraph.engines import workers
from mvgraph.engines.memory import Arrays, Gather, Init, Map, MemoryEngine, Step, join
from mvgraph.engines.workers import LocalWorkers
from mvgraph.ops.parallel import slices
from mvgraph.ops.wording import extra
from mvgraph.persistence.scratch import Scratch

#: Sums added per task; larger values make the tree of additions less deep.
SUMS_PER_TASK = 8
#: Seconds to wait for the first worker of a cluster.
WAIT_FOR_WORKERS = 30
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

    in_memory = False

    def __init__(self, scheduler: Any = None, block_rows: int = 65536) -> None:
        super().__init__(block_rows)
        with extra("The distributed engine", "dask", "dask"):
            from distributed import Client, default_client
        self._scratch = Scratch()
        self._owned: list[Any] = []
        self._blocks: list[Any] = []
        if isinstance(scheduler, Client):
            self.client = scheduler
        elif scheduler is not None:
            self.client = _current_client(scheduler) or self._own(Client(scheduler))
        else:
            try:
                self.client = default_client()
            except ValueError:
                self.client = self._start_workers()

    def _start_workers(self) -> Any:
        from dask import config
        from distributed import Client, LocalCluster

        folder = self._scratch.make()
        try:
            local = self._own(LocalWorkers(folder, LocalCluster, config.set))
            return self._own(Client(local.cluster))
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def _own(self, opened: Opened) -> Opened:
        """Close a client or cluster at the end."""
        self._owned.append(opened)
        return opened

    def __exit__(self, *error: object) -> None:
        self._blocks = []
        try:
            while self._owned:
                opened = self._owned.pop()
                if error and error[0] is KeyboardInterrupt:
                    with suppress(Exception):
                        opened.close(timeout=0.5)
                else:
                    opened.close()
        finally:
            self._scratch.remove()

    def map(self, f: Map, source: Any) -> Iterator[Any]:
        """See MemoryEngine; rows of dask arrays are read on their workers."""
        if source.on_workers() is not None:
            blocks = _tasks(lazy_rows(f, source, np.dtype(object)))
            futures = deque(self.client.compute(blocks))
        else:
            shared = self._shared(f, source)
            futures = deque(
                self._submit(workers.read_and_run, shared, rows)
                for rows in source.slices(self.block_rows)
            )
        while futures:  # results that were read need not be kept
            yield futures.popleft().result()

    def start(self, init: Init, source: Any) -> Arrays:
        """See MemoryEngine; views in memory are written to files for the workers."""
        f = partial(workers.start, init)
        arrays = source.on_workers(self.block_rows)
        if arrays is not None:
            blocks = _tasks(lazy_rows(f, source, np.dtype(object), arrays=arrays))
            return self._reduce(self.client.compute(blocks))
        shared = self._shared(f, source)
        places = cycle(self._workers())
        submit = partial(self._submit, workers.read_and_run, shared)
        blocks = [  # equal numbers of rows per worker: a step waits for the slowest
            submit(rows, workers=next(places), allow_other_workers=True)
            for rows in slices(len(source), self.block_rows)
        ]
        return self._reduce(blocks)

    def _shared(self, f: Map, source: Any) -> Any:
        """Send a function and the views once; arrays in memory are saved to files."""
        # opened in the task: if that fails, the worker lives on
        shipped = pickle.dumps(source.on_disk(self._scratch.make()))
        return self._submit(workers.same, (f, shipped))

    def _submit(self, f: Callable[..., Any], *args: Any, **where: Any) -> Any:
        return self.client.submit(f, *args, pure=False, **where)

    def _workers(self) -> list[str]:
        try:
            self.client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
        except TimeoutError as error:
            raise ValueError(
                "The dask scheduler has no workers; start one with: dask worker ADDRESS"
            ) from error
        return sorted(self.client.nthreads())

    def step(self, f: Step) -> Arrays:
        """See MemoryEngine."""
        return self._reduce(self._map(f))

    def gather(self, f: Gather) -> Arrays:
        """See MemoryEngine."""
        return join(self.client.gather(self._map(f)))

    def _map(self, f: Callable[[Arrays], Any]) -> list[Any]:
        return [self._submit(workers.on_block, f, pair) for pair in self._blocks]

    def _reduce(self, blocks: list[Any]) -> Arrays:
        """Keep pairs of block and sums on the workers; add the sums in a tree."""
        self._blocks = blocks
        sums = [self._submit(itemgetter(1), pair) for pair in blocks]
        while len(sums) > 1:
            starts = range(0, len(sums), SUMS_PER_TASK)
            groups = [sums[i : i + SUMS_PER_TASK] for i in starts]
            sums = [self._submit(workers.add_all, *group) for group in groups]
        total: Arrays = sums[0].result()
        return total


def lazy_rows(
    f: Map,
    source: Any,
    dtype: Any,
    width: int | None = None,
    meta: Any = None,
    arrays: list[Any] | None = None,
) -> Any:
    """Return f of blocks of rows of dask arrays as a dask array.

    Parameters
    ----------
    f : callable
        From a block and the number of its first row to an array of as many rows.
    source : mvgraph.views.rows.Rows
        All of its rows are in dask arrays.
    dtype : dtype
    width : int, optional
        Columns of the result; default: it has one axis.
    meta : array or sparse matrix, optional
        Empty, of the type of the result; default: ndarray.
    arrays : list of dask arrays, optional
        The rows of the source, in other blocks.

    Returns
    -------
    dask array of shape (N,) or (N, width)
    """
    from dask import delayed

    first, *others = arrays or source.on_workers()
    rows = first.chunks[0]
    starts = np.cumsum((0, *rows[:-1]))
    shape: dict[str, Any] = {"drop_axis": 1, "chunks": (rows,)}
    if width is not None:
        shape = {"chunks": (rows, (width,))}
    if meta is None:
        meta = np.empty((0,) * (1 if width is None else 2), dtype=dtype)
    # one task, whose result is sent to every worker once
    task = delayed(workers.same)(
        delayed(workers.OnBlocks(f, source.without_rows(), starts), traverse=False)
    )
    return first.map_blocks(
        workers.run_on_block, *others, task=task, dtype=dtype, meta=meta, **shape
    )


def has_client() -> bool:
    """Return True if this process has a client of a dask cluster."""
    return _current_client() is not None


def _current_client(address: str | None = None) -> Any:
    """Return the current client, if it is one of this scheduler, or None."""
    try:
        from distributed import default_client

        client = default_client()
    except (ImportError, ValueError):
        return None
    return client if address in (None, client.scheduler.address) else None


def _tasks(lazy: Any) -> list[Any]:
    return list(lazy.to_delayed(optimize_graph=True).ravel())
