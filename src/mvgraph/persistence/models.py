"""Fitted models on disk: a folder with JSON and arrays, without executable code."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from mvgraph._version import __version__

__all__ = ["FORMAT", "load_model", "save_model"]

#: Increased when older files could be misread.
FORMAT = 1
#: Classes of the records in a model.
RECORDS = {
    "Anchors": "mvgraph.graphs.anchors:Anchors",
    "AnchorClassifier": "mvgraph.prediction.anchor_votes:AnchorClassifier",
    "Discriminant": "mvgraph.prediction.discriminant:Discriminant",
    "Merges": "mvgraph.ops.communities:Merges",
    "Scaling": "mvgraph.views.scaling:Scaling",
    # the name before version 0.2
    "Carrier": "mvgraph.prediction.anchor_votes:AnchorClassifier",
}
#: Attributes that had another name before version 0.2.
RENAMED = {"_carriers": "_classifiers"}
JSON_NAME, ARRAYS_NAME = "model.json", "arrays.npz"


def save_model(model: Any, folder: str | os.PathLike) -> Path:
    """Write a fitted model to a folder, completely or not at all.

    Parameters
    ----------
    model : estimator of mvgraph
    folder : path
        Created; its parent must exist. An older model there is replaced, any other
        content is an error.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If the folder has other content, its parent does not exist, or an attribute
        cannot be written as numbers, text or arrays.
    """
    folder = Path(os.path.realpath(folder))
    if not _may_write(folder):
        raise ValueError(
            f"cannot write a model to {folder}: it exists and is not a model; "
            "name another folder"
        )
    if not folder.parent.is_dir():
        raise ValueError(
            f"cannot write a model to {folder}: there is no folder {folder.parent}; "
            "create it first"
        )
    arrays: dict[str, np.ndarray] = {}
    parameters = model.get_params(deep=False)
    attributes = {k: v for k, v in vars(model).items() if k not in parameters}
    document = {
        "format": FORMAT,
        "mvgraph": __version__,
        "class": _public_path(type(model)),
        "parameters": {k: _parameter(k, v, arrays) for k, v in parameters.items()},
        "attributes": {k: _encode(k, v, arrays) for k, v in attributes.items()},
    }
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        np.savez(temporary / ARRAYS_NAME, allow_pickle=False, **arrays)
        document["sha256"] = _digest(temporary / ARRAYS_NAME)
        text = json.dumps(document, indent=1)
        (temporary / JSON_NAME).write_text(text, encoding="utf-8")
        for name in (ARRAYS_NAME, JSON_NAME):
            with open(temporary / name, "rb") as file:
                os.fsync(file.fileno())
        _replace(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return folder


def load_model(folder: str | os.PathLike) -> Any:
    """Load a model that ``model.save`` wrote.

    Parameters
    ----------
    folder : path

    Returns
    -------
    estimator
        Fitted; ``predict`` gives the same results as before. A ``random_state`` that is
        not an integer is not saved: it is None.

    Raises
    ------
    ValueError
        If there is no model, or it is damaged or has another format.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from mvgraph import MGL, load_model
    >>> X = [np.random.default_rng(0).normal(size=(30, 2)) + 9 * np.eye(3, 2)
    ...      .repeat(10, axis=0)]
    >>> model = MGL(3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.save(folder + "/model")
    ...     loaded = load_model(folder + "/model")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    folder = Path(folder)
    document = _read(folder)
    path = folder / ARRAYS_NAME
    if not path.is_file() or _digest(path) != document["sha256"]:
        raise ValueError(
            f"the model in {folder} is damaged: {ARRAYS_NAME} does not belong to "
            f"{JSON_NAME}; save it again"
        )
    with np.load(path, allow_pickle=False) as arrays:
        cls = _find_class(document["class"])
        parameters, attributes = (
            {k: _decode(v, arrays) for k, v in document[part].items()}
            for part in ("parameters", "attributes")
        )
    model = cls(**parameters)
    vars(model).update({RENAMED.get(k, k): v for k, v in attributes.items()})
    return model


def _may_write(folder: Path) -> bool:
    """Return True if nothing but an older model would be lost."""
    if not folder.exists():
        return True
    if not folder.is_dir():
        return False
    names = {path.name for path in folder.iterdir()}
    if not names <= {JSON_NAME, ARRAYS_NAME}:
        return False  # something beside a model
    return not names or _is_model(folder)


def _is_model(folder: Path) -> bool:
    try:
        document = json.loads((folder / JSON_NAME).read_text(encoding="utf-8"))
        return {"format", "mvgraph", "class"} <= set(document)
    except (OSError, ValueError, TypeError):
        return False


def _read(folder: Path) -> dict[str, Any]:
    path = folder / JSON_NAME
    if not path.is_file():
        raise ValueError(f"there is no model in {folder}: it has no {JSON_NAME}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        written, version = document["format"], document["mvgraph"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged or not a model of mvgraph") from error
    if written != FORMAT:
        raise ValueError(
            f"the model in {folder} was written by mvgraph {version} in format "
            f"{written}; this is mvgraph {__version__}, which reads format {FORMAT}: "
            f"{'upgrade mvgraph' if written > FORMAT else 'fit and save it again'}"
        )
    return document


def _replace(temporary: Path, folder: Path) -> None:
    """Rename to the final name; an older model is moved away first."""
    old = temporary.with_suffix(".old")
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(temporary, folder)
    except BaseException:
        if old.exists():
            os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _public_path(cls: type) -> str:
    """Return the path of a class, through its package if the package exports it."""
    package = ".".join(cls.__module__.split(".")[:2])
    public = getattr(import_module(package), cls.__qualname__, None) is cls
    return f"{package if public else cls.__module__}:{cls.__qualname__}"


def _find_class(name: str) -> Any:
    """Import the class of a model; only estimators of this package are accepted."""
    module, _, attribute = name.partition(":")
    found = None
    if re.fullmatch(r"mvgraph(\.\w+)+", module):
        with contextlib.suppress(ImportError):
            found = getattr(import_module(module), attribute, None)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        raise ValueError(f"{name!r} is not an estimator of mvgraph {__version__}")
    return found


def _parameter(name: str, value: Any, arrays: dict) -> Any:
    if name == "random_state" and not isinstance(value, int | np.integer):
        return None
    return _encode(name, value, arrays)


def _encode(name: str, value: Any, arrays: dict) -> Any:
    """Turn a value into JSON; arrays are stored separately under numbered names."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _encode(name, value.item(), arrays)
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return _encode_array(name, value, arrays)
    if isinstance(value, dict):
        items = {str(k): _encode(name, v, arrays) for k, v in value.items()}
        return {"kind": "dict", "items": items}
    kind = type(value).__name__ if hasattr(value, "_fields") else "tuple"
    if not isinstance(value, list | tuple) or kind not in ("tuple", *RECORDS):
        raise ValueError(
            f"cannot save {name}: a {type(value).__name__} is neither number, text "
            "nor array; set it to one of these first"
        )
    coded = [_encode(name, v, arrays) for v in value]
    return coded if isinstance(value, list) else {"kind": kind, "items": coded}


def _encode_array(name: str, value: Any, arrays: dict) -> dict[str, Any]:
    if sp.issparse(value):
        csr = sp.csr_matrix(value)
        parts = [_put(a, arrays) for a in (csr.data, csr.indices, csr.indptr)]
        return {"kind": "csr", "parts": parts, "shape": list(csr.shape)}
    if value.dtype.hasobject:
        return {"kind": "objects", "items": _encode(name, value.tolist(), arrays)}
    return {"kind": "array", "name": _put(value, arrays)}


def _put(array: np.ndarray, arrays: dict) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


def _decode(value: Any, arrays: Any) -> Any:
    if isinstance(value, list):
        return [_decode(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "array":
        return arrays[value["name"]]
    if kind == "csr":
        parts = tuple(arrays[name] for name in value["parts"])
        return sp.csr_matrix(parts, shape=tuple(value["shape"]))
    if kind == "dict":
        return {k: _decode(v, arrays) for k, v in value["items"].items()}
    items = [_decode(v, arrays) for v in value["items"]]
    if kind == "objects":
        out = np.empty(len(items), dtype=object)
        out[:] = items
        return out
    if kind == "tuple":
        return tuple(items)
    module, _, name = RECORDS[kind].partition(":")
    return getattr(import_module(module), name)(*items)
