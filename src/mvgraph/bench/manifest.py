"""Manifests: a JSON file that lists data files, with their hashes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: A list of more files is no list of data sets.
MOST_FILES = 10_000


@dataclass(frozen=True)
class Listed:
    """A file or folder, and the hash that a manifest says it has."""

    path: Path
    sha256: str | None = None

    def checked(self, sha256: str) -> str:
        """Return the hash of the file.

        Raises
        ------
        ValueError
            If the manifest has another one.
        """
        if self.sha256 not in (None, sha256):
            raise ValueError(
                f"{self.path} is not the file in the manifest: its SHA-256 is "
                f"{sha256[:12]}..., not {self.sha256[:12]}...; fetch it again"
            )
        return sha256


def is_manifest(path: Path) -> bool:
    """Return whether a path is that of a manifest: no data are read from .json."""
    return path.suffix.lower() == ".json"


def read_manifest(path: Path) -> list[Listed]:
    """Read a manifest: a list of objects with ``file`` and, if known, ``sha256``.

    Files are relative to the folder of the manifest or, if not there, to the one above
    it.

    Raises
    ------
    ValueError
        If it is no such list, or a file does not exist.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_FILES:
        raise ValueError(
            f"{path} is no manifest: write a list of objects, "
            '[{"file": "a.mat", "sha256": "..."}]'
        )
    return [_entry(entry, i, path) for i, entry in enumerate(entries, 1)]


def _entry(entry: Any, number: int, path: Path) -> Listed:
    name = entry.get("file") if isinstance(entry, dict) else None
    sha256 = entry.get("sha256") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not isinstance(sha256, str | None):
        raise ValueError(
            f"{path}, entry {number}: needs a text 'file', and 'sha256' as a text if "
            "there is one"
        )
    folders = path.parent, path.parent.parent
    for folder in folders:
        if name.strip() and (folder / name).exists():
            return Listed(folder / name, sha256)
    raise ValueError(f"{path}, entry {number}: there is no file {folders[0] / name}")
