"""Forecasts of memory beside what fits take, on ten shapes.

    python benchmarks/forecast.py [--method graph-consensus] [--limit] [-o out.jsonl]

Every fit runs in a process of its own. ``peak`` is the largest private memory of the
process (RssAnon, interpreter and views included); a small fit comes first, so that
kernels are loaded. State the threads by OMP_NUM_THREADS.

With ``--limit``, seven tenths of the least limit must be refused (``refused_s``), and
the fit runs with exactly the least limit, which is the forecast; the methods are then
graph-consensus, anchor-filter, anchor-filter-chunked and choose-k.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from mvgraph import AnchorFilter, ChooseK, GraphConsensus

K = 5
#: Name, rows, features of every view, stored values per row and view (None: dense).
SHAPES = {
    "small": (2_000, (50, 50, 50), None),
    "one view": (4_000, (200,), None),
    "wide": (1_000, (10_000, 10_000), None),
    "square": (3_000, (2_000, 2_000), None),
    "fifty views": (1_000, (20,) * 50, None),
    "tall": (50_000, (30, 30, 30), None),
    "taller": (200_000, (30, 30), None),
    "sparse": (3_000, (20_000, 20_000), 60),
    "sparse, tall": (50_000, (20_000, 20_000), 40),
    "sparse, a million columns": (120, (1_000_000,) * 3, 2_000),
}


def make(n: int, features: tuple[int, ...], stored: int | None) -> list:
    """Return views with five clusters."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, K, n)
    if stored is None:
        return [
            rng.normal(size=(K, d))[truth] + rng.normal(size=(n, d)) for d in features
        ]
    views = []
    for d in features:
        own = truth.repeat(stored) * (d // K) + rng.integers(0, d // K, n * stored)
        any_column = rng.integers(0, d, n * stored)
        columns = np.where(rng.random(n * stored) < 0.6, own, any_column)
        rows = np.arange(n).repeat(stored)
        views.append(
            sp.csr_matrix((np.ones(n * stored), (rows, columns)), shape=(n, d))
        )
    return views


def one(name: str, method: str, queue: multiprocessing.Queue) -> None:
    """Forecast and fit one shape."""
    from mvgraph import estimate, methods
    from mvgraph.ops.memory import PeakMemory, private_mb

    methods.get(method).make(K, random_state=0).fit(make(300, (8, 8), None))
    before = private_mb() * 2**20 / 1e6
    views = make(*SHAPES[name])
    start = time.perf_counter()
    forecast = estimate(views, method, K)
    took = time.perf_counter() - start
    with PeakMemory() as memory:
        methods.get(method).make(K, random_state=0).fit(views)
    peak = forecast["bytes"]["peak"] / 1e6
    queue.put(
        {
            "shape": name,
            "method": method,
            "before_mb": round(before),
            "forecast_mb": round(peak),
            "peak_mb": round(memory.peak_mb * 2**20 / 1e6),
            "forecast_took": round(took, 2),
        }
    )


#: What takes a limit of memory.
LIMITED = {
    "graph-consensus": lambda **own: GraphConsensus(K, random_state=0, **own),
    "anchor-filter": lambda **own: AnchorFilter(K, random_state=0, **own),
    "anchor-filter-chunked": lambda **own: AnchorFilter(
        K, engine="chunked", random_state=0, **own
    ),
    "choose-k": lambda **own: ChooseK(range(2, 9), random_state=0, **own),
}


def refused(name: str, views: list, limit: int) -> tuple[float, int]:
    """Return the seconds of a refusal, and the limit that it advises."""
    start = time.perf_counter()
    try:
        LIMITED[name](memory_limit=limit).fit(views)
    except MemoryError as error:
        advised = re.search(r"allow at least (\d+) bytes", str(error))
        return time.perf_counter() - start, int(advised[1])
    raise RuntimeError(f"{name} is not refused with {limit} bytes")


def within(name: str, method: str, queue: multiprocessing.Queue) -> None:
    """Fit one shape within the least limit."""
    from mvgraph.ops.memory import PeakMemory

    warnings.simplefilter("ignore")
    LIMITED[method]().fit(make(300, (8, 8), None))
    views = make(*SHAPES[name])
    _, least = refused(method, views, 1)
    seconds, _ = refused(method, views, 7 * least // 10)
    with PeakMemory() as memory:
        LIMITED[method](memory_limit=least).fit(views)
    queue.put(
        {
            "shape": name,
            "method": method,
            "forecast_mb": round(least / 1e6),
            "peak_mb": round(memory.peak_mb * 2**20 / 1e6),
            "refused_s": round(seconds, 2),
        }
    )


def main() -> None:
    """Print one line per shape, with the ratios of forecast and measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", default="graph-consensus")
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES))
    parser.add_argument("--limit", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    run = within if args.limit else one
    context = multiprocessing.get_context("spawn")
    for name in args.shapes:
        queue = context.Queue()
        process = context.Process(target=run, args=(name, args.method, queue))
        process.start()
        row = queue.get()
        process.join()
        row["memory_ratio"] = round(row["forecast_mb"] / row["peak_mb"], 2)
        print(json.dumps(row), flush=True)
        if args.output:
            with args.output.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
