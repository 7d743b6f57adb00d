"""Steps to a graph with K components, and the result of methods that use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.checks import components_note
from mvgraph.base.iteration import iterate
from mvgraph.base.result import Result
from mvgraph.ops.affinity.rank_constraint import Cut, component_labels, rank_step

__all__ = ["component_fit", "reach_rank"]


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
