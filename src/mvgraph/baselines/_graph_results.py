"""Results that several baselines read from a graph or an embedding alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base import Result, Run, iterate
from mvgraph.base.result import Note
from mvgraph.graphs.partition import components, spectral_labels
from mvgraph.ops.affinity.neighbors import neighbor_graph, symmetrise
from mvgraph.ops.affinity.rank_constraint import Cut, component_labels, rank_step
from mvgraph.ops.affinity.structured import Structured
from mvgraph.ops.communities import leiden
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.wording import counted
from mvgraph.views.container import Views

MAX_TRIALS = 30  # of the resolution


def normalised_graphs(views: Views, n_neighbors: int) -> list[sp.csr_matrix]:
    """Return the normalised graph of nearest neighbours of every view."""
    graphs = [neighbor_graph(x, n_neighbors, drop_first=True) for x in views.arrays]
    return [normalise(symmetrise(graph)) for graph in graphs]


def spectral_fit(U: np.ndarray, K: int, run: Run, n_init: int, **more: Any) -> Result:
    """Cluster the rows of an embedding, scaled to length 1; ``more``: other fields."""
    labels = spectral_labels(U, K, run.rng, n_init)
    return Result(labels, embedding=row_normalise(U), **more)


def community_fit(
    W: sp.csr_matrix, K: int, resolution: float | None, run: Run, **more: Any
) -> Result:
    """Find communities of W at a resolution, or at one that gives K of them.

    A warning is issued if a search does not find K; ``more`` are other fields of the
    result.
    """
    seed = int(run.rng.integers(2**31))  # the same for every trial
    trials = search_resolution(
        lambda gamma: leiden(W, np.random.default_rng(seed), gamma), K, resolution
    )
    # the first of several that come equally close
    best = min(trials, key=lambda t: abs(t.n_communities - K))
    count = counted(best.n_communities, "community", "communities")
    text = (
        f"Leiden found {count} at the resolution that comes closest to n_clusters={K}; "
        "change n_neighbors or set resolution."
    )
    missed = resolution is None and best.n_communities != K
    history = [t._asdict() for t in trials]
    for entry in history:
        del entry["labels"]
    return Result(
        best.labels,
        affinity=W,
        history=history,
        extra={"n_communities_": best.n_communities, "resolution_": best.resolution},
        warnings=((text, ConvergenceWarning),) if missed else (),
        **more,
    )


class Trial(NamedTuple):
    """The communities at one resolution."""

    resolution: float
    n_communities: int
    labels: np.ndarray  # 0, 1, ...


def search_resolution(
    find: Callable[[float], np.ndarray],
    n_communities: int,
    resolution: float | None = None,
) -> list[Trial]:
    """Bisect log(resolution) until there are n_communities, for at most MAX_TRIALS.

    The number of communities increases with the resolution, though not monotonically.

    Parameters
    ----------
    find : callable, resolution -> ndarray of int
        Labels 0, 1, ... of the communities.
    n_communities : int
    resolution : float, optional
        If given, it is the only trial.
    """

    def attempt(at: float) -> Trial:
        labels = find(at)
        return Trial(at, int(labels.max()) + 1, labels)

    trials = [attempt(1.0 if resolution is None else resolution)]
    most = MAX_TRIALS if resolution is None else 1
    low, high = 2.0**-10, 2.0**20
    while trials[-1].n_communities != n_communities and len(trials) < most:
        at, count, _ = trials[-1]
        low, high = (at, high) if count < n_communities else (low, at)
        # change the resolution by factors of at most 2
        trials.append(attempt(float(np.clip(np.sqrt(low * high), at / 2, at * 2))))
    return trials


def reach_rank(first: Cut, solve: Callable, max_iter: int, **options: Any) -> Cut:
    """Repeat :func:`mvgraph.ops.affinity.rank_constraint.rank_step`.

    Stops when the graph has K components, or after ``max_iter`` steps.
    """
    return iterate(
        lambda s: rank_step(s, solve, **options),
        first,
        lambda s: s.rank_gap == 0,
        max_iter,
        lambda s: {},
    )[0]


def component_fit(
    graph: sp.csr_matrix,
    F: np.ndarray,
    history: list[dict[str, Any]],
    remedy: str,
    weights: np.ndarray | None = None,
) -> Result:
    """Label samples by the components of a graph (N, N); warn if there are not K.

    ``F`` is the embedding (N, K), ``weights`` those of the views; ``remedy`` ends the
    warning.
    """
    count, labels = component_labels(graph)
    return Result(
        labels,
        embedding=F,
        view_weights=weights,
        affinity=graph,
        n_components=count,
        history=history,
        warnings=_components_note(count, F.shape[1], history, remedy),
    )


def structured_fit(
    P: Structured, K: int, history: list[dict[str, Any]], remedy: str, **more: Any
) -> Result:
    """Label samples and anchors by the components of a graph; see `component_fit`."""
    count, labels, anchor_labels = components(P.graph)
    return Result(
        labels,
        graph=P.graph,
        embedding=P.embedding,
        anchor_labels=anchor_labels,
        n_components=count,
        history=history,
        warnings=_components_note(count, K, history, remedy),
        **more,
    )


def _components_note(
    count: int, K: int, history: list[dict[str, Any]], remedy: str
) -> tuple[Note, ...]:
    text = (
        f"The learned graph has {counted(count, 'component')}, not n_clusters={K}, "
        f"after {counted(len(history), 'step')}; labels_ numbers these components. "
        f"{remedy}"
    )
    return ((text, ConvergenceWarning),) if count != K else ()
