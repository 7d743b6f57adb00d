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

    def check(self, *read: Any) -> list[dict[str, Any]]:
        """Refuse a file that cannot be written; return hashes of what will be read.

        Parameters
        ----------
        *read : path or None
            Files and folders; names of built-in data are left out.
        """
        from mvgraph.persistence.files import check_target

        if self.manifest is None:
            return []
        check_target(self.manifest, (".json",))
        return _hashes(read)

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
        }  # fmt: skip
        replace_text(self.manifest, json.dumps(facts | more, indent=1, default=str))


def _hashes(paths: Iterable[Any]) -> list[dict[str, Any]]:
    """Return path, bytes and SHA-256 of files, those of a folder in their order."""
    from mvgraph.datasets._fetch import digest

    found = []
    for path in map(Path, filter(None, paths)):
        files = sorted(p for p in path.rglob("*") if p.is_file())
        for file in [path] if path.is_file() else files:
            size = file.stat().st_size
            found.append({"path": str(file), "bytes": size, "sha256": digest(file)})
    return found
