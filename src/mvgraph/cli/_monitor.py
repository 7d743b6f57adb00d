"""Commands that tell whether the data have moved: monitor, predict --monitor."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, app, print_json
from mvgraph.cli._input import HowCounts, Input, MemoryLimit, treat_counts

Model = Annotated[Path, Argument(metavar="MODEL", help="Folder of cluster --save.")]
FailOn = Annotated[
    Literal["watch", "refit"] | None,
    Option("--fail-on", help="End with status 4 if the verdict is this, or worse."),
]
#: Features that are printed.
SHOWN = 10


@app.command()
def monitor(
    model: Model,
    source: Input,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
    fail_on: FailOn = None,
    as_json: AsJson = False,
) -> None:
    """Compare DATA with what a model was fitted on: ok, watch or refit, and why."""
    from mvgraph.persistence.models import load_model
    from mvgraph.prediction.monitor import compare

    fitted = load_model(model, memory_limit)
    with heard() as notes:
        dataset = open_like(fitted, source, counts, memory_limit)
    found = compare(fitted, dataset.views, notes)
    if as_json:
        print_json(
            {"data": dataset.name, "model": str(model)} | found.to_dict(), dataset
        )
    else:
        _print(found, f"{dataset.name} against {model}")
    leave(found, fail_on)


def open_like(
    fitted: Any, source: Input, counts: str | None, memory_limit: int | None
) -> Any:
    """Read data as those that a model was fitted on."""
    encoders = fitted.schema_.encoders
    if encoders is None or not encoders.rows():  # else the reader refuses it
        source.refuse_after_fit()
    known = {"widths": fitted.schema_.widths, "encoders": encoders}
    return treat_counts(source.open(memory_limit, **known), counts, fitted)[0]


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect what is said of columns and categories, and show it."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        yield notes
    for one in caught:
        notes.append(str(one.message))
        _log.warn(notes[-1])


def leave(found: Any, fail_on: str | None) -> None:
    """End with status 4 if the verdict is at least as bad as that."""
    from mvgraph.prediction.monitor_report import VERDICTS

    if (
        fail_on is not None
        and found is not None
        and VERDICTS.index(found.verdict) >= VERDICTS.index(fail_on)
    ):
        raise typer.Exit(_log.MOVED)


def _print(found: Any, title: str) -> None:
    rows = [{"verdict": found.verdict, "reason": r} for r in found.reasons or ("",)]
    show.print_rows(title, rows)
    show.print_rows("Clusters", found.clusters)
    show.print_rows("Views", found.views)
    show.print_rows("Features that moved most", found.features[:SHOWN])


@dataclass(frozen=True)
class Watching:
    """Options of predict on a comparison with the fit, in the same pass.

    Parameters
    ----------
    monitor : FILE
        Write what mvgraph monitor would find: a .json file.
    """

    monitor: Path | None = None
    fail_on: FailOn = None

    def check(self) -> None:
        """Refuse, before a long computation, a file that cannot be written."""
        from mvgraph.persistence.files import check_target

        if self.monitor is not None:
            check_target(self.monitor, (".json",))
        elif self.fail_on is not None:
            raise ValueError("--fail-on needs --monitor FILE")

    def start(self, fitted: Any, n_rows: int) -> Any:
        """Return what counts the rows; None if nobody asked."""
        from mvgraph.prediction.monitor import Monitor

        return None if self.monitor is None else Monitor(fitted, n_rows)

    def write(self, seen: Any, notes: list[str]) -> Any:
        """Write the comparison, and tell the verdict; None if nobody asked."""
        if self.monitor is None:
            return None
        from mvgraph.persistence.files import replace_text

        found = seen.report(notes=notes)
        replace_text(self.monitor, json.dumps(found.to_dict(), indent=1))
        lines = [f"monitor: {found.verdict}", *(f"  {r}" for r in found.reasons)]
        _log.note("monitor", lines, verdict=found.verdict, reasons=found.reasons)
        return found
