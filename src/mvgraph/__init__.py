"""Multi-view clustering through small anchor graphs.

``GraphConsensus`` is the order-free default, ``MGL`` the published model it is built
from. Importing the package is cheap: every public name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mvgraph import datasets, metrics, tl
    from mvgraph.choose_k import ChooseK
    from mvgraph.consensus import GraphConsensus
    from mvgraph.explanation import explain
    from mvgraph.forecast import estimate
    from mvgraph.mgl import MGL
    from mvgraph.models import load_model
    from mvgraph.views import Views, as_views

__version__ = "0.1.0"
__all__ = [
    "MGL",
    "ChooseK",
    "GraphConsensus",
    "Views",
    "__version__",
    "as_views",
    "datasets",
    "estimate",
    "explain",
    "load_model",
    "metrics",
    "tl",
]

_HOME = {
    "GraphConsensus": "mvgraph.consensus",
    "MGL": "mvgraph.mgl",
    "Views": "mvgraph.views",
    "ChooseK": "mvgraph.choose_k",
    "as_views": "mvgraph.views",
    "explain": "mvgraph.explanation",
    "estimate": "mvgraph.forecast",
    "load_model": "mvgraph.models",
}
_MODULES = ("datasets", "metrics", "tl")


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"mvgraph.{name}")
    else:
        raise AttributeError(f"module 'mvgraph' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
