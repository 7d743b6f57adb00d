"""The manifest of a run: what was computed, from what, by which versions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

from typer import Option

from mvgraph.cli import _log
from mvgraph.cli._input import Input


@dataclass(frozen=True)
class Manifest:
    """The option of commands that write results."""

    manifest: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Write a .json file: command, versions, hashes of the files, schema, "
            "counts, seconds.",
        ),
    ] = None

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
