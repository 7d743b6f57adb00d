"""A small benchmark in this process, for the demonstration on the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from threadpoolctl import threadpool_info

from mvgraph.bench.own_code import code_sha256
from mvgraph.bench.records import Record, key_of
from mvgraph.bench.sets import find_sets
from mvgraph.bench.trial import Trial, environment, measure, warm_up

__all__ = ["run_here"]

TITLE = "Demonstration on the bundled digits"


def run_here(
    dataset: Any,
    names: list[str],
    seed: int = 0,
    keep: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[Record]:
    """Fit methods one after the other on a built-in set, and return their records.

    Other than in a benchmark the trials share this process, so that the report needs
    no second run; peaks of memory include what earlier fits left behind.

    Parameters
    ----------
    dataset : Dataset
        A built-in set, with labels.
    names : list of str
        Methods, with default settings, on the same shuffled rows.
    seed : int
    keep : bool
        Keep the data of the report's pictures.
    progress : callable, optional
        Called with (methods done, methods).

    Returns
    -------
    list of dict
        As `mvgraph.bench.records.read` returns them.
    """
    sha256 = find_sets([dataset.name], None)[0].sha256
    threads = max([1, *(pool["num_threads"] for pool in threadpool_info())])
    records = []
    for done, name in enumerate(names, start=1):
        trial = Trial(dataset.name, name, "default", "shuffled", seed)
        warm_up(trial)
        code = code_sha256(name)
        record = {
            "key": key_of(trial, sha256, code),
            **trial.describe(),
            "plan": TITLE,
            "data_sha256": sha256,
            "code_sha256": code,
            "environment": environment(threads),
            "status": "done",
            "shared_process": True,
            **measure(trial, dataset, keep),
        }
        records.append(record)
        if progress is not None:
            progress(done, len(names))
    return records
