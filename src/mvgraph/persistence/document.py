"""The JSON of a model: values as JSON and arrays, its checks, and its folder.

No code is stored or run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph._version import __version__
from mvgraph.persistence.arrays import decode_array, encode_array
from mvgraph.persistence.files import TOKEN
from mvgraph.persistence.types import check_fields

#: Classes that a model may consist of; a file that names anything else is rejected
#: before anything is imported. These packages do nothing when they are imported.
SAVED = re.compile(
    r"mvgraph\.(anchor_filter|baselines|consensus|graphs|levels|mgl|ops|prediction"
    r"|tables|views)(\.[a-z]\w*)+:[A-Z]\w*",
    re.ASCII,
)
#: Increased when older versions of the package could misread a model.
FORMAT = 2
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
        raise damaged(folder, f"{JSON_NAME} does not name a file of arrays")
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
    """Build the error for a model that is not what was saved."""
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
    """Check before a long computation that a model can be written to a folder.

    Raises
    ------
    ValueError
        If anything other than a model would be lost, or the parent does not exist.
    """
    target = Path(os.path.realpath(folder))
    place = target if target.exists() else target.parent
    other = _other_content(target) if target.exists() else ""
    if other:
        problem = f"it exists and is not a model ({other}); name another folder"
    elif not place.is_dir():
        problem = f"there is no folder {place}; create it first"
    elif not os.access(place, os.W_OK):
        problem = f"no permission in {place}; choose another folder"
    else:
        return target
    raise ValueError(f"cannot write a model to {target}: {problem}")


def _other_content(folder: Path) -> str:
    """Describe folder content that this package did not write; empty if none."""
    if not folder.is_dir():
        return "it is a file"
    names = {path.name for path in folder.iterdir()}
    strange = sorted(n for n in names if PARTS.fullmatch(n) is None)
    if strange:
        return f"it contains {strange[0]!r}"
    if JSON_NAME in names and not _holds_model(folder):
        return f"{JSON_NAME} is not that of a model"
    return ""


def _holds_model(folder: Path) -> bool:
    try:
        found = _header(read_text(folder))
    except (OSError, ValueError):
        return False
    return found is not None and SAVED.fullmatch(found["class"]) is not None


def path_of(kind: type) -> str:
    """Return the name of a class in a file: ``module:class``."""
    return f"{kind.__module__}:{kind.__qualname__}"


def find(path: Any, admits: Callable[[Any], bool]) -> Any:
    """Import the class that a file names, if its package and its kind are allowed.

    Parameters
    ----------
    path : str
        See `path_of` and `SAVED`.
    admits : callable
        Called with the class; False: no part of a model can be of this class.

    Raises
    ------
    ValueError
        A model cannot contain such a class.
    """
    if isinstance(path, str) and SAVED.fullmatch(path):
        module, _, name = path.partition(":")
        with suppress(ImportError):
            kind = vars(import_module(module)).get(name)
            if isinstance(kind, type) and path_of(kind) == path and admits(kind):
                return kind
    raise ValueError(f"{path!r} is not a class that mvgraph {__version__} saves")


def is_record(kind: type) -> bool:
    """Return whether a class is a named tuple or frozen dataclass: safe to create."""
    options = vars(kind).get("__dataclass_params__")
    if options is not None:
        return bool(options.frozen)
    return issubclass(kind, tuple) and "_fields" in vars(kind)


def encode_parameter(name: str, value: Any, arrays: dict) -> Any:
    """Turn a parameter into JSON; a generator is not saved."""
    if name == "random_state" and not isinstance(value, int | np.integer):
        return None
    return encode(name, value, arrays)


def encode(name: str, value: Any, arrays: dict) -> Any:
    """Turn a value into JSON; arrays are stored separately under numbered names."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return encode(name, value.item(), arrays)
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return encode_array(value, arrays, partial(encode, name, arrays=arrays))
    kind, parts = _parts(value)
    if parts is not None:
        items = {str(k): encode(name, v, arrays) for k, v in parts.items()}
        return {"kind": kind, "items": items}
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"cannot save {name}: {kind!r} is not a number, text or array; set it to "
            "one of these first"
        )
    coded = [encode(name, v, arrays) for v in value]
    return coded if isinstance(value, list) else {"kind": "tuple", "items": coded}


def _parts(value: Any) -> tuple[str, dict[str, Any] | None]:
    """Return the type of a value as in a file, and its parts if they have names."""
    kind = type(value)
    if isinstance(value, Mapping):
        return "dict", dict(value)
    if not SAVED.fullmatch(path_of(kind)) or not is_record(kind):
        return kind.__name__, None
    if isinstance(value, tuple):
        return path_of(kind), value._asdict()  # type: ignore[attr-defined]
    return path_of(kind), {f.name: vars(value)[f.name] for f in fields(value)}


def decode(value: Any, arrays: Any) -> Any:
    """Turn JSON into a value, with arrays by their numbered names."""
    if isinstance(value, list):
        return [decode(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if (array := decode_array(value, arrays)) is not None:
        return array
    if kind in ("tuple", "objects"):
        items = [decode(v, arrays) for v in value["items"]]
        if kind == "tuple":
            return tuple(items)
        out = np.empty(len(items), dtype=object)
        out[:] = items
        return out
    named = {k: decode(v, arrays) for k, v in value["items"].items()}
    if kind == "dict":
        return named
    record = find(kind, is_record)
    check_fields(record, named)
    return record(**named)
