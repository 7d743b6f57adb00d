"""Commands that benchmark: bench, report, demo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import Seed, app, import_from_here, split_names

DEMO_METHODS = ["graph-consensus", "anchor-filter", "kmeans-concat"]
PAGE = Path("report.html")


@app.command()
def bench(
    plan: Annotated[
        str,
        Argument(
            metavar="PLAN",
            help="YAML file, or published, p-sweep, anchor-sweep, scale, honest.",
        ),
    ],
    output: Annotated[
        Path, Option("--output", "-o", help="Folder of the results.")
    ] = Path("results"),
    data: Annotated[Path | None, Option(help="Folder with data sets.")] = None,
    only: Annotated[str | None, Option(help="Data sets to run: A,B,C.")] = None,
    methods: Annotated[str | None, Option(help="Methods to run: A,B,C.")] = None,
    repeats: Annotated[
        int | None, Option(min=1, help="Replaces that of the plan.")
    ] = None,
    jobs: Annotated[
        int | None, Option(min=1, help="Trials at a time; default: one per core.")
    ] = None,
    time_limit: Annotated[
        float | None,
        Option(min=0.1, help="Seconds per trial; replaces that of the plan."),
    ] = None,
) -> None:
    """Run a plan of methods, sets and settings; started again, it continues.

    Every trial is appended to OUTPUT/trials.jsonl as it ends.
    """
    from mvgraph import methods as registry
    from mvgraph.bench import plan as plans
    from mvgraph.bench.run import run
    from mvgraph.datasets import Reading

    import_from_here()
    try:
        chosen = plans.load(plan)
    except plans.PlanError as error:
        for fault in error.faults:
            _log.complain(fault)
        raise typer.Exit(_log.BAD) from error
    names = split_names(methods, "--methods")
    chosen = chosen.narrow(split_names(only, "--only"), repeats, names, time_limit)
    for name in names or []:
        registry.get(name)
    reported: set[str] = set()  # data sets already reported as read

    def report_trial(settled: int, total: int, record: dict[str, Any]) -> None:
        if record["set"] not in reported and "reading" in record:
            reported.add(record["set"])
            reading = record["reading"]
            _log.note("read", Reading.from_dict(reading).lines(), reading=reading)
        facts = {key: record.get(key) for key in ("set", "method", "status", "reason")}
        line = f"[{settled}/{total}] {_line(record)}"
        _log.note("trial", [line], done=settled, total=total, **facts)

    outcome = run(chosen, output, data, jobs, progress=report_trial)
    print(
        f"{outcome.done} trials done, {outcome.skipped} skipped, "
        f"{outcome.earlier} done before: {output}"
    )
    if outcome.warned:
        _log.warn(
            f"{outcome.warned} of {outcome.scored} trials gave warnings; "
            "mvgraph report lists them"
        )


def _line(record: dict[str, Any]) -> str:
    """Describe a trial and how it ended in one line."""
    method = record["method"] or "all methods"
    more = {**record.get("override", {}), **record.get("grid", {})}
    words = [record["set"], method, *(f"{key}={value}" for key, value in more.items())]
    if record["method"] is not None:
        words += [record["preset"], record["order"], f"seed {record['seed']}"]
    if record["status"] == "done":
        end = f"acc {record['scores']['acc']:.3f} in {record['seconds']:.1f} s"
    else:
        end = f"skipped: {record['reason']}"
    return f"{' '.join(words)}: {end}"


@app.command()
def report(
    results: Annotated[
        Path, Argument(metavar="RESULTS", help="Folder of mvgraph bench.")
    ],
    output: Annotated[
        Path,
        Option(
            "--output",
            "-o",
            help="An .html page; or one table of methods x sets: .md, .csv, .tex.",
        ),
    ] = PAGE,
    score: Annotated[
        str | None, Option(help="Score of the table: acc, nmi, ari, ...; default: acc.")
    ] = None,
    caption: Annotated[str, Option(help="Caption of the table.")] = "",
    label: Annotated[str, Option(help="Label of the LaTeX table: tab:LABEL.")] = "",
) -> None:
    """Write one page, or one table, from the results of mvgraph bench."""
    from mvgraph.bench import export
    from mvgraph.bench import report as page
    from mvgraph.bench.content import table_notes
    from mvgraph.bench.records import left_out, read
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output, (*PAGES, *export.FORMATS))
    suffix = output.suffix.lower()
    is_table = suffix in export.FORMATS
    if not is_table:
        if score is not None or caption or label:
            raise ValueError(
                f"--score, --caption and --label are for a table; {output} is a page: "
                "write -o table.md, .csv or .tex"
            )
        page.check_extra()
    records = read(results)
    if is_table:
        size = export.write(records, output, score or "acc", caption, label)
        text = f"table: {output} ({size / 1e3:.1f} kB)"
    else:
        size = page.write_records(records, output)
        text = f"report: {output} ({size / 1e6:.1f} MB)"
    # a CSV file has no room for the notes below the table
    lost = table_notes(records) if suffix == ".csv" else left_out(records)
    if lost:
        _log.note("left_out", lost, records=lost)
    print(text)


@app.command()
def demo(
    seed: Seed = 0,
    no_report: Annotated[bool, Option("--no-report", help="Write no file.")] = False,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Name of the report.", show_default=str(PAGE)),
    ] = None,
) -> None:
    """Cluster the bundled digits with three methods, print scores, write a report."""
    from mvgraph import datasets

    target = None if no_report else _demo_target(output)
    dataset = datasets.load("digits")
    with show.progress("digits") as progress:
        records = _demo_records(dataset, seed, target is not None, progress)
    title = "Digits: {n} samples, {views} views, shuffled rows".format(**records[0])
    rows = [record | record["scores"] | {"repeats": 1} for record in records]
    show.print_table(title, *show.score_cells(rows))
    if target is not None:
        from mvgraph.bench.report import write_records

        size = write_records(records, target)
        print(f"report: {target} ({size / 1e6:.1f} MB)")


def _demo_target(output: Path | None) -> Path | None:
    """Check in advance whether a report can be written; return None if not.

    Without the packages of the report the scores are still shown, unless the
    user has named a file.
    """
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output or PAGE, PAGES)
    try:
        from mvgraph.bench.report import check_extra

        check_extra()
    except ImportError as error:
        if output is not None:
            raise
        _log.warn(f"no report is written: {error}")
        return None
    return output or PAGE


def _demo_records(
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
    for done, name in enumerate(DEMO_METHODS, start=1):
        trial = trials.Trial(dataset.name, name, "default", "shuffled", seed)
        trials.warm_up(trial)
        record = {
            "key": trials.key_of(trial, sha256),
            **trial.describe(),
            "plan": "Demonstration on the bundled digits",
            "data_sha256": sha256,
            "environment": trials.environment(threads),
            "status": "done",
            "shared_process": True,
            **trials.measure(trial, dataset, keep),
        }
        records.append(record)
        progress(done, len(DEMO_METHODS))
    return records
