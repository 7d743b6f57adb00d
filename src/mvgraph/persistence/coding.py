"""Values of a model as JSON and arrays, and back; no code is stored or run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph._version import __version__

__all__ = ["ESTIMATORS", "RECORDS", "decode", "encode", "encode_parameter", "find"]

#: Estimators that can be saved, by the name in the file: those with a predictor.
ESTIMATORS = {
    "AnchorFilter": "mvgraph.anchor_filter.estimator",
    "GraphConsensus": "mvgraph.consensus.estimator",
    "KMeansConcat": "mvgraph.baselines.kmeans_concat",
    "MGL": "mvgraph.mgl.estimator",
}
#: Records that are parts of a model, named tuples and dataclasses.
RECORDS = {
    "AnchorClassifier": "mvgraph.prediction.anchor_votes",
    "AnchorPredictor": "mvgraph.prediction.anchor_predictor",
    "Anchors": "mvgraph.graphs.anchors",
    "Annotation": "mvgraph.views.annotated",
    "CentrePredictor": "mvgraph.baselines.kmeans_concat",
    "Content": "mvgraph.views.order",
    "Discriminant": "mvgraph.prediction.discriminant",
    "FilterPredictor": "mvgraph.anchor_filter.predictor",
    "Merges": "mvgraph.ops.communities",
    "Points": "mvgraph.anchor_filter.links",
    "RowModel": "mvgraph.anchor_filter.rows",
    "Scaling": "mvgraph.views.scaling",
    "Schema": "mvgraph.views.schema",
    "Targets": "mvgraph.anchor_filter.rows",
}


def find(name: str, known: Mapping[str, str]) -> Any:
    """Import a class by its name in the file; no other than the known are imported.

    Raises
    ------
    ValueError
        The name is not known.
    """
    if name not in known:
        raise ValueError(f"{name!r} is nothing that mvgraph {__version__} saves")
    return vars(import_module(known[name]))[name]


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
    kind, parts = _parts(value)
    if kind in ("dict", *RECORDS):
        items = {str(k): encode(name, v, arrays) for k, v in parts.items()}
        return {"kind": kind, "items": items}
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"cannot save {name}: a {kind} is neither number, text nor array; set it "
            "to one of these first"
        )
    coded = [encode(name, v, arrays) for v in value]
    return coded if isinstance(value, list) else {"kind": "tuple", "items": coded}


def _parts(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the name of the type of a value, and its parts if they have names."""
    kind = type(value).__name__
    if isinstance(value, Mapping):
        return "dict", dict(value)
    if isinstance(value, tuple) and kind in RECORDS:
        return kind, value._asdict()  # type: ignore[attr-defined]
    if is_dataclass(value):
        return kind, {f.name: vars(value)[f.name] for f in fields(value)}
    return kind, {}


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
    if kind in ("tuple", "objects"):
        items = [decode(v, arrays) for v in value["items"]]
        if kind == "tuple":
            return tuple(items)
        out = np.empty(len(items), dtype=object)
        out[:] = items
        return out
    named = {k: decode(v, arrays) for k, v in value["items"].items()}
    return named if kind == "dict" else find(kind, RECORDS)(**named)
