"""Names of clusters: a column of all labels, and a command that takes edited ones."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

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


@model_app.command("rename")
def rename(
    model: Model,
    names: Annotated[
        Path, Argument(metavar="NAMES.csv", help="A table of cluster and name.")
    ],
    as_json: AsJson = False,
) -> None:
    """Give the clusters of a saved model the names in a table, and keep the others."""
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
    names = vars(model).get("cluster_names_", [])
    ids = map(str, model.cluster_ids_.tolist())
    return dict(zip(ids, names, strict=False))  # shorter where it has none


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
