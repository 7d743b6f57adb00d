"""SFMC: fuse anchor graphs of views into one graph with exactly K components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import structured_fit
from mvgraph.graphs.anchors import Anchors, das_rows
from mvgraph.graphs.bipartite import view_graphs
from mvgraph.ops.affinity.structured import Structured, structured_graph
from mvgraph.ops.proximal.simplex import simplex_qp
from mvgraph.views.container import Views
from mvgraph.views.order import content_order
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="sfmc",
    family="anchors",
    title="Scalable parameter-free bipartite graph fusion",
    reference="li2022sfmc",
    cost="O(N M d)",
    memory="O(N V k + M K)",
    published=True,
)


class SFMC(Clusterer):
    r"""Fuse one anchor graph per view into a graph with exactly K components.

    **Solves**

    .. math:: \min_{\alpha, P} \Bigl\| \sum_v \alpha_v B^{(v)} - P \Bigr\|_F^2

    with alpha on the simplex, P >= 0 and [0 P; P' 0] of exactly K components, the
    clusters [1]_; B are the graphs of samples and anchors.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int or float, default=0.5
        M; a float in (0, 1] is a share of the samples, at least K.
    n_neighbors : int, default=10
        Anchors that a sample is linked to, at least 1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`; published: ``max``. With
        ``rowz`` the sums of features are constant, and the choice of anchors depends
        only on rounding.
    max_iter : int, default=10
        Number of passes over alpha and P, without a stopping rule.
    random_state : ignored; the method is deterministic

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    anchor_labels_, anchor_rows_ : ndarray of int64, shape (n_anchors,)
        Clusters (-1: no sample uses it) and rows of the anchors, ascending.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        P; row sums are between 1/2 and about 1.
    embedding_ : ndarray of shape (n_samples, n_clusters)
    view_weights_ : ndarray of shape (n_views,), alpha
    n_components_, n_iter_ : int
    history_ : list of dict
        objective, residual (largest change of alpha), weight (lambda), seconds.

    Notes
    -----
    Time O(N M d) for the graphs, O(N M) for the anchors, O(N V k K) per pass over a
    structured graph; memory O(N V k + M K) floats and a block of distances: neither
    N x N nor N x M. The choice of anchors is chaotic: from about pick 40 on it depends
    on the last bit of the feature sums, hence on the order of views and features (not
    of samples); noise of 1e-15 changed the accuracy on MSRC-v5 to values between .61
    and .89. On Handwritten4 a change of 1e-5 in alpha changed it from .85 to .76.
    Departure: alpha is exact; the published solver stops up to 1e-4 away from it.

    References
    ----------
    .. [1] Li, Zhang, Wang, Nie, "Multiview clustering: a scalable and parameter-free
       bipartite graph fusion method", IEEE TPAMI 44(1), 2022,
       :doi:`10.1109/TPAMI.2020.3011148`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.sfmc import SFMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 30, axis=0) + rng.normal(size=(60, 2))
    >>> np.bincount(SFMC(n_clusters=2).fit([X, X**2]).labels_)
    array([30, 30])
    """

    _reads_in_place = True  # in an order that does not depend on random_state
    _sorts_views = False  # the choice of anchors depends on their order

    n_anchors: int | float = 0.5
    n_neighbors: int = 10
    scaling: str = "auto"
    max_iter: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        order = content_order(views, 0).rows
        anchors, graphs = self._graphs(views[order])
        P, alpha, history = structured_fusion(graphs, self.n_clusters, self.max_iter)
        back, columns = np.argsort(order), np.argsort(order[anchors])
        P = P._replace(graph=P.graph[back][:, columns], embedding=P.embedding[back])
        return structured_fit(
            P,
            self.n_clusters,
            history,
            "Change n_clusters, n_anchors, n_neighbors or scaling.",
            view_weights=alpha,
            anchor_rows=order[anchors][columns],
        )

    def _graphs(self, views: Views) -> tuple[np.ndarray, list[sp.csr_matrix]]:
        """Choose anchors and link every sample to its nearest: steps 1 and 2."""
        X = scaled(views, self.scaling)
        M = self.n_anchors
        if isinstance(M, float):
            M = max(int(len(views) * M + 1e-9), self.n_clusters)  # 0.29999... is 0.3
        if not self.n_clusters <= M <= len(views):
            raise ValueError(
                f"n_anchors={self.n_anchors} gives {M} anchors, not from n_clusters="
                f"{self.n_clusters} to n_samples={len(views)}."
            )
        rows = das_rows(X, M)
        graphs = view_graphs(X, Anchors(X[rows].arrays, rows), self.n_neighbors)
        return rows, [g.tocsr() for g in graphs]


class _State(NamedTuple):
    P: Structured
    alpha: np.ndarray
    change: float


def structured_fusion(
    graphs: list[sp.csr_matrix],
    K: int,
    max_iter: int,
    solve: Callable[[np.ndarray, np.ndarray], np.ndarray] = simplex_qp,
) -> tuple[Structured, np.ndarray, list[dict[str, Any]]]:
    """Alternate between the graph P and the weights alpha of the views: step 3."""
    Q = np.array([[A.multiply(B).sum() for B in graphs] for A in graphs])

    def mix(alpha: np.ndarray) -> sp.csr_matrix:
        return sum(a * B for a, B in zip(alpha, graphs, strict=True))

    def step(s: _State) -> _State:
        inner = np.array([B.multiply(s.P.graph).sum() for B in graphs])
        alpha = solve(Q, 2 * inner)
        change = float(np.abs(alpha - s.alpha).max())
        return _State(structured_graph(mix(alpha), K), alpha, change)

    def record(s: _State) -> dict[str, Any]:
        gap = mix(s.alpha) - s.P.graph
        objective = float(gap.multiply(gap).sum())
        return {"objective": objective, "residual": s.change, "weight": s.P.weight}

    alpha = np.full(len(graphs), 1 / len(graphs))
    first = _State(structured_graph(mix(alpha), K), alpha, np.inf)
    last, history = iterate(step, first, lambda s: False, max_iter, record)
    return last.P, last.alpha, history
