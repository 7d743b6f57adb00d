"""Clusters on the command line: how many, given or found and explained; their names."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option

from mvgraph.cli._app import AsJson, model_app, print_json
from mvgraph.cli._log import note
from mvgraph.cli._monitor import Model
from mvgraph.ops.escaping import with_formulas

ClusterNames = Annotated[
    bool, Option("--cluster-names", help="Add the name of every cluster.")
]
#: Columns of a file of names, as the page of clusters writes it.
CLUSTER, NAME = "cluster", "name"
ADVICE = "name a table with the columns cluster and name, such as the page writes"
Noise = Annotated[
    bool, typer.Option("--noise", help="-1 for samples that belong to no cluster.")
]


@model_app.command("rename")
def rename(
    model: Model,
    names: Path,
    as_json: AsJson = False,
) -> None:
    """Give the clusters of a saved model the names in a table, and keep the others.

    Parameters
    ----------
    names : NAMES.csv
        A table of cluster and name.
    """
    from mvgraph.base.result import OF_ROWS
    from mvgraph.persistence.models import load_model

    told = read_names(names)
    fitted = load_model(model).rename_clusters(told)
    fitted.save(model, rows=any(name in OF_ROWS for name in vars(fitted)))
    if as_json:
        print_json({"model": str(model), "cluster_names": names_by_id(fitted)})
        return
    note("names", [f"{model}: {len(told)} clusters have the names of {names}"])


def read_names(path: Path) -> dict[int, str]:
    """Read a table of clusters and names: CSV, or TSV by its suffix.

    Raises
    ------
    ValueError
        It lacks a column, a cluster is no number, or it is there twice.
    """
    from mvgraph.datasets.formats.limits import readable

    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    path.stat()
    with readable(path, "text table", ADVICE):
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=separator))
        if not rows or not {CLUSTER, NAME} <= set(rows[0]):
            raise ValueError(f"{path}: no columns {CLUSTER!r} and {NAME!r}; {ADVICE}")
    told: dict[int, str] = {}
    for i, row in enumerate(rows, start=2):
        text = row[CLUSTER] or ""
        if not text.strip().isdecimal():
            raise ValueError(
                f"{path}, line {i}: {text!r} is not the number of a cluster"
            )
        cluster = int(text)
        if cluster in told:
            raise ValueError(f"{path}, line {i}: cluster {cluster} is there twice")
        told[cluster] = with_formulas(row[NAME] or "")
    return told


def names_by_id(model: Any) -> dict[str, str]:
    """Return the names of a model that has some, ready for JSON."""
    from mvgraph.base.kept import names_of

    return {str(cluster): name for cluster, name in names_of(model).items()}


def refuse_no_names(model: Any) -> None:
    """Refuse to write names that a saved model does not have."""
    if not any(vars(model).get("cluster_names_", ())):
        raise ValueError(
            "--cluster-names: the clusters of this model have no names; fit it with "
            "mvgraph cluster --cluster-names, or give it names with mvgraph model "
            "rename MODEL names.csv"
        )


def with_names(
    blocks: Iterable[Any], model: Any, wanted: bool, level: int | None = None
) -> Iterator[Any]:
    """Yield blocks of labels, with the names of their clusters if they are wanted."""
    from mvgraph.base.kept import names_of_labels

    for block in blocks:
        if wanted:
            block["name"] = names_of_labels(model, block["label"], level)
        yield block


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


def tell_levels(model: Any) -> None:
    """Report in one line how many clusters a fit found, if it did, and why.

    If no division stands out, or a few columns make it, the fit has given a warning.
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
        others = [f"{level.k} ({level.confidence:.2f})" for level in levels[1:]]
        line += f"; others: {', '.join(others)}"
    found = [level._asdict() for level in levels]
    note("levels", [line], n_clusters=best.k, levels=found)


def tell_one_cluster(model: Any, k: int | None) -> None:
    """Report that a model is of data in which no division stands out."""
    if model.labels_.any():
        return
    line = "no division stands out in the samples of this model: "
    line += "all are one cluster" if k in (None, 1) else f"the {k} are parts of one"
    note("levels", [line], n_clusters=1, levels=[])
