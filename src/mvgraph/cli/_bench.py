"""Commands that benchmark: bench, report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Option

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import app, import_from_here, split_names

PAGE = Path("report.html")
#: Between sets; a setting of a generated one, such as ",noise=1", is of its name.
COMMA = r",(?! *\w+=)"


@app.command()
def bench(
    plan: str,
    output: Path = Path("results"),
    data: Path | None = None,
    only: str | None = None,
    methods: str | None = None,
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

    Parameters
    ----------
    plan : PLAN
        YAML file, or published, p-sweep, anchor-sweep, scale, honest.
    data
        Folder of data sets, or a manifest; replaces that of the plan.
    only
        Data sets to run, as the log names them: A,B*.
    methods
        Methods to run: A,B,C.
    output
        Folder of the results.
    """
    from mvgraph import methods as registry
    from mvgraph.bench import plan as plans
    from mvgraph.bench.run import run

    import_from_here(Path(plan).parent)
    try:
        chosen = plans.load(plan)
    except plans.PlanError as error:
        for fault in error.faults:
            _log.complain(fault)
        raise typer.Exit(_log.BAD) from error
    names = split_names(methods, "--methods")
    chosen = chosen.narrow(repeats, names, time_limit)
    for name in names or []:
        registry.get(name)
    trials = Trials(chosen.naming())
    outcome = run(
        chosen, output, data, jobs, trials.report, split_names(only, "--only", COMMA)
    )
    trials.count_alike()
    show.print_line(f"{outcome}: {output}")
    if outcome.warned:
        _log.warn(
            f"{outcome.warned} of {outcome.scored} trials gave warnings; "
            "mvgraph report lists them"
        )


class Trials:
    """Tell how trials end; of those that fail alike, the first one and their number."""

    def __init__(self, naming: Any) -> None:
        self.naming = naming
        self.read: set[str] = set()
        self.alike: Counter[tuple[str, str, str]] = Counter()

    def report(self, settled: int, total: int, record: dict[str, Any]) -> None:
        """Tell how one trial ended."""
        from mvgraph.bench.records import variant
        from mvgraph.bench.states import State
        from mvgraph.datasets import Reading

        if record["set"] not in self.read and "reading" in record:
            self.read.add(record["set"])
            reading = record["reading"]
            _log.note("read", Reading.from_dict(reading).lines(), reading=reading)
        shown = self.naming.apply([record])[0]
        if record["status"] == State.FINISHED:
            end = f"acc {record['scores']['acc']:.3f} in {record['seconds']:.1f} s"
            lines = [_line(settled, total, shown, end)]
        else:
            end = f"{record['status']}: {record['reason']}"
            kind = (variant(shown), record["status"], record["reason"])
            lines = [] if self.alike[kind] else [_line(settled, total, shown, end)]
            self.alike[kind] += 1
        facts = {key: record.get(key) for key in ("set", "method", "status", "reason")}
        _log.note("trial", lines, done=settled, total=total, **facts)

    def count_alike(self) -> None:
        """Tell how many trials ended as one that was shown, for the same reason."""
        for (method, status, reason), n in self.alike.items():
            if n > 1:
                facts = {"method": method, "status": status, "reason": reason}
                line = f"{method}: {n} trials: {status}: {reason}"
                _log.note("alike", [line], trials=n, **facts)


def _line(settled: int, total: int, shown: dict[str, Any], end: str) -> str:
    """Describe a trial and how it ended in one line, as tables name it."""
    from mvgraph.bench.records import variant

    words = [shown["set"], variant(shown)]
    words += [f"{key}={value}" for key, value in shown.get("grid", {}).items()]
    if shown["method"] is not None:
        words += [shown["order"], f"seed {shown['seed']}"]
    return f"[{settled}/{total}] {' '.join(words)}: {end}"


@app.command()
def report(
    results: list[Path],
    output: Path = PAGE,
    figure: Literal["ranks", "tradeoff", "scores", "growth"] | None = None,
    scores: str | None = None,
    caption: str = "",
    label: str = "",
    reference: str | None = None,
) -> None:
    """Write one page, one table or one figure from the results of mvgraph bench.

    Parameters
    ----------
    results : RESULTS...
        Folder of mvgraph bench; several are joined, each trial once.
    figure
        Figure to write instead of a page.
    scores : A,B,C
        Scores to show, such as ari,nmi; the first one ranks the methods. Default: all
        on a page, acc elsewhere.
    caption
        Caption of the table.
    label
        Label of the LaTeX table: tab:LABEL.
    reference
        Method that all others are compared with, such as your own.
    output
        An .html page; one table of methods x sets: .md, .csv, .tex; or, with --figure,
        one figure: .pdf, .svg, .png.
    """
    from mvgraph.bench import export, pictures
    from mvgraph.bench import report as page
    from mvgraph.bench.content import table_notes
    from mvgraph.bench.records import left_out
    from mvgraph.bench.results import gather
    from mvgraph.page.template import check_extra
    from mvgraph.persistence.files import PAGES, check_target

    check_target(output, (*PAGES, *export.FORMATS, *pictures.FORMATS))
    suffix = output.suffix.lower()
    is_table, is_picture = suffix in export.FORMATS, suffix in pictures.FORMATS
    chosen = split_names(scores, "--scores")
    _check_kind(output, is_picture, figure, chosen)
    if not is_table:
        if caption or label:
            raise ValueError(
                f"--caption and --label are for a table; {output} is not one: write -o "
                "table.md, .csv or .tex"
            )
        check_extra("the report", "jinja2 and matplotlib")
    records, joined = gather(results, reference)
    export.check_known(records, chosen or [])
    if is_table:
        size = export.write(records, output, chosen or ["acc"], caption, label)
        text = f"table: {output} ({size / 1e3:.1f} kB)"
    elif figure is not None:
        size = pictures.write(records, output, figure, (chosen or ["acc"])[0])
        text = f"figure: {output} ({size / 1e3:.1f} kB)"
    else:
        size = page.write_records(records, output, chosen or page.ALL, joined)
        text = f"report: {output} ({size / 1e6:.1f} MB)"
    # a CSV file has no room for the notes below the table
    lost = joined + (table_notes(records) if suffix == ".csv" else left_out(records))
    if lost:
        _log.note("left_out", lost, records=lost)
    show.print_line(text)


def _check_kind(
    output: Path, is_picture: bool, figure: str | None, scores: list[str] | None
) -> None:
    """Raise ValueError if the options are not those of the file to write."""
    if is_picture and figure is None:
        raise ValueError(
            f"{output} is a figure: add --figure ranks, tradeoff, scores or growth"
        )
    if figure is not None and not is_picture:
        raise ValueError(
            f"--figure {figure} is for a figure; {output} is not one: write -o "
            f"{figure}.pdf, .svg or .png"
        )
    if figure is not None and len(scores or []) > 1:
        raise ValueError(
            f"a figure shows one score: write --scores {scores[0]}"  # type: ignore[index]
        )
