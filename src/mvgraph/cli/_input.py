"""DATA of a command: the options on how it is read, and on raw counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from mvgraph.cli._app import split_names
from mvgraph.cli._log import note

__all__ = ["Counts", "HowCounts", "Input", "reading_json", "treat_counts"]

#: Beginnings of the formats that hold cells.
FORMATS_OF_CELLS = ("AnnData", "MuData", "10x")


class Orientation(StrEnum):
    """Where the samples of a file are."""

    rows = "rows"
    columns = "columns"


class Join(StrEnum):
    """What to do with samples that not every view has."""

    strict = "strict"
    inner = "inner"
    outer = "outer"


class Counts(StrEnum):
    """What to do with raw counts."""

    raw = "raw"
    log1p = "log1p"


HowCounts = Annotated[
    Counts | None,
    typer.Option("--counts", help="Raw counts: keep them, or log(1 + x) at one size."),
]


@dataclass(frozen=True)
class Input:
    """What is read, and how: the options of every command that reads data."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="File, folder, built-in or fetched data set."
        ),
    ]
    views: Annotated[
        str | None,
        typer.Option(
            "--views", help="Variable(s) of the file that hold the views: A,B,C."
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            help="Variable with labels, which is no view; none: read no labels.",
        ),
    ] = None
    orientation: Annotated[
        Orientation | None,
        typer.Option("--orientation", help="Where the samples are, if not evident."),
    ] = None
    join: Annotated[
        Join,
        typer.Option("--join", help="Samples that a view lacks: refuse, drop or keep."),
    ] = Join.strict
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--ids",
            metavar="COLUMN",
            help="Column that names the samples; may be given several times.",
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="NAME",
            help="Column that is a feature and no name of samples; also several times.",
        ),
    ] = None
    normalise_ids: Annotated[
        bool,
        typer.Option(
            "--normalise-ids",
            help="Match names whatever their Unicode form, outer blanks and case.",
        ),
    ] = False

    def options(self) -> dict[str, Any]:
        """Return the arguments of `datasets.load` on how the data are read."""
        keys: dict[str, Any] = {}
        names = split_names(self.views, "--views")
        if names is not None:
            keys["views"] = names if len(names) > 1 else names[0]
        if self.labels is not None:
            keys["labels"] = None if self.labels == "none" else self.labels
        return {
            "key_map": keys or None,
            "orientation": self.orientation and self.orientation.value,
            "join": self.join.value,
            "ids": self.ids,
            "column": self.column,
            "normalise_ids": self.normalise_ids,
        }

    def open(
        self, memory_limit: int | None = None, widths: dict[str, int] | None = None
    ) -> Any:
        """Read the data, and report on standard error what was read and left out."""
        from mvgraph import datasets

        dataset = datasets.load(
            self.data, **self.options(), memory_limit=memory_limit, widths=widths
        )
        if dataset.reading is not None:
            found = dataset.reading
            note("read", found.lines(), reading=found.to_dict())
        return dataset


def reading_json(dataset: Any) -> dict[str, Any]:
    """Return what was read, for a summary; nothing for sets that are generated."""
    return {} if dataset.reading is None else {"reading": dataset.reading.to_dict()}


def treat_counts(
    dataset: Any, counts: Counts | None, model: Any = None
) -> tuple[Any, dict[str, float]]:
    """Return the data set with counts as asked, and the library sizes by view.

    Parameters
    ----------
    dataset : Dataset
    counts : Counts or None
    model : estimator, optional
        Fitted: new samples are treated as those of its fit.
    """
    from mvgraph.tl._counts import treat_counts as treat
    from mvgraph.views.lazy import LazyArray

    record = None if model is None else model.schema_.annotation
    reading = dataset.reading
    cells = reading is not None and reading.format.startswith(FORMATS_OF_CELLS)
    as_in_fit = record is not None and bool(record.log1p)
    if counts is None and not as_in_fit and not (cells and model is None):
        return dataset, {}
    views = dataset.views
    held = {
        name: x[slice(None)] if isinstance(x, LazyArray) else x
        for name, x in views.items()
    }
    sizes = treat(held, counts and counts.value, model, "--counts {}")
    if sizes:
        views = views.replace([held[n] for n in views.names], views.feature_names)
    return dataset._replace(views=views), sizes
