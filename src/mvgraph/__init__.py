"""Multi-view clustering through small anchor graphs.

``GraphConsensus`` is the default, ``MGL`` the published model that it is built from,
``AnchorFilter`` that model without its dependence on the order of rows. Importing the
package is cheap: every public name is loaded on first use.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mvgraph._version import __version__

if TYPE_CHECKING:
    from mvgraph import datasets, metrics, pl, tl
    from mvgraph.anchor_filter.estimator import AnchorFilter
    from mvgraph.base.result import RowOrderWarning
    from mvgraph.consensus.estimator import GraphConsensus
    from mvgraph.evaluation.forecast import estimate
    from mvgraph.inspection.choose_k import ChooseK
    from mvgraph.inspection.comparison import compare_labels
    from mvgraph.inspection.explanation import explain
    from mvgraph.mgl.estimator import MGL
    from mvgraph.page.write import write_page
    from mvgraph.persistence.models import load_model
    from mvgraph.prediction.monitor import monitor
    from mvgraph.tables.encoders import read_columns
    from mvgraph.views.coerce import as_views
    from mvgraph.views.container import Views

__all__ = [
    "MGL",
    "AnchorFilter",
    "ChooseK",
    "GraphConsensus",
    "RowOrderWarning",
    "Views",
    "__version__",
    "as_views",
    "compare_labels",
    "datasets",
    "estimate",
    "explain",
    "load_model",
    "metrics",
    "monitor",
    "pl",
    "read_columns",
    "tl",
    "write_page",
]

_HOME = {
    "AnchorFilter": "mvgraph.anchor_filter.estimator",
    "RowOrderWarning": "mvgraph.base.result",
    "GraphConsensus": "mvgraph.consensus.estimator",
    "MGL": "mvgraph.mgl.estimator",
    "Views": "mvgraph.views.container",
    "ChooseK": "mvgraph.inspection.choose_k",
    "as_views": "mvgraph.views.coerce",
    "compare_labels": "mvgraph.inspection.comparison",
    "explain": "mvgraph.inspection.explanation",
    "estimate": "mvgraph.evaluation.forecast",
    "load_model": "mvgraph.persistence.models",
    "monitor": "mvgraph.prediction.monitor",
    "read_columns": "mvgraph.tables.encoders",
    "write_page": "mvgraph.page.write",
}
_MODULES = ("datasets", "metrics", "pl", "tl")


# whoever wants to see the log of the library attaches a handler
logging.getLogger("mvgraph").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = vars(import_module(_HOME[name]))[name]
    elif name in _MODULES:
        value = import_module(f"mvgraph.{name}")
    else:
        raise AttributeError(f"module 'mvgraph' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
