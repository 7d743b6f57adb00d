"""Options of cluster on what is kept of a fit: its model, a page of its clusters."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from mvgraph.cli._log import note
from mvgraph.cli._names import ClusterNames

#: Suffixes of tables.
TABLES = (".csv", ".tsv", ".json")


@dataclass(frozen=True)
class Keep:
    """What is kept of a fit."""

    save: Annotated[
        Path | None,
        Option(
            metavar="MODEL",
            help="Folder for the fitted model; mvgraph predict labels new samples.",
        ),
    ] = None
    save_rows: Annotated[
        bool,
        Option(
            "--save-rows",
            help="Keep graph, embedding and memberships of the samples in it, too.",
        ),
    ] = False
    without_ids: Annotated[
        bool,
        Option(
            "--no-save-ids",
            help="Leave the names of the samples out of it: of UUIDs most of its size.",
        ),
    ] = False
    like: Annotated[
        Path | None,
        Option(
            metavar="OLD",
            help="An older model: clusters that it has, too, keep their numbers.",
        ),
    ] = None
    changes: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="With --like, a .csv, .tsv or .json file of what became of every "
            "cluster.",
        ),
    ] = None
    cluster_names: ClusterNames = False
    page: Annotated[
        Path | None,
        Option(
            metavar="FILE.html",
            help="Write a page that shows the clusters: a map, groups, a table.",
        ),
    ] = None

    def check(self, model: Any) -> dict[str, Any]:
        """Refuse, before a long computation, what cannot be done with a method.

        Returns what ``fit`` is told.
        """
        from mvgraph.base.clusterer import Clusterer
        from mvgraph.base.predictor import refuse_no_predictor
        from mvgraph.persistence.document import check_folder
        from mvgraph.persistence.files import check_target
        from mvgraph.persistence.models import load_model

        if self.save is not None:
            refuse_no_predictor(model, "--save: ")
            check_folder(self.save)
        elif self.save_rows or self.without_ids:
            option = "--save-rows" if self.save_rows else "--no-save-ids"
            raise ValueError(f"{option} needs --save MODEL")
        if self.page is not None:
            from mvgraph.page import check_page

            check_page(self.page)
        if self.changes is not None:
            if self.like is None:
                raise ValueError("--changes needs --like OLD, a model to compare with")
            check_target(self.changes, TABLES)
        told = "--like" if self.like else "--cluster-names" * self.cluster_names
        if told and not isinstance(model, Clusterer):
            raise ValueError(f"{told}: {model.name} is not a method of mvgraph")
        return {} if self.like is None else {"like": load_model(self.like)}

    def write(self, model: Any, dataset: Any, data: Any) -> dict[str, Any]:
        """Write what was asked for; return what JSON says of it."""
        found: dict[str, Any] = {}
        if self.cluster_names:
            from mvgraph.datasets._beside import genes_beside
            from mvgraph.inspection.names import name_clusters

            name_clusters(model, dataset.views, genes_beside(data, dataset))
        if self.like is not None:
            found["changes"] = [_row(change) for change in model.changes_]
            note("changes", [change.words() for change in model.changes_], **found)
        if self.changes is not None:
            _write_table(self.changes, found["changes"])
        if self.save is not None:
            model.save(self.save, rows=self.save_rows, ids=not self.without_ids)
            found["model"] = str(self.save)
        if self.page is not None:
            from mvgraph.cli._page import write

            write(model, dataset, self.page, data)
            found["page"] = str(self.page)
        return found


def _row(change: Any) -> dict[str, Any]:
    lists = {"before": list(change.before), "after": list(change.after)}
    return change._asdict() | lists


def _write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSON, or as text with lists as words between blanks."""
    from mvgraph.persistence.files import replace_text

    if path.suffix.lower() == ".json":
        replace_text(path, json.dumps(rows, indent=1))
        return
    text = io.StringIO()
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    writer = csv.DictWriter(
        text, list(rows[0]), delimiter=separator, lineterminator="\n"
    )
    writer.writeheader()
    for row in rows:
        lists = {
            k: " ".join(map(str, v)) for k, v in row.items() if isinstance(v, list)
        }
        writer.writerow(row | lists)
    replace_text(path, text.getvalue())
