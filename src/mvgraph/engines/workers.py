"""Workers of dask on this machine, and the functions that any worker runs."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable
from functools import reduce
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mvgraph.engines.memory import Arrays, Init, Map, add
from mvgraph.ops.parallel import OF_TERMINAL, delayed, one_blas_thread


class LocalWorkers:
    """A local cluster of processes, which Ctrl-C in a terminal does not reach.

    A terminal sends the signal, and SIGHUP when it is closed, to the workers too, which
    would print long tracebacks.
    The thread that starts them blocks it, and they inherit this; the caller waits.

    Parameters
    ----------
    folder : path
        For the files of dask.
    make, configure : callable
        ``LocalCluster`` and ``config.set`` of dask.
    """

    def __init__(self, folder: Path, make: Any, configure: Any) -> None:
        self.folder, self.make, self.configure = folder, make, configure
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

    @delayed(*OF_TERMINAL)
    def _start(self) -> None:
        try:
            with self.configure({"temporary-directory": str(self.folder)}):
                self.cluster = self.make(
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,  # errors are raised here
                )
            if self._unwanted.is_set():
                self.close()
        except Exception as error:
            self.error = error

    def close(self, timeout: float | None = None) -> None:
        """Close the cluster; with a timeout, kill the processes that remain."""
        try:
            self.cluster.close(timeout=timeout)
        finally:
            if timeout is not None:
                self._kill()

    def _kill(self) -> None:
        for child in set(multiprocessing.active_children()) - self._others:
            child.kill()
            child.join(1)


@delayed(*OF_TERMINAL)
def _quiet_tracker() -> None:
    """Let semaphores be removed without a warning after an interruption."""
    option = "ignore::UserWarning:multiprocessing.resource_tracker"
    sys.warnoptions.append(option)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(option)


class OnBlocks(NamedTuple):
    """A function of views and of the first row, for blocks of dask arrays."""

    f: Map
    source: Any  # without rows
    starts: np.ndarray

    def run(self, blocks: tuple[Any, ...], block: int) -> Any:
        """Return f of the block with this number."""
        first_row = int(self.starts[block])
        return self.f(self.source.build(blocks, first_row), first_row)


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
