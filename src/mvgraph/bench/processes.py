"""The processes of trials: one each, forked from a server that has imported all."""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mvgraph.bench.records import Record
from mvgraph.bench.trial import Trial

__all__ = ["Job", "bounded", "context", "end", "receive", "start", "start_server"]

THREAD_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")
SERVER = "forkserver"


@dataclass
class Job:
    """A running trial."""

    trial: Trial
    key: str
    process: Any
    pipe: Any
    deadline: float


def context() -> Any:
    """Return a context that forks from a server process, if the system has one.

    The server has imported everything and runs no threads: a trial starts at once.
    """
    if SERVER not in mp.get_all_start_methods():
        return mp.get_context("spawn")
    found = mp.get_context(SERVER)
    found.set_forkserver_preload(["mvgraph.bench._preload"])
    return found


def start_server() -> None:
    """Start the server of the forks, so that it and all trials ignore Ctrl-C.

    A terminal sends SIGINT to every process of the group. Python keeps a signal
    ignored that was so at its start, and children inherit it: without this, each of
    them prints a traceback, the server while it still imports. This process ends them.
    """
    at_hand = threading.current_thread() is threading.main_thread()  # may set signals
    if SERVER not in mp.get_all_start_methods() or not at_hand:
        return
    from multiprocessing import forkserver, resource_tracker

    resource_tracker.ensure_running()  # first: its start unblocks the signal
    with _held_back(signal.SIGINT):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            forkserver.ensure_running()
        finally:
            signal.signal(signal.SIGINT, before)
    # The first process waits until the server has imported everything. In a thread, so
    # that a Ctrl-C need not wait for it.
    first = threading.Thread(target=_start_one, daemon=True)
    first.start()
    first.join()


def _start_one() -> None:
    process = context().Process(target=int, daemon=True)
    process.start()
    process.join()


@contextmanager
def _held_back(*signals: signal.Signals) -> Iterator[None]:
    """Let signals come late, after the block; not never."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(
    found: Any,
    target: Callable[..., None],
    trial: Trial,
    key: str,
    limit: float,
    *rest: Any,
) -> Job:
    """Start a process for a trial; ``target`` gets a pipe, the trial and the rest."""
    mine, theirs = found.Pipe()
    process = found.Process(target=target, args=(theirs, trial, *rest), daemon=True)
    # A process of which the description was sent by half ends with a traceback.
    with _held_back(signal.SIGINT, signal.SIGTERM):
        process.start()
    theirs.close()
    return Job(trial, key, process, mine, time.monotonic() + limit)


def receive(job: Job) -> Record:
    """Return what a trial sent, or how its process ended."""
    try:
        record: Record = job.pipe.recv()
    except (EOFError, OSError):
        job.process.join(5)
        code = job.process.exitcode
        died = f"by signal {-code}" if code is not None and code < 0 else f"({code})"
        hint = "; killed for memory?" if code == -9 else ""
        return {"status": "skipped", "reason": f"the process ended {died}{hint}"}
    return record


def end(job: Job) -> None:
    """End the process of a trial, whatever it does."""
    job.pipe.close()
    job.process.join(0.5)
    if job.process.is_alive():
        job.process.kill()
        job.process.join()


@contextmanager
def bounded(threads: int) -> Iterator[None]:
    """Limit the threads of processes that are started inside the block."""
    names = [f"{name}_NUM_THREADS" for name in THREAD_LIBRARIES]
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, str(threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
