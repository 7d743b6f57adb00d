"""The registry: every method by the name that users type.

The two estimators of the library stand here; a baseline registers itself by a
module-level ``METHOD``, or several by ``METHODS``, in its own file under
``mvgraph/baselines/``.
"""

from __future__ import annotations

import pkgutil
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from mvgraph._method import Method

__all__ = ["Method", "get", "names", "table"]

DEFAULT = "graph-consensus"


def names() -> list[str]:
    """List the names of all methods, the default first."""
    return list(_registry())


def get(name: str) -> Method:
    """Return the method of this name.

    Examples
    --------
    >>> from mvgraph import methods
    >>> methods.get("mgl").needs_n_by_n
    False
    """
    found = _registry()
    if name not in found:
        close = get_close_matches(name, found, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"no method is called {name!r}; {hint}known: {', '.join(found)}"
        )
    return found[name]


def table() -> list[dict[str, Any]]:
    """Describe all methods, one dict each."""
    return [method.describe() for method in _registry().values()]


@cache
def _registry() -> dict[str, Method]:
    baselines = [method for m in _baseline_modules() for method in _methods_of(m)]
    baselines.sort(key=lambda method: method.name)
    found: dict[str, Method] = {}
    for method in [GRAPH_CONSENSUS, MGL, *baselines]:
        if method.name in found:
            raise RuntimeError(f"two methods are called {method.name!r}")
        found[method.name] = method
    return found


def _baseline_modules() -> list[ModuleType]:
    try:
        package = import_module("mvgraph.baselines")
    except ModuleNotFoundError:
        return []
    found = pkgutil.iter_modules(package.__path__, package.__name__ + ".")
    return [import_module(m.name) for m in found]


def _methods_of(module: ModuleType) -> tuple[Method, ...]:
    several = getattr(module, "METHODS", ())
    return (*several, module.METHOD) if hasattr(module, "METHOD") else tuple(several)


def _build_consensus(
    n_clusters: int, random_state: Any, preset: str, dataset_name: str | None
) -> Any:
    from mvgraph.consensus import GraphConsensus

    return GraphConsensus(n_clusters, random_state=random_state)


def _build_mgl(
    n_clusters: int, random_state: Any, preset: str, dataset_name: str | None
) -> Any:
    from mvgraph.mgl import MGL
    from mvgraph.paper_settings import builder

    return builder(MGL, "mgl")(n_clusters, random_state, preset, dataset_name)


GRAPH_CONSENSUS = Method(
    name=DEFAULT,
    title="Consensus of many anchor-graph partitions, the default",
    paper="none: this library; the final cut follows Fern and Brodley, "
    "Solving cluster ensemble problems by bipartite graph partitioning (2004)",
    year=2026,
    doi="",
    cost="O(N M d)",
    memory="O(N (d + k V))",
    order_free=True,
    needs_n_by_n=False,
    build=_build_consensus,
)

MGL = Method(
    name="mgl",
    title="Multiple graph learning; preset paper depends on the order of the rows",
    paper="Jiang, Gao and Gao, "
    "Multiple graph learning for scalable multi-view clustering",
    year=2021,
    doi="",
    cost="O(N M (d + V)) a pass",
    memory="O(N M V)",
    order_free=True,
    needs_n_by_n=False,
    build=_build_mgl,
    presets=("default", "paper"),
)
