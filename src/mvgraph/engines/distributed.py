"""Rows on workers: blocks are dask futures, and only sums are sent.

The only file that imports dask.

Every step is a pure function of the previous block, so that dask can recompute the
blocks of a lost worker. For the same reason small arrays are passed to functions as
arguments and not scattered.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from itertools import cycle
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mvgraph.engines.chunked import scratch_folder
from mvgraph.engines.memory import Arrays, Gather, Init, MemoryEngine, Step, add
from mvgraph.ops.parallel import slices

__all__ = ["DistributedEngine"]

#: Sums added per task; more of them make the tree of additions less deep.
SUMS_PER_TASK = 8
#: Seconds until a cluster without workers is given up.
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

    def __init__(self, scheduler: Any = None, block_rows: int = 65536) -> None:
        super().__init__(block_rows)
        try:
            from distributed import Client, default_client
        except ImportError as error:
            raise ImportError(
                "The distributed engine needs dask: pip install 'mvgraph[dask]'."
            ) from error
        self._scratch = scratch_folder()
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
                self.client = self._start_workers()

    def _start_workers(self) -> Any:
        from distributed import Client

        self._scratch.mkdir(0o700)
        try:
            local = self._own(_LocalWorkers(self._scratch))
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
            shutil.rmtree(self._scratch, ignore_errors=True)

    def start(self, init: Init, source: Any) -> Arrays:
        """See MemoryEngine; views in memory are written to files for the workers."""
        self._scratch.mkdir(0o700, exist_ok=True)
        # opened in the task: where opening it fails, a worker lives on
        shipped = pickle.dumps(source.on_disk(self._scratch))
        blocks = slices(len(source), self.block_rows)
        workers = cycle(self._workers())
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

    def _workers(self) -> list[str]:
        try:
            self.client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
        except TimeoutError as error:
            raise ValueError(
                "The dask scheduler has no worker; start one: dask worker ADDRESS"
            ) from error
        return sorted(self.client.nthreads())

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


class _LocalWorkers:
    """A local cluster of processes, which Ctrl-C in a terminal does not reach.

    A terminal sends the signal to the workers too, which would tell of it at length. It
    is blocked in a thread that starts them, and so in them; this thread waits.

    Parameters
    ----------
    folder : path
        For the files of dask.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster: Any = None
        self.error: Exception | None = None
        self._others = set(multiprocessing.active_children())
        self._unwanted = threading.Event()
        _quiet_tracker()
        thread = threading.Thread(target=self._start, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except BaseException:
            self._unwanted.set()
            self._kill()
            raise
        if self.error is not None:
            raise self.error

    def _start(self) -> None:
        from dask import config
        from distributed import LocalCluster

        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with config.set({"temporary-directory": str(self.folder)}):
                self.cluster = LocalCluster(
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,  # errors are raised here
                )
            if self._unwanted.is_set():
                self.close()
        except Exception as error:
            self.error = error

    def close(self, timeout: float | None = None) -> None:
        """Close the cluster; with a timeout, end what is left by force."""
        try:
            self.cluster.close(timeout=timeout)
        finally:
            if timeout is not None:
                self._kill()

    def _kill(self) -> None:
        for child in set(multiprocessing.active_children()) - self._others:
            child.kill()
            child.join(1)


def _quiet_tracker() -> None:
    """Let semaphores be removed in silence after an interruption."""
    option = "ignore::UserWarning:multiprocessing.resource_tracker"
    sys.warnoptions.append(option)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(option)


def _start(init: Init, source: bytes, rows: slice) -> tuple[Arrays, Arrays]:
    return init(pickle.loads(source).read(rows))


def _add_all(*sums: Arrays) -> Arrays:
    return reduce(add, sums)


def _on_block(f: Callable[[Arrays], Any], pair: tuple[Arrays, Arrays]) -> Any:
    return f(pair[0])


def _sums(pair: tuple[Arrays, Arrays]) -> Arrays:
    return pair[1]
