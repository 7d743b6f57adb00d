"""Raw counts in files of single cells: normalised if asked, or a warning."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

#: Beginnings of the formats that hold cells.
FORMATS = ("AnnData", "MuData", "10x")
OPTION = "--counts {}"


class Counts(StrEnum):
    """What to do with raw counts."""

    raw = "raw"
    log1p = "log1p"


HowCounts = Annotated[
    Counts | None,
    typer.Option("--counts", help="Raw counts: keep them, or log(1 + x) at one size."),
]


def treat(
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
    from mvgraph.tl._counts import treat_counts
    from mvgraph.views.lazy import LazyArray

    record = getattr(model, "annotated_", None)
    reading = getattr(dataset, "reading", None)
    cells = reading is not None and reading.format.startswith(FORMATS)
    unknown = cells and not hasattr(model, "_counts")  # see treat_counts
    if counts is None and not unknown and not (record and record["log1p"]):
        return dataset, {}
    views = dataset.views
    held = {
        name: x[slice(None)] if isinstance(x, LazyArray) else x
        for name, x in views.items()
    }
    sizes = treat_counts(held, counts and counts.value, model, OPTION)
    if sizes:
        views = views.replace([held[n] for n in views.names], views.feature_names)
    return dataset._replace(views=views), sizes
