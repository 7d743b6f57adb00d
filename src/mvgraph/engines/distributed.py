"""Rows on workers: blocks are dask futures, and only sums are sent.

The only file that imports dask.

Every step is a pure function of the previous block, so that dask can recompute the
blocks of a lost worker. For the same reason arrays are passed to functions as arguments
and not scattered. What every block needs (a model, the views in files) is the result of
one task, so that it is sent once and not with every block. Rows of dask arrays are
never sent: functions run where they lie.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mvgraph.engines.memory import Arrays, Gather, Init, Map, MemoryEngine, Step, add
from mvgraph.ops.parallel import one_blas_thread, slices

__all__ = ["DistributedEngine", "has_client", "lazy_rows"]

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
            self.client = _current_client(scheduler) or self._own(Client(scheduler))
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

    def map(self, f: Map, source: Any) -> Iterator[Any]:
        """See MemoryEngine; rows of dask arrays are read where they lie."""
        if source.on_workers() is not None:
            tasks = _tasks(lazy_rows(f, source, np.dtype(object)))
            futures = deque(self.client.compute(tasks))
        else:
            shared = self._shared(f, source)
            futures = deque(
                self.client.submit(_read_and_run, shared, rows, pure=False)
                for rows in source.slices(self.block_rows)
            )
        while futures:  # results that were read need not be kept
            yield futures.popleft().result()

    def start(self, init: Init, source: Any) -> Arrays:
        """See MemoryEngine; views in memory are written to files for the workers."""
        f = partial(_start, init)
        arrays = source.on_workers(self.block_rows)
        if arrays is not None:
            blocks = _tasks(lazy_rows(f, source, np.dtype(object), arrays=arrays))
            return self._reduce(self.client.compute(blocks))
        shared = self._shared(f, source)
        workers = cycle(sorted(self.client.nthreads()) or [None])
        made = [  # equal numbers of rows per worker: a step waits for the slowest
            self.client.submit(
                _read_and_run,
                shared,
                rows,
                pure=False,
                workers=worker,
                allow_other_workers=True,
            )
            for rows, worker in zip(
                slices(len(source), self.block_rows), workers, strict=False
            )
        ]
        return self._reduce(made)

    def _shared(self, f: Map, source: Any) -> Any:
        """Send a function and the views once; arrays in memory are saved to files."""
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="mvgraph-"))
        shipped = source.on_disk(self._scratch)
        return self.client.submit(_same, (f, shipped), pure=False)

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


class _OnBlocks(NamedTuple):
    """A function of views and of the first row, for blocks of dask arrays."""

    f: Map
    source: Any  # without rows
    starts: np.ndarray

    def run(self, blocks: tuple[Any, ...], block: int) -> Any:
        """Return f of the block with this number."""
        return self.f(self.source.build(blocks), int(self.starts[block]))


def lazy_rows(
    f: Map,
    source: Any,
    dtype: Any,
    width: int | None = None,
    meta: Any = None,
    arrays: list[Any] | None = None,
) -> Any:
    """Return f of blocks of rows that lie in dask arrays, computed when it is read.

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
    task = delayed(_same)(
        delayed(_OnBlocks(f, source.without_rows(), starts), traverse=False)
    )
    return first.map_blocks(
        _run_on_block, *others, task=task, dtype=dtype, meta=meta, **shape
    )


def has_client() -> bool:
    """Tell whether there is a client of a dask cluster in this process."""
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


def _same(x: Any) -> Any:
    return x


def _run_on_block(*blocks: Any, task: _OnBlocks, block_id: tuple[int, ...]) -> Any:
    with one_blas_thread():
        return task.run(blocks, block_id[0])


def _start(init: Init, block: Any, first_row: int) -> tuple[Arrays, Arrays]:
    return init(block)


def _read_and_run(shared: tuple[Map, Any], rows: slice) -> Any:
    f, source = shared
    with one_blas_thread():
        return f(source.read(rows), rows.start)


def _add_all(*sums: Arrays) -> Arrays:
    return reduce(add, sums)


def _on_block(f: Callable[[Arrays], Any], pair: tuple[Arrays, Arrays]) -> Any:
    with one_blas_thread():
        return f(pair[0])


def _sums(pair: tuple[Arrays, Arrays]) -> Arrays:
    return pair[1]
