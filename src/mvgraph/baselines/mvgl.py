"""MVGL: graph learning for multi-view clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import component_fit, reach_rank
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import neighbor_graph, symmetrise, without_diagonal
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="mvgl",
    family="one graph",
    title="One graph per view, then one near their sample-wise weighted mean",
    reference="zhan2018mvgl",
    cost="O(N^2 (d + K)) per step",
    memory="O(V N k) + sparse factor",
    published=True,
)


class State(NamedTuple):
    """Iterates of stage 2."""

    S: sp.csr_matrix  # (N, N) weighted mean of the graphs of the views
    cut: rank.Cut  # A, the graph with K components next to S
    W: np.ndarray  # (N, V) weights of the views for every sample
    objective: float
    change: float  # relative


class MVGL(Clusterer):
    r"""Learn a graph per view, then one with K components near their weighted mean.

    **Solves**, in every view,

    .. math:: \min_{S_v, F'F = I} \mathrm{tr}(F' L_{S_v} F) + \lambda \|S_v\|_F^2

    from the graph of nearest neighbours until it has K components, and then

    .. math:: \min_{A, W} \sum_j \Bigl\|a_j - \sum_v w_{vj} s_j^{(v)}\Bigr\|^2
        \quad \text{s.t. } \sum_v w_{vj} = 1,\; \mathrm{rank}(L_A) = N - K

    with rows of every graph on the simplex; the index j denotes columns [zhan2018]_.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="auto"
        See :func:`mvgraph.views.scaling.fit_scaling`.
    n_neighbors : int, default=10, at least 1
    local_views, local_graph : bool, default=True, False
        The graphs of the views have links only between nearest neighbours; the learned
        graph only where their mean has. False: between any samples.
    tol : float, default=1e-3
        Stop when the relative change of the objective is at most ``tol``, >= 0.
    max_iter : int, default=30
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Components of ``graph_``, numbered by first occurrence.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        A, not symmetric.
    embedding_ : ndarray of shape (n_samples, n_clusters)
    sample_view_weights_ : ndarray of shape (n_samples, n_views)
        Weights of the views per sample; they sum to one and may be negative.
    view_weights_ : ndarray of shape (n_views,)
        Their mean over samples.
    n_components_, n_iter_ : int
        If there are not K components, a ConvergenceWarning is issued.
    history_ : list of dict
        objective, residual (its relative change), n_components, seconds of every step.

    Notes
    -----
    Time O(N^2 d) and, per step, O(N^2 K) and some sparse eigenproblems for K + 1 pairs.
    Memory O(V N k), a sparse factorisation and blocks of rows; no dense N x N array is
    formed.

    References
    ----------
    .. [zhan2018] Zhan, Zhang, Guan, Wang, "Graph learning for multiview clustering",
       IEEE Trans. Cybernetics 48(10), 2018, :doi:`10.1109/TCYB.2017.2751646`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.mvgl import MVGL
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(MVGL(n_clusters=2).fit([X, X**3]).labels_)
    array([20, 20])
    """

    scaling: str = "auto"
    n_neighbors: int = 10
    local_views: bool = True
    local_graph: bool = False
    tol: float = 1e-3
    max_iter: int = 30

    def _fit(self, views: Views, run: Run) -> Result:
        K = self.n_clusters
        views = scaled(views, self.scaling)
        graphs = [self._learn_view(x) for x in views.arrays]
        V, N = len(graphs), len(views)
        S = (sum(graphs) / V).tocsr()
        s, history = iterate(
            lambda s: self._step(s, graphs),
            State(S, rank.start_cut(S, K, 1.0), np.full((N, V), 1 / V), np.nan, np.inf),
            # if A = S, further changes are rounding noise
            lambda s: s.change <= self.tol or s.objective < 1e-12,
            self.max_iter,
            lambda s: {
                "objective": s.objective,
                "residual": s.change,
                "n_components": rank.component_labels(s.cut.symmetric)[0],
            },
        )
        tip = "Change n_neighbors or scaling."
        fit = component_fit(s.cut.graph, s.cut.F, history, tip, s.W.mean(axis=0))
        return replace(fit, sample_view_weights=s.W)

    def _learn_view(self, X) -> sp.csr_matrix:
        """Stage 1: a graph with K components from that of nearest neighbours."""
        graph = neighbor_graph(X, self.n_neighbors, drop_first=True)
        pattern = graph * 0.0  # no data term after the start
        solve = rank.nearest_rows_on_pattern if self.local_views else rank.nearest_rows
        cut = reach_rank(
            rank.start_cut(graph, self.n_clusters, 1.0, 1e-11),
            lambda F, weight: solve(pattern, F, 1 / weight),
            30,
            tol=1e-11,
            mirrored=True,
        )
        return symmetrise(cut.graph, keep_diagonal=True)

    def _step(self, s: State, graphs: list[sp.csr_matrix]) -> State:
        """Stage 2: A from S, weights from A, S from the weights."""
        cut = self._constrain(s.S)
        W = combine_columns(cut.graph, graphs)
        S = sum(g @ sp.diags(w) for g, w in zip(graphs, W.T, strict=True)).tocsr()
        J = float(sp.linalg.norm(cut.graph - S) ** 2)
        return State(S, cut, W, J, abs(J - s.objective) / max(s.objective, 1e-300))

    def _constrain(self, S: sp.csr_matrix) -> rank.Cut:
        """Find the graph with K components nearest to S; S itself if it has K."""
        first = rank.start_cut(S, self.n_clusters, 1.0)
        A = without_diagonal(S)
        A = A.maximum(0) if self.local_graph else A  # links are positive
        solve = rank.nearest_rows_on_pattern if self.local_graph else rank.nearest_rows
        n_steps = 30 if first.rank_gap < 0 else 0
        return reach_rank(first, lambda F, weight: solve(A, F, weight), n_steps)


def combine_columns(A: sp.csr_matrix, parts: Sequence[sp.csr_matrix]) -> np.ndarray:
    """Find the affine combination of the columns of several matrices nearest to A.

    Solves, for every column j,  min_w ||a_j - sum_v w_v s_j^(v)||^2  s.t.  w'1 = 1,
    through  w = C^-1 1 / (1'C^-1 1),  C the Gram matrix of the gaps a_j - s_j^(v) with
    a ridge of rounding size. Weights may be negative.

    Parameters
    ----------
    A : csr_matrix of shape (n, m)
    parts : list of V csr_matrix, as A

    Returns
    -------
    ndarray of shape (m, V)
        Rows sum to one.
    """
    gaps = [(A - S).tocsr() for S in parts]
    V = len(gaps)
    C = np.empty((A.shape[1], V, V))
    for v in range(V):
        for w in range(v, V):
            column = np.asarray(gaps[v].multiply(gaps[w]).sum(axis=0)).ravel()
            C[:, v, w] = C[:, w, v] = column
    values, U = np.linalg.eigh(C)
    trace = values.sum(axis=1)
    trace[trace <= 0] = 1  # all parts equal A: equal weights
    values = np.maximum(values, 0) + np.finfo(float).eps * trace[:, None]
    ones = U.sum(axis=1)  # U'1
    ones[abs(ones) < 1e-12] = 0  # equal parts: their difference is rounding noise
    W = np.einsum("jvk,jk->jv", U, ones / values)
    return np.asarray(W / W.sum(axis=1, keepdims=True))
