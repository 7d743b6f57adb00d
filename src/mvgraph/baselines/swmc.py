"""SwMC: self-weighted multi-view clustering with multiple graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import component_fit, reach_rank
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import neighbor_graph, symmetrise
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="swmc",
    family="one graph",
    title="Self-weighted graph with K components near the graphs of all views",
    reference="nie2017swmc",
    cost="O(V N^2 d) + a sparse eigenproblem per step",
    memory="O(V N k) + sparse factor",
    published=True,
)


class State(NamedTuple):
    """Iterates of the outer loop."""

    cut: rank.Cut
    alpha: np.ndarray  # (V,)
    objective: float
    change: float


class SwMC(Clusterer):
    r"""Cluster by the graph with K components nearest to the graphs of all views.

    **Solves**

    .. math:: \min_S \sum_v \|S - A_v\|_F \quad \text{s.t. rows of S on the simplex,}\;
        \mathrm{rank}(L_S) = N - K

    by steps on :math:`\sum_v \alpha_v \|S - A_v\|_F^2` with :math:`\alpha_v =
    1 / (2 \|S - A_v\|_F)` [nie2017]_; A_v links the nearest neighbours in view v.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="auto"
        See :func:`mvgraph.views.scaling.fit_scaling`.
    n_neighbors : int, default=10, at least 1
    start : "uniform", "random" or array of shape (n_views,), default="uniform"
        First alpha, which the result depends on. Published: random on the simplex.
    tol : float, default=1e-8
        Stop when the objective changes by less than ``tol``, >= 0.
    max_iter : int, default=50
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Components of (S + S') / 2, numbered by first occurrence.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        S, not symmetric; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
    view_weights_ : ndarray of shape (n_views,)
        alpha, not normalised.
    n_components_, n_iter_ : int
        If there are not K components, a ConvergenceWarning is issued.
    history_ : list of dict
        objective (may increase: the rank step is not a descent step), residual (its
        change), n_components, seconds of every outer step.

    Notes
    -----
    Time O(V N^2 d) and, per inner step, O(V N k) and a sparse eigenproblem for K + 1
    pairs. Memory O(V N k) and a sparse factorisation; no dense N x N array is formed.

    References
    ----------
    .. [nie2017] Nie, Li, Li, "Self-weighted multiview clustering with multiple graphs",
       IJCAI 2017, :doi:`10.24963/ijcai.2017/357`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.swmc import SwMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(SwMC(n_clusters=2, n_neighbors=5).fit([X, X**3]).labels_)
    array([20, 20])
    """

    scaling: str = "auto"
    n_neighbors: int = 10
    start: Any = "uniform"
    tol: float = 1e-8
    max_iter: int = 50

    def _fit(self, views: Views, run: Run) -> Result:
        K, k = self.n_clusters, self.n_neighbors
        alpha = self._first_weights(run)
        views = scaled(views, self.scaling)
        # a duplicate's link to itself stays, as in the published routine
        graphs = [
            symmetrise(neighbor_graph(x, k, drop_first=True), keep_diagonal=True)
            for x in views.arrays
        ]
        cut = rank.start_cut(_mix(graphs, alpha), K, 1.0)
        last, history = iterate(
            lambda s: _step(s, graphs),
            State(cut, alpha, np.inf, np.inf),
            lambda s: abs(s.change) < self.tol,
            self.max_iter,
            lambda s: {
                "objective": s.objective,
                "residual": abs(s.change),
                "n_components": rank.component_labels(s.cut.symmetric)[0],
            },
        )
        remedy = "Change n_neighbors or scaling."
        return component_fit(last.cut.graph, last.cut.F, history, remedy, last.alpha)

    def _first_weights(self, run: Run) -> np.ndarray:
        V = len(run.order.views)
        named = isinstance(self.start, str) and self.start in ("uniform", "random")
        if not named and np.shape(self.start) != (V,):
            raise ValueError(
                "start must be 'uniform', 'random' or an array of one weight per view; "
                f"got {self.start!r}."
            )
        if not named:  # given in the caller's order of views
            return np.asarray(self.start, dtype=float)[run.order.views]
        alpha = run.rng.random(V) if self.start == "random" else np.ones(V)
        return alpha / alpha.sum()


def _mix(graphs: list[sp.csr_matrix], alpha: np.ndarray) -> sp.csr_matrix:
    return sum(a * graph for a, graph in zip(alpha, graphs, strict=True)).tocsr()


def _step(s: State, graphs: list[sp.csr_matrix]) -> State:
    """Constrain the weighted mean graph to K components; update the view weights."""
    A, scale = _mix(graphs, s.alpha), s.alpha.sum()
    cut = reach_rank(
        s.cut._replace(weight=1.0),  # lambda is reset
        lambda F, weight: rank.nearest_rows_on_pattern(A, F, weight, scale),
        50,
    )
    gaps = np.array([sp.linalg.norm(cut.graph - graph) for graph in graphs])
    alpha, total = 1 / (2 * np.maximum(gaps, 1e-12)), float(gaps.sum())
    return State(cut, alpha, total, total - s.objective)
