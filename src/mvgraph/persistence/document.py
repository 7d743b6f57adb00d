"""The JSON of a model: what it says, whether it is whole, and what it stands beside."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from mvgraph._version import __version__
from mvgraph.persistence.coding import SAVED
from mvgraph.persistence.files import TOKEN

__all__ = [
    "FORMAT",
    "JSON_NAME",
    "check_folder",
    "damaged",
    "is_named",
    "parse",
    "read_text",
    "seal",
]

#: Increased when older versions of the package could misread a model.
FORMAT = 1
JSON_NAME = "model.json"
ARRAYS = re.compile(rf"arrays-{TOKEN}\.npz")
PARTS = re.compile(rf"{ARRAYS.pattern}|{JSON_NAME}|\.{JSON_NAME}\.{TOKEN}\.tmp")


def read_text(folder: Path) -> str:
    """Read the JSON of a model."""
    path = folder / JSON_NAME
    if not path.is_file():
        raise ValueError(f"there is no model in {folder}: it has no {JSON_NAME}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged or not a model of mvgraph") from error


def parse(folder: Path, text: str) -> dict[str, Any]:
    """Check the JSON of a model."""
    document = _header(text)
    if document is None:
        raise ValueError(
            f"{folder / JSON_NAME} is damaged or not a model of mvgraph; save it again"
        )
    written = document["format"]
    if written != FORMAT:
        raise ValueError(
            f"the model in {folder} was written by mvgraph {document['mvgraph']} in "
            f"format {written}; this is mvgraph {__version__}, which reads format "
            f"{FORMAT}: "
            f"{'upgrade mvgraph' if written > FORMAT else 'fit and save it again'}"
        )
    if document.get("sha256") != seal(document):
        raise damaged(folder, f"{JSON_NAME} is not what was saved")
    arrays = document.get("arrays")
    named = arrays.get("file") if isinstance(arrays, dict) else None
    if not (isinstance(named, str) and ARRAYS.fullmatch(named)):
        raise damaged(folder, f"{JSON_NAME} names no file of arrays")
    return document


def _header(text: str) -> dict[str, Any] | None:
    """Parse the JSON if it is that of a model."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    written, version, name = map(document.get, ("format", "mvgraph", "class"))
    whole = type(written) is int and isinstance(version, str) and isinstance(name, str)
    return document if whole else None


def damaged(folder: Path, what: str) -> ValueError:
    """Make the error of a model that is not what was saved."""
    return ValueError(f"the model in {folder} is damaged: {what}; save it again")


def seal(document: dict[str, Any]) -> str:
    """Return the checksum of a document, the digest of its arrays included."""
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_named(folder: Path, name: str) -> bool:
    """Return True if the model in the folder needs a file; unknown counts as yes."""
    try:
        document = parse(folder, read_text(folder))
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return (folder / JSON_NAME).exists()
    return bool(document["arrays"]["file"] == name)


def check_folder(folder: str | os.PathLike) -> Path:
    """Find out before a long computation whether a model can be written to a folder.

    Raises
    ------
    ValueError
        If something else than a model would be lost, or the parent does not exist.
    """
    target = Path(os.path.realpath(folder))
    if target.exists():
        other = _other_content(target)
        if other:
            raise ValueError(
                f"cannot write a model to {target}: it exists and is not a model "
                f"({other}); name another folder"
            )
    elif not target.parent.is_dir():
        raise ValueError(
            f"cannot write a model to {target}: there is no folder {target.parent}; "
            "create it first"
        )
    holder = target if target.exists() else target.parent
    if not os.access(holder, os.W_OK):
        raise ValueError(
            f"cannot write a model to {target}: no permission in {holder}; choose "
            "another folder"
        )
    return target


def _other_content(folder: Path) -> str:
    """Say what in a folder this package did not write; empty: nothing."""
    if not folder.is_dir():
        return "it is a file"
    names = {path.name for path in folder.iterdir()}
    strange = sorted(n for n in names if PARTS.fullmatch(n) is None)
    if strange:
        return f"it holds {strange[0]!r}"
    if JSON_NAME in names and not _holds_model(folder):
        return f"{JSON_NAME} is not that of a model"
    return ""


def _holds_model(folder: Path) -> bool:
    try:
        found = _header(read_text(folder))
    except (OSError, ValueError):
        return False
    return found is not None and SAVED.fullmatch(found["class"]) is not None
