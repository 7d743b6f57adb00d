"""Estimators as JSON and arrays, and back; no code is stored or run."""

from __future__ import annotations

import contextlib
import re
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from mvgraph._version import __version__

__all__ = [
    "RENAMED",
    "decode",
    "encode",
    "encode_parameter",
    "find_class",
    "public_path",
]

#: Classes of the records in a model.
RECORDS = {
    "Anchors": "mvgraph.graphs.anchors:Anchors",
    "AnchorClassifier": "mvgraph.prediction.anchor_votes:AnchorClassifier",
    "Discriminant": "mvgraph.prediction.discriminant:Discriminant",
    "Merges": "mvgraph.ops.communities:Merges",
    "Points": "mvgraph.anchor_filter.links:Points",
    "RowModel": "mvgraph.anchor_filter.rows:RowModel",
    "Targets": "mvgraph.anchor_filter.rows:Targets",
    "Scaling": "mvgraph.views.scaling:Scaling",
    # the name before version 0.2
    "Carrier": "mvgraph.prediction.anchor_votes:AnchorClassifier",
}
#: Attributes that had another name before version 0.2.
RENAMED = {"_carriers": "_classifiers"}


def public_path(cls: type) -> str:
    """Return the path of a class, through its package if the package exports it."""
    package = ".".join(cls.__module__.split(".")[:2])
    public = getattr(import_module(package), cls.__qualname__, None) is cls
    return f"{package if public else cls.__module__}:{cls.__qualname__}"


def find_class(name: str) -> Any:
    """Import the class of a model; only estimators of this package are accepted."""
    module, _, attribute = name.partition(":")
    found = None
    if re.fullmatch(r"mvgraph(\.\w+)+", module):
        with contextlib.suppress(ImportError):
            found = getattr(import_module(module), attribute, None)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        raise ValueError(f"{name!r} is not an estimator of mvgraph {__version__}")
    return found


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
        return _encode_array(name, value, arrays)
    if isinstance(value, dict):
        items = {str(k): encode(name, v, arrays) for k, v in value.items()}
        return {"kind": "dict", "items": items}
    kind = type(value).__name__ if hasattr(value, "_fields") else "tuple"
    if not isinstance(value, list | tuple) or kind not in ("tuple", *RECORDS):
        raise ValueError(
            f"cannot save {name}: a {type(value).__name__} is neither number, text "
            "nor array; set it to one of these first"
        )
    coded = [encode(name, v, arrays) for v in value]
    return coded if isinstance(value, list) else {"kind": kind, "items": coded}


def _encode_array(name: str, value: Any, arrays: dict) -> dict[str, Any]:
    if sp.issparse(value):
        csr = sp.csr_matrix(value)
        parts = [_put(a, arrays) for a in (csr.data, csr.indices, csr.indptr)]
        return {"kind": "csr", "parts": parts, "shape": list(csr.shape)}
    if value.dtype.hasobject:
        return {"kind": "objects", "items": encode(name, value.tolist(), arrays)}
    return {"kind": "array", "name": _put(value, arrays)}


def _put(array: np.ndarray, arrays: dict) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


def decode(value: Any, arrays: Any) -> Any:
    """Turn JSON into a value, with arrays by their numbered names."""
    if isinstance(value, list):
        return [decode(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "array":
        return arrays[value["name"]]
    if kind == "csr":
        parts = tuple(arrays[name] for name in value["parts"])
        return sp.csr_matrix(parts, shape=tuple(value["shape"]))
    if kind == "dict":
        return {k: decode(v, arrays) for k, v in value["items"].items()}
    items = [decode(v, arrays) for v in value["items"]]
    if kind == "objects":
        out = np.empty(len(items), dtype=object)
        out[:] = items
        return out
    if kind == "tuple":
        return tuple(items)
    module, _, name = RECORDS[kind].partition(":")
    return getattr(import_module(module), name)(*items)
