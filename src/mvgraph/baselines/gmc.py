"""GMC: graphs of all views and a unified graph with K components."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.base.result import Note
from mvgraph.baselines._graph_results import component_fit
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import nearest_others, rows_to_csr
from mvgraph.views.container import Views
from mvgraph.views.flattening import flattened_views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="gmc",
    family="one graph",
    title="Unified graph with K components, learned together with the graphs of views",
    reference="wang2020gmc",
    cost="O(V N^2 d) + a sparse eigenproblem per step",
    memory="O(V N k) + sparse factor",
)

#: Least || U - S_v ||_F, as a share of || U ||_F: in a view equal to U, as in the only
#: one, lambda would have no effect.
LEAST_GAP = 1e-3


class Near(NamedTuple):
    """The nearest others of every sample in a view."""

    idx: np.ndarray  # (N, k)
    d: np.ndarray  # (N, k) squared distances, ascending
    end: np.ndarray  # (N,) the sample after them, which gets weight 0
    d_end: np.ndarray  # (N,)


class State(NamedTuple):
    """Iterates of the loop."""

    cut: rank.Cut  # of U
    w: np.ndarray  # (V,)
    gaps: np.ndarray  # (V,) || U - S_v ||_F


class GMC(Clusterer):
    r"""Learn the graphs of all views and a unified graph with K components.

    **Solves**

    .. math:: \min_{S_v, U, F} \sum_v \Bigl(\sum_{ij} \|x_i^v - x_j^v\|^2 s_{ij}^v
        + \alpha \sum_i \|s_i^v\|^2 + w_v \|U - S_v\|_F^2\Bigr)
        + \lambda\, \mathrm{tr}(F^T L_U F)

    with the rows of S_v and U on the simplex, F'F = I, :math:`w_v = 1 / (2 \|U -
    S_v\|_F)`, the alpha that leaves ``n_neighbors`` non-zeros, and lambda doubled
    until U has K components [wang2020]_.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="rowz"
        See :func:`mvgraph.views.scaling.fit_scaling`; ``rowz`` is part of the method.
    n_neighbors : int, default=15, at least 1
        At most n_samples - 2 are used.
    weight : float, default=1.0
        First lambda, > 0.
    max_iter : int, default=20
    random_state : int, Generator, RandomState or None, default=None
        Only decides ties; binary views and zero rows have many, and labels then vary.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Components of (U + U') / 2, numbered by first occurrence.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        U, not symmetric; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        F.
    view_weights_ : ndarray of shape (n_views,)
        w, not normalised; 0 for a view in which all samples are equal after scaling, as
        under ``rowz`` with one feature: it is left out, with a warning.
    n_components_, n_iter_ : int
        If there are not K components, a ConvergenceWarning is issued.
    history_ : list of dict
        objective (the sum of ||U - S_v||_F), residual (tr(F' L F)), weight (lambda of
        the next step), n_components, seconds of every step.

    Notes
    -----
    Time O(V N^2 d) and, per step, O(V N k) and a sparse eigenproblem for K + 1 pairs.
    Memory O(V N k) and a sparse factorisation; no N x N array is formed. Kept from the
    public code: S_v enter U with equal weights, w_v acts on the pull towards F only,
    and rows of S_v are not normalised after clipping. The published code drops the
    first of the sorted samples instead of the sample itself, which differs among
    duplicates, and turns all signs in a row of S_v whose denominator is negative: here
    such rows get equal weights. Small groups may be cut off and leave one large
    cluster.

    References
    ----------
    .. [wang2020] Wang, Yang, Liu, "GMC: Graph-based multi-view clustering", IEEE
       Transactions on Knowledge and Data Engineering 32, 2020,
       :doi:`10.1109/TKDE.2019.2903810`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.gmc import GMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 9, 0], [9, 0, 0]], 20, axis=0) + rng.normal(size=(40, 3))
    >>> np.bincount(GMC(n_clusters=2, n_neighbors=5).fit([X, X + 1]).labels_)
    array([20, 20])
    """

    scaling: str = "rowz"
    n_neighbors: int = 15
    weight: float = 1.0
    max_iter: int = 20

    def _fit(self, views: Views, run: Run) -> Result:
        K = self.n_clusters
        flat = flattened_views(views, self.scaling)  # those fit itself reports
        views = scaled(views, self.scaling)
        every = [nearest_in_view(x, self.n_neighbors) for x in views.arrays]
        differs = np.array([view.d_end.max() > 0 for view in every])
        differs |= not differs.any()
        near = [view for view, kept in zip(every, differs, strict=True) if kept]
        V = len(near)
        first = sum(view_graph(view, None, 0.0) for view in near) / V
        cut = rank.start_cut(sp.csr_matrix(first), K, self.weight)
        last, history = iterate(
            lambda s: _step(s, near),
            State(cut, np.full(V, 1 / V), np.full(V, np.inf)),
            lambda s: s.cut.rank_gap == 0,
            self.max_iter,
            lambda s: {"objective": float(s.gaps.sum())} | rank.rank_state(s.cut),
        )
        remedy = "Raise max_iter, or change n_neighbors or scaling."
        w = np.zeros(len(differs))
        w[differs] = last.w
        result = component_fit(last.cut.graph, last.cut.F, history, remedy, w)
        left_out = [views.names[v] for v in np.flatnonzero(~differs)]
        left_out = [name for name in left_out if name not in flat]
        return replace(result, warnings=result.warnings + self._notes(left_out))

    def _notes(self, left_out: list[str]) -> tuple[Note, ...]:
        if not left_out:
            return ()
        text = (
            f"After scaling={self.scaling!r} the nearest neighbours of every sample "
            f"are copies of it in {', '.join(map(repr, left_out))}: left out. Use "
            "another scaling or more n_neighbors, or drop constant views."
        )
        return ((text, UserWarning),)


def nearest_in_view(x, n_neighbors: int) -> Near:
    """Find the k nearest others, k at most N - 2, and the one after them."""
    k = max(min(n_neighbors, x.shape[0] - 2), 1)
    idx, d = nearest_others(x, min(k + 1, x.shape[0] - 1))  # two samples: one other
    return Near(idx[:, :k], d[:, :k], idx[:, -1], d[:, -1])


def view_graph(near: Near, U: sp.csr_matrix | None, w: float) -> sp.csr_matrix:
    """Update the graph of a view from distances and the unified graph.

    Solves, for every row,  min_s  sum_j d_j s_j + alpha s_j^2 + w (s_j - u_j)^2  with
    s'1 = 1 over the k nearest, for the alpha that gives the one after them weight 0;
    negative weights are then set to 0. Where no alpha > 0 does, as among duplicates,
    weights are equal: the published quotient would change all signs.

    Parameters
    ----------
    near : Near
    U : csr_matrix of shape (N, N) or None
        None: without the last term.
    w : float

    Returns
    -------
    csr_matrix of shape (N, N)
    """
    (n, k), rows = near.idx.shape, np.arange(len(near.idx))
    gaps = near.d_end[:, None] - near.d
    if U is not None:
        ends = np.column_stack([near.idx, near.end])
        u = np.asarray(U[np.repeat(rows, k + 1), ends.ravel()]).reshape(ends.shape)
        gaps = gaps + 2 * w * (u[:, :-1] - u[:, -1:])
    total = gaps.sum(axis=1)
    flat = total <= 1e-14 * near.d_end  # no alpha > 0, or no order of neighbours
    weights = np.maximum(gaps, 0) / np.where(flat, 1, total)[:, None]
    weights[flat] = 1 / k
    return rows_to_csr(near.idx, weights, n)


def _step(s: State, near: list[Near]) -> State:
    """Update the graphs of the views, their weights, and the unified graph."""
    V, U = len(near), s.cut.graph
    graphs = [view_graph(view, U, w) for view, w in zip(near, s.w, strict=True)]
    gaps = np.array([sp.linalg.norm(U - S) for S in graphs])
    w = 0.5 / np.maximum(gaps, LEAST_GAP * sp.linalg.norm(U))
    A, pull = sp.csr_matrix(sum(graphs) / V), float((1 / w).mean()) / V

    def solve(F: np.ndarray, weight: float) -> sp.csr_matrix:
        return rank.nearest_rows_on_pattern(A, F, weight * pull)

    return State(rank.rank_step(s.cut, solve), w, gaps)
