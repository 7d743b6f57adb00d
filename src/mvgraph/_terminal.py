"""What the command line shows: tables on standard output, progress on stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SCORES = ("acc", "nmi", "purity", "precision", "recall", "f_score", "ari")


def score_cells(results: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Lay out results of `evaluation.evaluate`: head, and one row of text each."""
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
    """Print a table on standard output, with lines between the rows or without."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE, leading=apart)
    for i, name in enumerate(head):
        table.add_column(name, no_wrap=i == 0)
    for row in rows:
        table.add_row(*row)
    # a pipe or file has no width: wide enough for every column
    width = None if sys.stdout.isatty() else 200
    Console(markup=False, highlight=False, width=width).print(table)


def method_cells(row: dict[str, Any]) -> list[str]:
    """Lay out a method in two columns, readable in a terminal of any width."""
    facts = [
        f"cost {row['cost']}",
        "order-free" if row["order_free"] else "reads the row order",
        *(["N x N matrices"] if row["needs_n_by_n"] else []),
    ]
    paper = f"{row['paper']}, {row['year']}"
    if row["paper"].startswith("none: "):
        paper = row["paper"].removeprefix("none: ")
    return [row["name"], "\n".join([row["title"], paper, "; ".join(facts)])]


@contextmanager
def progress(text: str, delay: float = 2.0) -> Iterator[Callable[..., None]]:
    """Show a bar on stderr if that is a terminal and the work outlasts the delay.

    Yields a function of (done, total, record), the callback that ``fit`` takes; the
    record may be left out. A new ``record["stage"]`` starts the count again.
    """
    if not sys.stderr.isatty():
        yield lambda done, total, record=None: None
        return
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
