"""The progress of a command: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mvgraph.cli import _log

__all__ = ["EVERY", "Report", "progress"]

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
