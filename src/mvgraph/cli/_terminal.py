"""What the command line shows: tables on standard output, progress on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mvgraph.cli import _log
from mvgraph.cli._log import printable

__all__ = [
    "EVERY",
    "Report",
    "cell",
    "method_cells",
    "print_table",
    "progress",
    "score_cells",
    "score_title",
]

ORDER = {True: "order-free", False: "depends on row order"}


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


def score_title(result: dict[str, Any]) -> str:
    """Say in one line what was evaluated."""
    keys = "{data}: {n} samples, {k} clusters, {views} views; preset {preset}, {order}"
    return f"{keys.format(**result)} rows, {result['repeats']} repeat(s)"


def cell(value: Any) -> str:
    """Format one value for a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " x ".join(map(str, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def print_table(
    title: str, head: list[str], rows: list[list[str]], apart: bool = False
) -> None:
    """Print a table on standard output, with lines between the rows or without.

    Where a terminal is too narrow for all columns, rows and columns change places.
    """
    from rich.console import Console

    # a pipe or file has no width: wide enough for every column
    width = None if sys.stdout.isatty() else 200
    console = Console(markup=False, highlight=False, width=width)
    table = _make_table(title, head, rows, apart)
    if _widths(console, table)[1] <= console.width:
        console.print(table)
        return
    turned = _turned(console, title, head, rows)
    if len(turned) == 1 or _widths(console, table)[0] > console.width:
        for part in turned:
            console.print(part)
    else:  # it is text that can be broken
        console.print(table)


def _make_table(title: str, head: list[str], rows: list[list[str]], apart: bool) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE, leading=apart)
    for i, name in enumerate(head):
        table.add_column(name, no_wrap=i == 0)
    for row in rows:
        # names in files may steer a terminal
        table.add_row(*("\n".join(map(printable, value.split("\n"))) for value in row))
    return table


def _turned(
    console: Any, title: str, head: list[str], rows: list[list[str]]
) -> list[Any]:
    """Make tables with one column a row, as few as the width allows."""
    groups: list[list[list[str]]] = []
    tables: list[Any] = []
    for row in rows:
        wider = [*groups[-1], row] if groups else [row]
        table = _turn(title if len(groups) < 2 else "", head, wider)
        if groups and _widths(console, table)[1] <= console.width:
            groups[-1], tables[-1] = wider, table
        else:
            groups.append([row])
            tables.append(_turn("" if tables else title, head, [row]))
    return tables


def _turn(title: str, head: list[str], rows: list[list[str]]) -> Any:
    columns = [list(column) for column in zip(head, *rows, strict=True)]
    return _make_table(title, columns[0], columns[1:], False)


def _widths(console: Any, table: Any) -> tuple[int, int]:
    """Return the least width of a table without cut words, and that without breaks."""
    from rich.measure import Measurement

    options = console.options.update(max_width=10_000)
    measured = Measurement.get(console, options, table)
    return measured.minimum, measured.maximum


def method_cells(row: dict[str, Any]) -> list[str]:
    """Lay out a method in two columns, readable in a terminal of any width."""
    facts = [
        f"cost {row['cost']}",
        *([] if row["order_free"] is None else [ORDER[row["order_free"]]]),
        *(["N x N matrices"] if row["needs_n_by_n"] else []),
    ]
    paper = f"{row['paper']}, {row['year']}"
    if row["paper"].startswith("none: "):
        paper = row["paper"].removeprefix("none: ")
    return [row["name"], "\n".join([row["title"], paper, "; ".join(facts)])]


#: Seconds between two lines where there is no terminal.
EVERY = 10.0
#: Takes steps done, steps in all or None, and a record or None.
Report = Callable[..., None]


@contextmanager
def progress(text: str, delay: float = 2.0) -> Iterator[Report]:
    """Show how far the work is, on standard error.

    On a terminal a bar, if the work outlasts the delay; else a line every 10 s, or
    with --log-format json an object at each stage and every 10 s.

    Yields a function of (done, total, record), the callback that ``fit`` takes; the
    record may be left out. A new ``record["stage"]`` starts the count again.
    """
    if _log.settings.quiet:
        yield lambda done, total, record=None: None
        return
    if _log.settings.json:
        shown = _lines(text, _emit, at_stages=True)
    elif sys.stderr.isatty():
        shown = _bar(text, delay)
    else:
        shown = _lines(text, _say)
    with shown as report:
        yield report


class State:
    """How far the work is."""

    def __init__(self, text: str) -> None:
        self.text, self.start = text, time.monotonic()
        self.stage: str | None = None
        self.done: int | None = None
        self.total: int | None = None


@contextmanager
def _lines(
    text: str, show: Callable[[State], None], at_stages: bool = False
) -> Iterator[Report]:
    """Show the state every few seconds, also where the work reports nothing."""
    state, ended = State(text), threading.Event()

    def report(done: int, total: int | None, record: Any = None) -> None:
        stage = (record or {}).get("stage", state.stage)
        changed = stage != state.stage or state.done is None
        state.stage, state.done, state.total = stage, done, total
        if at_stages and (changed or done == total):
            show(state)

    def tick() -> None:
        while not ended.wait(EVERY):
            show(state)

    threading.Thread(target=tick, daemon=True).start()
    try:
        yield report
    finally:
        ended.set()


def _say(state: State) -> None:
    of = "" if state.total is None else f"/{state.total}"
    parts = [
        *([] if state.stage is None else [state.stage]),
        *([] if state.done is None else [f"{state.done}{of}"]),
    ]
    what = f"{state.text}: {' '.join(parts)}" if parts else state.text
    _log.say(f"{what}, {time.monotonic() - state.start:.0f} s")


def _emit(state: State) -> None:
    _log.emit(
        "progress",
        work=state.text,
        stage=state.stage,
        done=state.done,
        total=state.total,
    )


@contextmanager
def _bar(text: str, delay: float) -> Iterator[Report]:
    bar = _make_bar()
    task = bar.add_task(text, total=None)
    stage = None

    def report(done: int, total: int | None, record: Any = None) -> None:
        nonlocal stage
        now = (record or {}).get("stage")
        if now != stage:
            stage = now
            bar.reset(task, total=total, description=f"{text}: {now}")
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
        """Steps a second, as measured over the last half minute."""

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
