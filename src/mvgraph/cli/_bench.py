"""Commands that benchmark: bench, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _log
from mvgraph.cli._app import app, import_from_here
from mvgraph.cli._log import complain


@app.command()
def bench(
    plan: Annotated[
        str,
        typer.Argument(
            metavar="PLAN",
            help="YAML file, or published, p-sweep, anchor-sweep, scale, honest.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the results.")
    ] = Path("results"),
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder with data sets.")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", help="Data sets to run: A,B,C.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Methods to run: A,B,C.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Instead of the plan's.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Trials at a time; default: one per core."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(min=0.1, help="Seconds a trial may take, not the plan's."),
    ] = None,
) -> None:
    """Run a plan of methods, sets and settings; started again, it goes on.

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
            complain(fault)
        raise typer.Exit(2) from error
    chosen = chosen.narrow(_names(only), repeats, _names(methods), time_limit)
    for name in _names(methods) or []:
        registry.get(name)
    shown: set[str] = set()  # sets whose reading was reported

    def tell(settled: int, total: int, record: dict[str, Any]) -> None:
        if record["set"] not in shown and "reading" in record:
            shown.add(record["set"])
            found = record["reading"]
            _log.note("read", Reading.from_dict(found).lines(), reading=found)
        _tell(settled, total, record)

    outcome = run(chosen, output, data, jobs, progress=tell)
    print(
        f"{outcome.done} trials done, {outcome.skipped} skipped, "
        f"{outcome.earlier} done before: {output}"
    )
    if outcome.warned:
        _log.warn(
            f"{outcome.warned} of {outcome.scored} trials gave warnings; "
            "mvgraph report lists them"
        )


@app.command()
def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="Folder of mvgraph bench.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="An .html page; or one table of methods x sets: .md, .csv, .tex.",
        ),
    ] = Path("report.html"),
    score: Annotated[
        str | None,
        typer.Option(help="Score of the table: acc, nmi, ari, ...; default: acc."),
    ] = None,
    caption: Annotated[str, typer.Option(help="Caption of the table.")] = "",
    label: Annotated[
        str, typer.Option(help="Label of the LaTeX table: tab:LABEL.")
    ] = "",
) -> None:
    """Write one page, or one table, from the results of mvgraph bench."""
    from mvgraph.bench import export
    from mvgraph.bench import report as page
    from mvgraph.bench.content import table_notes
    from mvgraph.bench.records import left_out, read
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output, (*PAGES, *export.FORMATS))
    if output.suffix.lower() in export.FORMATS:
        chosen = score or "acc"
        records = read(results)
        size = export.write(records, output, chosen, caption, label)
        # a CSV file cannot hold the lines below the table
        csv = output.suffix.lower() == ".csv"
        _say_left_out(table_notes(records) if csv else left_out(records))
        print(f"table: {output} ({size / 1e3:.1f} kB)")
        return
    if score is not None or caption or label:
        raise ValueError(
            f"--score, --caption and --label are for a table; {output} is a page: "
            "write -o table.md, .csv or .tex"
        )
    page.check_extra()
    records = read(results)
    size = page.write_records(records, output)
    _say_left_out(left_out(records))
    print(f"report: {output} ({size / 1e6:.1f} MB)")


def _say_left_out(lost: list[str]) -> None:
    if lost:
        _log.note("left_out", lost, records=lost)


def _names(text: str | None) -> list[str] | None:
    names = [name.strip() for name in (text or "").split(",")]
    return [name for name in names if name] or None


def _tell(settled: int, total: int, record: dict[str, Any]) -> None:
    """Say on stderr how a trial ended, one line each."""
    method = record["method"] or "all methods"
    more = {**record.get("override", {}), **record.get("grid", {})}
    what = [record["set"], method, *(f"{key}={value}" for key, value in more.items())]
    if record["method"] is not None:
        what += [record["preset"], record["order"], f"seed {record['seed']}"]
    if record["status"] == "done":
        end = f"acc {record['scores']['acc']:.3f} in {record['seconds']:.1f} s"
    else:
        end = f"skipped: {record['reason']}"
    line = f"[{settled}/{total}] {' '.join(what)}: {end}"
    facts = {key: record.get(key) for key in ("set", "method", "status", "reason")}
    _log.note("trial", [line], done=settled, total=total, **facts)
