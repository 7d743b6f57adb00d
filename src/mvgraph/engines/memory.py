"""Rows in memory: map a function over blocks of rows with threads, in order."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["map_rows", "n_threads"]


def n_threads() -> int:
    """Return the processors of this process, bounded by OMP_NUM_THREADS."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    bound = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(available, int(bound) if bound.isdigit() else available))


def map_rows(f: Callable[[slice], Any], n_rows: int, size: int = 1024) -> list[Any]:
    """Call f on consecutive row slices and return the results in order.

    The slices depend on ``size`` only, never on the number of threads.
    """
    slices = [slice(i, min(i + size, n_rows)) for i in range(0, n_rows, size)]
    if len(slices) == 1 or n_threads() == 1:
        return [f(s) for s in slices]
    with ThreadPoolExecutor(n_threads()) as pool:
        return list(pool.map(f, slices))
