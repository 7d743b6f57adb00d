"""What the command line shows: tables on stdout, progress on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mvgraph.cli import _log
from mvgraph.ops.escaping import terminal


def score_cells(results: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Lay out results of `evaluation.evaluate`: head, and one row of text each."""
    from mvgraph.metrics import SCORES  # slow to import

    rows = []
    for result in results:
        several = result["repeats"] > 1
        cells = [
            f"{result[key]:.3f}" + (f" ± {result['std'][key]:.3f}" if several else "")
            for key in SCORES
        ]
        rows.append([result["method"], *cells, f"{result['seconds']:.2f}"])
    return ["method", *SCORES, "seconds"], rows


def cell(value: Any) -> str:
    """Format one value for a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " x ".join(map(str, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def print_line(text: str) -> None:
    """Print one line on standard output."""
    print(terminal(text))


def print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Print dicts with the same keys as a table."""
    body = [[cell(value) for value in row.values()] for row in rows]
    print_table(title, list(rows[0]), body)


def print_table(
    title: str, head: list[str], rows: list[list[str]], apart: bool = False
) -> None:
    """Print a table on standard output, with or without lines between the rows.

    Where a terminal is too narrow for all columns, rows and columns change places, or
    long text is broken, or every row becomes a table.
    """
    from rich.console import Console
    from rich.measure import Measurement

    # a pipe or file has no width: wide enough for every column
    width = None if sys.stdout.isatty() else 200
    console = Console(markup=False, emoji=False, highlight=False, width=width)
    options = console.options.update(max_width=10_000)
    table = _table(title, head, rows, apart)
    turned = _turned(title, head, rows)
    # the least width cuts no word, the full width breaks no line
    least, full = Measurement.get(console, options, table)
    tables = [table]
    if full > console.width >= Measurement.get(console, options, turned).maximum:
        tables = [turned]
    elif least > console.width or len(rows) == 1:
        tables = [_turned("" if i else title, head, [r]) for i, r in enumerate(rows)]
    for each in tables:
        console.print(each)


def _turned(title: str, head: list[str], rows: list[list[str]]) -> Any:
    """Turn a table: one column per row."""
    columns = [list(column) for column in zip(head, *rows, strict=True)]
    return _table(title, columns[0], columns[1:], False)


def _table(title: str, head: list[str], rows: list[list[str]], apart: bool) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(
        title=terminal(title), title_justify="left", box=box.SIMPLE, leading=apart
    )
    for i, name in enumerate(head):
        table.add_column(terminal(name), no_wrap=i == 0)
    for row in rows:
        lines = [map(terminal, value.split("\n")) for value in row]
        table.add_row(*map("\n".join, lines))
    return table


#: Takes the steps done, all steps or None, and a record or None.
Report = Callable[..., None]


@contextmanager
def progress(text: str, delay: float = 2.0, every: float = 10.0) -> Iterator[Report]:
    """Show how far the work is, on standard error.

    On a terminal a bar, if the work takes longer than the delay (in seconds); else a
    line every 10 s, or with --log-format json an object at each stage and every 10 s.

    Yields a function of (done, total, record), the callback that ``fit`` takes; the
    record may be left out. A new ``record["stage"]`` starts the count again.
    """
    if _log.settings.quiet:
        yield lambda done, total, record=None: None
        return
    text = terminal(text)
    bar = sys.stderr.isatty() and not _log.settings.json
    with _bar(text, delay) if bar else _lines(text, every) as report:
        yield report


@contextmanager
def _lines(text: str, every: float) -> Iterator[Report]:
    """Report the state every few seconds, even if the work reports nothing."""
    start, ended = time.monotonic(), threading.Event()
    state: dict[str, Any] = dict.fromkeys(("stage", "done", "total"))

    def show() -> None:
        stage, done, total = state.values()
        steps = f"{done}" if total is None else f"{done}/{total}"
        counts = total is not None or done  # a 0 that stays says nothing
        parts = [stage, steps if counts else None]
        what = " ".join(part for part in parts if part is not None)
        line = f"{text}: {what}" if what else text
        seconds = time.monotonic() - start
        _log.note("progress", [f"{line}, {seconds:.0f} s"], work=text, **state)

    def report(done: int, total: int | None, record: Any = None) -> None:
        stage = (record or {}).get("stage", state["stage"])
        changed = stage != state["stage"] or state["done"] is None
        state.update(stage=stage, done=done, total=total)
        if _log.settings.json and (changed or done == total):
            show()

    def tick() -> None:
        while not ended.wait(every):
            show()

    threading.Thread(target=tick, daemon=True).start()
    try:
        yield report
    finally:
        ended.set()


@contextmanager
def _bar(text: str, delay: float) -> Iterator[Report]:
    bar = _make_bar()
    task = bar.add_task(text, total=None)
    stage = None

    def report(done: int, total: int | None, record: Any = None) -> None:
        nonlocal stage
        new = (record or {}).get("stage")
        if new != stage:
            stage = new
            bar.reset(task, total=total, description=f"{text}: {stage}")
        bar.update(task, completed=done, total=total)

    timer = threading.Timer(delay, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()


def _make_bar() -> Any:
    from rich import progress as rp
    from rich.console import Console

    class Rate(rp.ProgressColumn):
        """Steps per second, as measured over the last half minute."""

        def render(self, task: rp.Task) -> Any:
            return rp.Text("" if not task.speed else f"{task.speed:.3g}/s")

    return rp.Progress(
        rp.SpinnerColumn(),
        rp.TextColumn("{task.description}", markup=False),
        rp.BarColumn(bar_width=20),
        rp.MofNCompleteColumn(),
        Rate(),
        rp.TimeElapsedColumn(),
        rp.TextColumn("left", style="dim"),
        rp.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
