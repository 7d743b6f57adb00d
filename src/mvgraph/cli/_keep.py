"""What is kept of a fit: its model, a page of its clusters, a manifest of the run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from mvgraph.cli import _log
from mvgraph.cli._clusters import ClusterNames
from mvgraph.cli._input import Input
from mvgraph.cli._log import note

#: Suffixes of tables.
TABLES = (".csv", ".tsv", ".json")


@dataclass(frozen=True)
class Keep:
    """What is kept of a fit.

    Parameters
    ----------
    save : MODEL
        Folder for the fitted model; mvgraph predict labels new samples.
    save_rows
        Keep graph, embedding and memberships of the samples in it, too.
    no_save_ids
        Leave the names of the samples out of it: of UUIDs most of its size.
    like : OLD
        An older model: clusters that it has, too, keep their numbers.
    changes : FILE
        With --like, a .csv, .tsv or .json file of what became of every cluster.
    page : FILE.html
        Write a page that shows the clusters: a map, groups, a table.
    """

    save: Path | None = None
    save_rows: bool = False
    no_save_ids: bool = False
    like: Path | None = None
    changes: Path | None = None
    cluster_names: ClusterNames = False
    page: Path | None = None

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
        elif self.save_rows or self.no_save_ids:
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
            model.save(self.save, rows=self.save_rows, ids=not self.no_save_ids)
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


@dataclass(frozen=True)
class Manifest:
    """The option of commands that write results.

    Parameters
    ----------
    manifest : FILE
        Write a .json file: command, versions, hashes of the files, schema, counts,
        seconds.
    """

    manifest: Path | None = None

    def check(self, source: Input, *read: Path | None) -> list[dict[str, Any]]:
        """Refuse a file that cannot be written; return hashes of what will be read.

        Parameters
        ----------
        source : Input
            Names of built-in data are left out.
        *read : path or None
            Other files and folders.
        """
        from mvgraph.datasets.formats.parts import TableFiles
        from mvgraph.persistence.files import check_target

        if self.manifest is None:
            return []
        check_target(self.manifest, (".json",))
        place = source.place
        several = isinstance(place, TableFiles)
        paths = [p.path for p in place.files] if several else [source.path]
        return _hashes([*paths, *read])

    def write(
        self,
        model: Any,
        dataset: Any,
        read: list[dict[str, Any]],
        *written: Path | None,
        **more: Any,
    ) -> None:
        """Describe the run, if that was asked for.

        Parameters
        ----------
        model : fitted model
        dataset : Dataset
        read : list of dict
            Of `check`.
        *written : path or None
        **more
            Other facts.
        """
        if self.manifest is None:
            return
        from mvgraph.bench.trial import environment
        from mvgraph.evaluation.protocol import plain
        from mvgraph.ops.parallel import n_cores
        from mvgraph.persistence.files import replace_text

        seconds = monotonic() - _log.settings.start
        facts = {
            "command": ["mvgraph", *_log.settings.words],
            "started": (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(),
            "seconds": round(seconds, 3),
            "environment": environment(n_cores()),
            "method": type(model).__name__,
            "parameters": plain(model.get_params(deep=False)),
            "read": read,
            "written": _hashes(written),
            "reading": None if dataset.reading is None else dataset.reading.to_dict(),
            "schema": {"views": dict(zip(dataset.views.names, dataset.views.n_features,
                                         strict=True))},
            "n": len(dataset.views),
            "levels": [level._asdict() for level in vars(model).get("levels_", ())],
            "warnings": list(dict.fromkeys(_log.settings.warned)),
        }  # fmt: skip
        replace_text(self.manifest, json.dumps(facts | more, indent=1, default=str))


def _hashes(paths: Iterable[Any]) -> list[dict[str, Any]]:
    """Return path, bytes and SHA-256 of files, those of a folder in their order."""
    from mvgraph.datasets._fetch import digest
    from mvgraph.datasets._places import origin

    found = []
    for path in map(Path, filter(None, paths)):
        files = sorted(p for p in path.rglob("*") if p.is_file())
        for file in [path] if path.is_file() else files:
            size = file.stat().st_size
            found.append({"path": origin(file), "bytes": size, "sha256": digest(file)})
    return found
