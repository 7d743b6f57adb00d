"""The command that shows what the package does: demo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import Seed, app

METHODS = ["graph-consensus", "anchor-filter", "kmeans-concat"]
REPORT = Path("report.html")
TITLE = "Demonstration on the bundled digits"


@app.command()
def demo(
    seed: Seed = 0,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no file.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Name of the report.", show_default=str(REPORT)
        ),
    ] = None,
) -> None:
    """Cluster the bundled digits with three methods, print scores, write a report."""
    from mvgraph import datasets

    target = None if no_report else _target(output)
    dataset = datasets.load("digits")
    with show.progress("digits") as tick:
        records = run_here(dataset, METHODS, seed, target is not None, tick)
    title = "Digits: {n} samples, {views} views, shuffled rows".format(**records[0])
    show.print_table(title, *show.score_cells([_row(record) for record in records]))
    if target is not None:
        from mvgraph.bench.report import write_records

        size = write_records(records, target)
        print(f"report: {target} ({size / 1e6:.1f} MB)")


def _target(output: Path | None) -> Path | None:
    """Find out before the work whether a report can be written; None: not here.

    A plain installation shows the scores without it; a name that was asked for is
    an error then.
    """
    from mvgraph.cli._log import warn
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output or REPORT, PAGES)
    try:
        from mvgraph.bench.report import check_extra

        check_extra()
    except ImportError as error:
        if output is not None:
            raise
        warn(f"no report is written: {error}")
        return None
    return output or REPORT


def _row(record: dict[str, Any]) -> dict[str, Any]:
    """Lay out a record as `evaluation.evaluate` does, for the table of scores."""
    keys = ("method", "seconds")
    return {**{key: record[key] for key in keys}, **record["scores"], "repeats": 1}


def run_here(
    dataset: Any,
    names: list[str],
    seed: int = 0,
    keep: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
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
    from threadpoolctl import threadpool_info

    from mvgraph.bench import trial as trials
    from mvgraph.bench.sets import find_sets

    sha256 = find_sets([dataset.name], None)[0].sha256
    threads = max([1, *(pool["num_threads"] for pool in threadpool_info())])
    records = []
    for done, name in enumerate(names, start=1):
        trial = trials.Trial(dataset.name, name, "default", "shuffled", seed)
        trials.warm_up(trial)
        record = {
            "key": trials.key_of(trial, sha256),
            **trial.describe(),
            "plan": TITLE,
            "data_sha256": sha256,
            "environment": trials.environment(threads),
            "status": "done",
            "shared_process": True,
            **trials.measure(trial, dataset, keep),
        }
        records.append(record)
        if progress is not None:
            progress(done, len(names))
    return records
