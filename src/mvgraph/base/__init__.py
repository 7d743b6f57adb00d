"""The contract of all methods: their input and their result."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mvgraph.base.clusterer import Clusterer
    from mvgraph.base.method import Method
    from mvgraph.base.result import Result
    from mvgraph.base.run import Run, iterate
    from mvgraph.ops.memory import require_memory

__all__ = ["Clusterer", "Method", "Result", "Run", "iterate", "require_memory"]

#: Module of every name, loaded on first use: the registry needs only the records.
_MODULES = {
    "Clusterer": "mvgraph.base.clusterer",
    "Method": "mvgraph.base.method",
    "Result": "mvgraph.base.result",
    "Run": "mvgraph.base.run",
    "iterate": "mvgraph.base.run",
    "require_memory": "mvgraph.ops.memory",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'mvgraph.base' has no attribute {name!r}")
    return vars(import_module(_MODULES[name]))[name]
