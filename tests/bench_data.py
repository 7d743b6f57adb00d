"""Small data sets and made-up records for the tests of benchmarks and reports."""

import os
import time

import numpy as np

from data import planted
from mvgraph.metrics import SCORES


def save(path, k=3, seed=0):
    (a, b), y = planted(20 * k, k, seed=seed, rows="sorted", centres="axes")
    np.savez(path, a=a, b=b, labels=y)
    return path


def gone(group, seconds):
    """Wait until no process of a group is left."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def record(set_="msrc_v5", method="mgl", order="shuffled", seed=0, acc=0.5, **more):
    """Make a record like those of a run, without running anything."""
    base = {
        "key": repr((set_, method, order, seed, more)),
        "set": set_,
        "method": method,
        "preset": "default",
        "order": order,
        "seed": seed,
        "override": {},
        "grid": {},
        "plan": "a plan",
        "data_sha256": "ab" * 32,
        "environment": {"mvgraph": "0.1.0", "python": "3.11", "threads": 1},
        "status": "done",
        "n": 60,
        "k": 3,
        "views": 2,
        "scores": dict.fromkeys(SCORES, acc),
        "seconds": 0.5,
        "peak_mb": 100.0,
        "components": 3,
        "params": {},
    }
    return base | more


def some_records():
    """Make records with every kind of content of a report."""
    out = []
    for s in ("msrc_v5", "handwritten4", "third"):
        for i, method in enumerate(["graph-consensus", "mgl", "sfmc", "kmeans-concat"]):
            for seed in range(2):
                for order in ("shuffled", "published"):
                    acc = 0.9 - 0.1 * i + 0.01 * seed
                    out.append(record(s, method, order, seed, acc, seconds=0.1 + i))
        out.append(record(s, "mgl", "published", 0, 0.93, preset="paper"))
        out.append(record(s, "mgl", "shuffled", 0, 0.17, preset="paper"))
    out += [record(acc=p, grid={"p": p}) for p in (0.1, 0.5, 1.0)]
    out.append(record(method="mlan", order="published", acc=0.681))
    out += [record(f"ambiguous:{n}", "sfmc", n=n, seconds=n / 1e3) for n in (10, 100)]
    out.append(record(method="csmsc", status="failed", reason="out of time"))
    missing = record("lost", status="skipped", reason="data set not found")
    return [*out, missing | {"method": None}]
