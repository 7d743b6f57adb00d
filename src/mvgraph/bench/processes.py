"""The processes of trials: one each, forked from a server that has imported all."""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mvgraph import methods
from mvgraph.bench.records import Record
from mvgraph.bench.states import kills_for_memory, of_death
from mvgraph.bench.trial import BEGUN, Trial, serve
from mvgraph.ops.parallel import OF_TERMINAL, delayed
from mvgraph.persistence.scratch import folder_of_process

THREAD_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
SERVER = "forkserver"
#: Seconds before the clock of a trial starts, over its limit: compiling takes up to 9 s
#: alone and some 15 times that where many trials compile at once; more is a hang.
PREPARATION = 120.0
#: Loaded by the server before the methods, which it loads too.
PRELOAD = (
    "mvgraph.bench.trial",
    "mvgraph.views.container",
    "mvgraph.ops.kernels.distance",
)


@dataclass
class Job:
    """A running trial."""

    trial: Trial
    key: str
    process: Any
    pipe: Any
    limit: float
    deadline: float
    kills: int | None  # `kills_for_memory` at the start
    begun: bool = False  # the clock runs: all is compiled and read


def context() -> Any:
    """Return a context that forks from a server process, if the system has one.

    The server has imported everything and runs no threads: a trial starts at once.
    """
    if SERVER not in mp.get_all_start_methods():
        return mp.get_context("spawn")
    forks = mp.get_context(SERVER)
    modules = [m.estimator.partition(":")[0] for m in methods.ours().values()]
    forks.set_forkserver_preload([*PRELOAD, *modules])
    return forks


def start_server() -> None:
    """Start the server of the forks, so that it and all trials ignore the terminal.

    It sends SIGINT, or SIGHUP at its end, to every process of the group. Python leaves
    a signal ignored that was ignored when it started, and children inherit it: without
    this, each of them prints a traceback, the server while it still imports. This
    process ends them.
    """
    main = threading.current_thread() is threading.main_thread()  # may set signals
    if SERVER not in mp.get_all_start_methods() or not main:
        return
    from multiprocessing import forkserver, resource_tracker

    resource_tracker.ensure_running()  # first: its start unblocks the signals
    with delayed(*OF_TERMINAL):
        handlers = {n: signal.signal(n, signal.SIG_IGN) for n in OF_TERMINAL}
        folder, tempfile.tempdir = tempfile.tempdir, str(folder_of_process())
        try:
            forkserver.ensure_running()  # makes a socket in the temporary folder
        finally:
            tempfile.tempdir = folder
            for number, handler in handlers.items():
                signal.signal(number, handler)
    # The first process waits until the server has imported everything. In a thread, so
    # that a Ctrl-C need not wait for it.
    first = threading.Thread(target=_start_one, daemon=True)
    first.start()
    first.join()


def _start_one() -> None:
    process = context().Process(target=int, daemon=True)
    process.start()
    process.join()


def start(
    forks: Any, trial: Trial, key: str, limit: float, preparation: float, *rest: Any
) -> Job:
    """Start a process that serves a trial; the rest goes to `serve`."""
    kills = kills_for_memory()
    mine, theirs = forks.Pipe()
    process = forks.Process(target=serve, args=(theirs, trial, *rest), daemon=True)
    # A process that received only half of its description ends with a traceback.
    with delayed(*OF_TERMINAL, signal.SIGTERM):
        process.start()
    theirs.close()
    deadline = time.monotonic() + limit + preparation
    return Job(trial, key, process, mine, limit, deadline, kills)


def receive(job: Job) -> Record | None:
    """Return what a trial sent, or how its process ended; None if it begins."""
    try:
        sent = job.pipe.recv()
    except (EOFError, OSError):
        job.process.join(5)
        state, reason = of_death(job.process.exitcode, job.kills, kills_for_memory())
        return {"status": state, "reason": reason}
    if sent == BEGUN:
        job.begun, job.deadline = True, time.monotonic() + job.limit
        return None
    record: Record = sent
    return record


def end(job: Job) -> None:
    """End the process of a trial, whatever it is doing."""
    job.pipe.close()
    job.process.join(0.5)
    if job.process.is_alive():
        job.process.kill()
        job.process.join()


@contextmanager
def bounded(threads: int) -> Iterator[None]:
    """Limit the threads of processes that are started inside the block."""
    limits = {f"{name}_NUM_THREADS": str(threads) for name in THREAD_LIBRARIES}
    replaced = {name: os.environ[name] for name in limits if name in os.environ}
    os.environ.update(limits)
    try:
        yield
    finally:
        for name in limits:
            del os.environ[name]
        os.environ.update(replaced)
