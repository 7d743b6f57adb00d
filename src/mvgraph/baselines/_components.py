"""Steps up to a graph with K components, and what its methods return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.checks import warn_components
from mvgraph.base.clusterer import Fit
from mvgraph.base.iteration import iterate
from mvgraph.ops.affinity.rank_constraint import Cut, component_labels, rank_step

__all__ = ["component_fit", "reach_rank"]


def reach_rank(first: Cut, solve: Callable, max_iter: int, **options: Any) -> Cut:
    """Repeat `mvgraph.ops.affinity.rank_constraint.rank_step` up to K components."""
    return iterate(
        lambda s: rank_step(s, solve, **options),
        first,
        lambda s: s.excess == 0,
        max_iter,
        lambda s: {},
    )[0]


def component_fit(
    graph: sp.csr_matrix,
    F: np.ndarray,
    history: list[dict[str, Any]],
    remedy: str,
    weights: np.ndarray | None = None,
) -> Fit:
    """Label samples by the components of a graph; warn if they are not K.

    Call it from ``_fit``.

    Parameters
    ----------
    graph : csr_matrix of shape (N, N)
        Symmetric or not.
    F : ndarray of shape (N, K)
    history : list of dict
    remedy : str
        What to try where the components are not K.
    weights : ndarray of shape (V,), optional
        Weights of the views.

    Returns
    -------
    Fit
        With embedding_, graph_, n_components_, n_iter_, history_, and view_weights_ if
        there are weights.
    """
    count, labels = component_labels(graph)
    if count != F.shape[1]:
        warn_components(count, F.shape[1], len(history), remedy, stacklevel=6)
    return Fit(
        labels,
        samples={"embedding_": F},
        views={} if weights is None else {"view_weights_": weights},
        pairs={"graph_": graph},
        other={
            "n_components_": count,
            "n_iter_": len(history),
            "history_": history,
        },
    )
