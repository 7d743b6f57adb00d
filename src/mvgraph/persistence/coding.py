"""Values of a model as JSON and arrays, and back; no code is stored or run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph._version import __version__

__all__ = [
    "SAVED",
    "decode",
    "encode",
    "encode_parameter",
    "find",
    "is_record",
    "path_of",
]

#: Classes that a model may consist of; a file that names anything else is rejected
#: before anything is imported. These packages do nothing when they are imported.
SAVED = re.compile(
    r"mvgraph\.(anchor_filter|baselines|consensus|graphs|mgl|ops|prediction|views)"
    r"(\.[a-z]\w*)+:[A-Z]\w*",
    re.ASCII,
)


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
    raise ValueError(f"{path!r} is nothing that mvgraph {__version__} saves")


def is_record(kind: type) -> bool:
    """Tell named tuples and frozen dataclasses: values whose making has no effect."""
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
        return _encode_array(name, value, arrays)
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
    return named if kind == "dict" else find(kind, is_record)(**named)
