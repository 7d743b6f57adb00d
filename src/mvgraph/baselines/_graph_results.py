"""Results of methods whose clusters are the components or communities of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Result, iterate
from mvgraph.base.checks import communities_note, components_note
from mvgraph.ops.affinity.rank_constraint import Cut, component_labels, rank_step


def community_fit(
    W: sp.csr_matrix,
    find: Callable[[float], np.ndarray],
    n_clusters: int,
    resolution: float | None,
    **more: Any,
) -> Result:
    """Find communities of W at a resolution, or search one that gives n_clusters.

    A search that misses the number is reported; a resolution that was given is not.
    ``more`` are further fields of the result.
    """
    search = search_resolution(find, n_clusters, resolution)
    best, given = search.best, resolution is not None
    return Result(
        best.labels,
        affinity=W,
        history=search.history,
        extra={"n_communities_": best.found, "resolution_": best.resolution},
        warnings=() if given else communities_note(best.found, n_clusters),
        **more,
    )


MAX_TRIALS = 30


class Trial(NamedTuple):
    """The communities at one resolution."""

    resolution: float
    found: int
    labels: np.ndarray  # 0, 1, ...


class Search(NamedTuple):
    """All trials of a search, and the number of communities that was wanted."""

    trials: list[Trial]
    wanted: int

    @property
    def best(self) -> Trial:
        """The trial that is closest to the wanted number, the first of several."""
        return min(self.trials, key=lambda t: abs(t.found - self.wanted))

    @property
    def history(self) -> list[dict[str, Any]]:
        """Resolution and number of communities of every trial."""
        return [
            {"resolution": t.resolution, "n_communities": t.found} for t in self.trials
        ]


def search_resolution(
    find: Callable[[float], np.ndarray],
    n_communities: int,
    resolution: float | None = None,
) -> Search:
    """Bisect log(resolution) until there are n_communities.

    The number of communities increases with the resolution, though not monotonically.

    Parameters
    ----------
    find : callable, resolution -> ndarray of int
        Labels 0, 1, ... of the communities.
    n_communities : int
    resolution : float, optional
        If given, it is the only trial.

    Returns
    -------
    Search
        At most MAX_TRIALS trials.
    """
    trials = [_attempt(find, 1.0 if resolution is None else resolution)]
    if resolution is not None:
        return Search(trials, n_communities)
    low, high = 2.0**-10, 2.0**20
    while trials[-1].found != n_communities and len(trials) < MAX_TRIALS:
        at = trials[-1].resolution
        low, high = (at, high) if trials[-1].found < n_communities else (low, at)
        # change the resolution by factors of at most 2
        step = float(np.clip(np.sqrt(low * high), at / 2, at * 2))
        trials.append(_attempt(find, step))
    return Search(trials, n_communities)


def _attempt(find: Callable[[float], np.ndarray], resolution: float) -> Trial:
    labels = find(resolution)
    return Trial(resolution, int(labels.max()) + 1, labels)


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
    """Label samples by the components of a graph; warn if there are not K.

    Parameters
    ----------
    graph : csr_matrix of shape (N, N)
        Symmetric or not.
    F : ndarray of shape (N, K)
    history : list of dict
    remedy : str
        Advice for the warning.
    weights : ndarray of shape (V,), optional
        Weights of the views.

    Returns
    -------
    Result
        With embedding, affinity, n_components, history, and view_weights if there are
        weights.
    """
    count, labels = component_labels(graph)
    return Result(
        labels,
        embedding=F,
        view_weights=weights,
        affinity=graph,
        n_components=count,
        history=history,
        warnings=components_note(count, F.shape[1], len(history), remedy),
    )
