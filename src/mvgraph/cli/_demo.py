"""What the library does, on the digits that come with it: demo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import Seed, app
from mvgraph.cli._bench import PAGE as REPORT
from mvgraph.cli._clusters import tell_levels
from mvgraph.cli._page import PAGE, make_page

METHODS = ["graph-consensus", "anchor-filter", "kmeans-concat"]


@app.command()
def demo(
    seed: Seed = 0,
    no_report: bool = False,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Name of the page.", show_default=str(PAGE)),
    ] = None,
) -> None:
    """Show the clusters of the bundled digits on a page; then compare three methods.

    The comparison is printed, and written as report.html next to the page.

    Parameters
    ----------
    no_report
        Write no file, only print scores.
    """
    from mvgraph import GraphConsensus, datasets

    targets = None if no_report else _targets(output)
    dataset = datasets.load("digits")
    if targets is not None:
        with show.progress("digits"):
            model = GraphConsensus(random_state=seed).fit(dataset.views)
        tell_levels(model)
        size = make_page(model, dataset, targets[0], "digits")
        show.print_line(
            f"clusters: {targets[0]} ({size / 1e6:.1f} MB), to open in a browser"
        )
    with show.progress("three methods on digits") as progress:
        records = _records(dataset, seed, targets is not None, progress)
    title = "Digits: {n} samples, {views} views, shuffled rows".format(**records[0])
    rows = [record | record["scores"] | {"repeats": 1} for record in records]
    show.print_table(title, *show.score_cells(rows))
    if targets is not None:
        from mvgraph.bench.report import write_records

        size = write_records(records, targets[1])
        show.print_line(
            f"comparison of the methods: {targets[1]} ({size / 1e6:.1f} MB)"
        )


def _targets(output: Path | None) -> tuple[Path, Path] | None:
    """Check in advance whether page and report can be written; return None if not.

    Without the packages that they need the scores are still shown, unless the user has
    named a file.
    """
    from mvgraph.persistence.files import PAGES, check_target

    page = output or PAGE
    report = page.with_name(REPORT.name)
    if page.name == report.name:
        raise ValueError(f"{page}: this is the name of the report; name another file")
    check_target(page, PAGES)
    check_target(report)
    try:
        from mvgraph.page import check_page
        from mvgraph.page.template import check_extra

        check_page(page)
        check_extra("the report", "jinja2 and matplotlib")
    except ImportError as error:
        if output is not None:
            raise
        _log.warn(f"no page is written: {error}")
        return None
    return page, report


def _records(
    dataset: Any, seed: int, keep: bool, progress: Callable[..., None]
) -> list[dict[str, Any]]:
    """Fit methods one after the other on the same shuffled rows, in this process.

    Unlike in a benchmark, all trials share this process, so the report needs no second
    run; memory peaks include what earlier fits left behind.

    Parameters
    ----------
    dataset : Dataset
        A built-in set, with labels.
    seed : int
    keep : bool
        Keep the data of the report's pictures.
    progress : callable
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
    for done, name in enumerate(METHODS, start=1):
        trial = trials.Trial(dataset.name, name, "default", "shuffled", seed)
        trials.warm_up(trial)
        record = {
            "key": trials.key_of(trial, sha256),
            **asdict(trial),
            "plan": "Demonstration on the bundled digits",
            "data_sha256": sha256,
            "environment": trials.environment(threads),
            "status": "done",
            "shared_process": True,
            **trials.measure(trial, dataset, keep),
        }
        records.append(record)
        progress(done, len(METHODS))
    return records
