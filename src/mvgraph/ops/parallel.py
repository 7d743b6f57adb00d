"""Blocks of rows, worked on by threads, with results in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import islice
from typing import Any

__all__ = ["map_rows", "n_threads", "ordered", "slices"]


def n_threads() -> int:
    """Return the processors of this process, bounded by OMP_NUM_THREADS."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    bound = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available, int(bound) if bound.isdigit() else available))


def slices(n_rows: int, size: int) -> list[slice]:
    """Cut rows into consecutive slices; they never depend on the workers."""
    return [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]


_here = threading.local()


def _enter() -> None:
    _here.works = True


@cache  # to start threads takes longer than many a block
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "mvgraph", _enter)


if hasattr(os, "register_at_fork"):  # a child has the pools but not their threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def ordered(
    f: Callable[[Any], Any], items: Iterable[Any], most: int | None = None
) -> Iterator[Any]:
    """Yield f of every item in order, a few items ahead on threads, at most so many.

    On one of these threads itself, items are worked on one after the other: the others
    are busy, and to wait for them would never end.
    """
    threads = n_threads() if most is None else min(most, n_threads())
    if threads == 1 or getattr(_here, "works", False):
        yield from map(f, items)
        return
    source, pool = iter(items), _pool(threads)
    ahead = [pool.submit(f, item) for item in islice(source, 2 * threads)]
    try:
        while ahead:
            done = ahead.pop(0).result()
            ahead += [pool.submit(f, item) for item in islice(source, 1)]
            yield done
    finally:  # after an error or Ctrl-C only what runs already is waited for
        wait([job for job in ahead if not job.cancel()])


def map_rows(
    f: Callable[[slice], Any],
    n_rows: int,
    size: int = 1024,
    tick: Callable[[], None] | None = None,
) -> list[Any]:
    """Call f on consecutive row slices, in order; tick after each of them."""
    parts = slices(n_rows, size)
    results = []
    for result in map(f, parts) if len(parts) == 1 else ordered(f, parts):
        results.append(result)
        if tick is not None:
            tick()
    return results
