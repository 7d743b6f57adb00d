"""The number of clusters on the command line: given, or found and explained."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mvgraph.cli._log import note

Noise = Annotated[
    bool, typer.Option("--noise", help="-1 for samples that belong to no cluster.")
]

#: Adjusted Rand index from which two divisions are nearly the same: about one sample in
#: twenty differs.
SAME = 0.9


def number_option(about: str) -> Any:
    """Return the option --n-clusters: a whole number, or auto."""
    return typer.Option(
        "--n-clusters", metavar="K|auto", help=about, parser=_number_of_clusters
    )


def _number_of_clusters(text: str) -> int | str:
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        message = f"{text!r} is neither a whole number nor auto"
        raise typer.BadParameter(message) from None


def tell_levels(model: Any, views: Any) -> None:
    """Report in one line how many clusters a fit found, if it did, and why.

    If no division stands out, the fit has given a warning.
    """
    levels = vars(model).get("levels_")
    if not levels:
        return
    best = levels[0]
    line = (
        f"{best.k} clusters: the division that stands out most (confidence "
        f"{best.confidence:.2f}, stability {best.stability:.2f})"
    )
    if len(levels) > 1:
        line += f"; others: {', '.join(str(level.k) for level in levels[1:])}"
    found = [level._asdict() for level in levels]
    note("levels", [line], n_clusters=best.k, levels=found)
    _tell_one_column(model, views)


def _tell_one_column(model: Any, views: Any) -> None:
    """Report that the clusters are the values of a single column of categories."""
    encoders = model.schema_.encoders
    if encoders is None:
        return
    from scipy.sparse import issparse

    from mvgraph.metrics import ari

    for name, titles in encoders.categories():
        for x, names in zip(views.arrays, views.feature_names, strict=True):
            if names is None or issparse(x) or not set(titles) <= set(names):
                continue
            values = x[:][:, [names.index(one) for one in titles]].argmax(axis=1)
            if ari(values, model.labels_) >= SAME:
                line = f"the clusters are nearly the values of column {name!r}; "
                line += f"--drop {name} shows what there is beside it"
                note("levels", [line], column=name)


def tell_one_cluster(model: Any, k: int | None) -> None:
    """Report that a model is of data in which no division stands out."""
    if model.labels_.any():
        return
    line = "no division stands out in the samples of this model: "
    line += "all are one cluster" if k in (None, 1) else f"the {k} are parts of one"
    note("levels", [line], n_clusters=1, levels=[])
