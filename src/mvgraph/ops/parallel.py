"""Functions over blocks of rows on several threads, with results in order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, lru_cache
from itertools import islice
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Returned = TypeVar("Returned")


def n_cores() -> int:
    """Return the number of cores that this process may use, on any system."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def n_threads(share: int | None = None) -> int:
    """Return the number of cores, or of a share of them, at most OMP_NUM_THREADS."""
    available = n_cores() if share is None else max(share, 1)
    # OpenMP allows a list, for nested loops: the first number counts
    bound = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    most = int(bound) if bound.isdigit() and int(bound) > 0 else available
    return min(available, most)


#: Signals that a terminal sends to all its processes, where the system has them.
OF_TERMINAL = {s for s in signal.Signals if s.name in ("SIGINT", "SIGHUP")}


@contextmanager
def delayed(*signals: signal.Signals) -> Iterator[None]:
    """Let signals arrive after the block, and never at what it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Limited:
    """Calls that run with one BLAS thread; the first sets this limit."""

    def __init__(self) -> None:
        self.lock, self.calls = threading.Lock(), 0
        self.limits: Any = None


_limited = _Limited()


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Find the libraries that have threads, again after imports, which load others.

    It reads the map of the memory of this process, which takes as long as a small fit.
    """
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run BLAS on one thread, even if several threads of this process ask for it.

    With several, the rounding of products depends on their number, and blocks of rows
    are processed at the same time anyway.
    """
    with _limited.lock:
        if _limited.calls == 0:
            libraries = _libraries(len(sys.modules))
            _limited.limits = libraries.limit(limits=1, user_api="blas")
        _limited.calls += 1
    try:
        yield
    finally:
        with _limited.lock:
            _limited.calls -= 1
            if _limited.calls == 0 and _limited.limits is not None:
                _limited.limits.restore_original_limits()


def slices(n_rows: int, size: int) -> list[slice]:
    """Cut rows into consecutive slices, independent of the number of workers."""
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


class _Thread(threading.local):
    is_worker = False


_thread = _Thread()


def _mark_as_worker() -> None:
    _thread.is_worker = True


@cache  # starting threads takes longer than many blocks
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "mvgraph", _mark_as_worker)


if hasattr(os, "register_at_fork"):  # a child has the pools but not their threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def ordered(
    f: Callable[[Item], Returned], items: Iterable[Item], max_threads: int | None = None
) -> Iterator[Returned]:
    """Yield f(item) for every item in order, computed a few items ahead on threads.

    Parameters
    ----------
    f : callable
    items : iterable
    max_threads : int, optional
        Default: :func:`n_threads`, which is the limit in any case.

    Notes
    -----
    On a thread of the pool the items are processed one after the other: the other
    threads are busy, and waiting for them would be a deadlock.
    """
    threads = n_threads() if max_threads is None else min(max_threads, n_threads())
    if threads == 1 or _thread.is_worker:
        yield from map(f, items)
        return
    source, pool = iter(items), _pool(threads)
    ahead = [pool.submit(f, item) for item in islice(source, 2 * threads)]
    try:
        while ahead:
            done = ahead.pop(0).result()
            ahead += [pool.submit(f, item) for item in islice(source, 1)]
            yield done
    finally:  # after an error or Ctrl-C, wait only for jobs that have started
        wait([job for job in ahead if not job.cancel()])


def map_rows(
    f: Callable[[slice], Returned],
    n_rows: int,
    size: int = 1024,
    progress: Callable[[], None] | None = None,
) -> list[Returned]:
    """Return f(rows) for consecutive slices of rows, in order.

    Parameters
    ----------
    f : callable
    n_rows : int
    size : int, default=1024
        Rows per slice.
    progress : callable, optional
        Called after every slice.
    """
    parts = slices(n_rows, size)
    results = []
    for result in map(f, parts) if len(parts) == 1 else ordered(f, parts):
        results.append(result)
        if progress is not None:
            progress()
    return results
