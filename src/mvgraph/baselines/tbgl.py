"""TBGL: tensorised bipartite graph learning; depends on the order of the rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.baselines._graph_results import structured_fit
from mvgraph.graphs.anchors import Anchors, vda_rows
from mvgraph.graphs.bipartite import view_graphs
from mvgraph.ops.affinity.structured import structured_graph
from mvgraph.ops.linalg.gram_eigen import leading_pairs_of_gram
from mvgraph.ops.linalg.spectral import compare_components, fix_signs
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.ops.proximal.tensor import make_basis, shrink_tensor
from mvgraph.ops.proximal.threshold import shrink_entries
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="tbgl",
    family="tensor",
    title="Tensorised bipartite graph learning; depends on the order of the rows",
    reference="xia2023tbgl",
    cost="O(N M (V^2 + V log N + M)) per step",
    memory="O(N M V)",
    order_free=False,
    published=True,
)


class TBGL(Clusterer):
    r"""Learn denoised anchor graphs, one per view, of low rank as a tensor.

    **Solves**

    .. math:: \min \; \alpha \sum_v \|E_v\|_1 + \gamma \sum_v \|C_v\|_{1,2}^2
        + \|\mathcal{C}\|_{S_p}^p + \beta \sum_v \mathrm{tr}(F^T L_v F) / \kappa_v

    with B_v = C_v + E_v the anchor graphs, rows of C_v and kappa on the simplex,
    F'F = I, L_v the normalised Laplacian of [0 C_v; C_v' 0], ||C||_{1,2}^2 the sum over
    anchors of squared column sums [1]_. Then the mean graph is changed until it has
    exactly K components, the clusters.

    .. warning:: An FFT runs along the samples, so the result depends on the order of
       the rows: on files sorted by class it smooths within the true classes.

    Parameters
    ----------
    n_clusters : int, default=8
    n_anchors : float, default=0.5
        Share of the samples that are anchors, in (0, 1]; at least K are taken.
    n_neighbors : int, default=10
    scaling : str, default="auto", published: ``max``
    error_weight, balance_weight, p : float, default=0.025, 1e-4, 0.9
        alpha and gamma, > 0, and the power of the norm, 0 < p <= 1.
    max_iter : int, default=52
    random_state : ignored; the method is deterministic

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    anchor_labels_, anchor_rows_ : ndarray of int64, shape (n_anchors,), -1: unused
    graph_ : csr_matrix of shape (n_samples, n_anchors), the mean graph, refined
    embedding_ : ndarray of shape (n_samples, n_clusters)
    view_weights_ : ndarray of shape (n_views,), 1 / kappa, sum one
    n_components_, n_iter_ : int
    history_ : list of dict: objective, residual (of B = C + E), beta, seconds

    Notes
    -----
    Time O(N M (V^2 + V log N + M)) per step, memory 12 N M V floats. Kept from public
    code: the rank test uses singular values not divided by sum 1 / kappa, which always
    indicate too many components, so that beta (10 at first) vanishes. Departures: a
    real FFT; the C-step of a view uses its own copy O_v (the code: that of the last
    view; with it and 4, not 10, shrinkage steps the published run is met to 2e-12).

    References
    ----------
    .. [1] Xia, Gao, Wang, Gao, Ding, Tao, "Tensorized bipartite graph learning for
       multi-view clustering", TPAMI 45(4), 2023, :doi:`10.1109/TPAMI.2022.3187976`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.tbgl import TBGL
    >>> X = np.repeat([[0.0], [9.0]], 20, axis=0) + np.sin(np.arange(40))[:, None]
    >>> np.bincount(TBGL(n_clusters=2).fit([X, X**2]).labels_)
    array([20, 20])
    """

    _order_free = bool(METHOD.order_free)

    n_anchors: float = 0.5
    n_neighbors: int = 10
    scaling: str = "auto"
    error_weight: float = 0.025
    balance_weight: float = 1e-4
    p: float = 0.9
    max_iter: int = 52

    def _fit(self, views: Views, run: Run) -> Result:
        K, N = self.n_clusters, len(views)
        M = min(N, max(int(N * self.n_anchors + 1e-9), K))
        require_memory(96.0 * N * M * views.n_views, "The tensors", "lower n_anchors.")
        X = scaled(views, self.scaling)
        rows = vda_rows(X, M)
        graphs = view_graphs(X, Anchors(X[rows].arrays, rows), self.n_neighbors)
        B = np.stack([graph.tocsr().toarray() for graph in graphs])
        kappa, O = np.full(len(B), 1 / len(B)), np.zeros_like(B)
        s, history = iterate(
            lambda s: self._step(B, s),
            State(O, O, O, O, O, O, O, fused_embedding(B, 1 / kappa, K), kappa),
            lambda s: s.rank_gap == 0,
            self.max_iter,
            lambda s: self._record(B, s),
        )
        weights = 1 / s.kappa / (1 / s.kappa).sum()
        P = structured_graph(np.tensordot(weights, s.C, 1), K)
        remedy = "Change n_anchors or n_neighbors."
        more = {"view_weights": weights, "anchor_rows": rows}
        return structured_fit(P, K, history, remedy, **more)

    def _step(self, B: np.ndarray, s: State) -> State:
        """Update C, O and E by view, J, F with beta, kappa, and the multipliers."""
        K, mu = self.n_clusters, s.mu
        C, O, E = (np.empty_like(B) for _ in range(3))
        for v in range(len(B)):
            X = mu * (B[v] - s.E[v] + s.J[v] + s.O[v]) + s.W[v] + s.Y[v] - s.Y3[v]
            X += 2 * s.beta / s.kappa[v] * s.F.P @ s.F.Q[v].T
            C[v] = project_simplex(X / (3 * mu))
            O[v] = shrink_exclusive(C[v] + s.Y3[v] / mu, 2 * self.balance_weight / mu)
            E[v] = shrink_entries(B[v] - C[v] + s.W[v] / mu, self.error_weight / mu)
        fft = make_basis("fft-samples", B.shape)  # tau is for an unscaled FFT
        J, norm = shrink_tensor(C - s.Y / mu, 1 / mu / fft.scale, self.p, fft)
        F = fused_embedding(C, 1 / s.kappa, K)
        rank_gap = compare_components(F.values, K)
        kappa = np.sqrt(np.maximum(F.traces, 1e-12))
        kappa, beta = kappa / kappa.sum(), s.beta * 2.0**-rank_gap
        W, Y, Y3 = s.W + mu * (B - E - C), s.Y + mu * (J - C), s.Y3 + mu * (C - O)
        return State(C, E, J, O, W, Y, Y3, F, kappa, beta, 1.1 * mu, rank_gap, norm)

    def _record(self, B: np.ndarray, s: State) -> dict[str, Any]:
        sums = np.square(s.C.sum(axis=1)).sum()
        objective = self.error_weight * np.abs(s.E).sum() + self.balance_weight * sums
        objective += s.norm + s.beta * (s.F.traces / s.kappa).sum()
        gap = np.linalg.norm(B - s.C - s.E) / np.linalg.norm(B)
        return {"objective": float(objective), "residual": float(gap), "beta": s.beta}


class State(NamedTuple):
    """The iterates; W, Y, Y3 are the multipliers of B = C + E, J = C and C = O."""

    C: np.ndarray  # (V, N, M), as the next six
    E: np.ndarray
    J: np.ndarray
    O: np.ndarray
    W: np.ndarray
    Y: np.ndarray
    Y3: np.ndarray
    F: FusedEmbedding
    kappa: np.ndarray  # (V,)
    beta: float = 10.0
    mu: float = 1e-4  # penalty
    rank_gap: int = -1
    norm: float = 0.0


def shrink_exclusive(X: np.ndarray, weight: float) -> np.ndarray:
    """Soft-threshold every column by a multiple of the l1-norm of the result.

    Solves, for every column x,  min_o  weight ||o||_1^2 + ||o - x||^2. The threshold
    t = weight ||o||_1 is found exactly.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    weight : float, >= 0

    Returns
    -------
    ndarray of shape (n, m)
    """
    from mvgraph.ops.kernels import proximal as _kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    t = np.empty(X.shape[1])
    _kernels.exclusive_thresholds(X, weight, t)
    return np.asarray(X - np.clip(X, -t, t))


class FusedEmbedding(NamedTuple):
    """Embedding F = [P; Q] of the sum, and its traces with the summed graphs."""

    P: np.ndarray  # (N, K) samples
    Q: np.ndarray  # (V, M, K) anchors, divided by the root column sums of each graph
    values: np.ndarray  # (K + 1,) leading singular values of the sum
    traces: np.ndarray  # (V,) tr(F' L_v F), L_v the normalised Laplacians


def fused_embedding(C: np.ndarray, weights: np.ndarray, K: int) -> FusedEmbedding:
    """Embed samples and anchors by  Z = sum_v w_v C_v D_v^-1/2, D_v the column sums.

    Solves  max tr(P' Z Q)  s.t.  P'P = Q'Q = I / 2,  through Z'Z in O(N M^2) time. The
    traces are  ||F||^2 - 2 tr(P' C_v D_v^-1/2 Q)  if the rows of C_v sum to one.

    Parameters
    ----------
    C : ndarray of shape (V, N, M), non-negative
    weights : ndarray of shape (V,)
    K : int, 1 <= K <= M

    Returns
    -------
    FusedEmbedding
    """
    roots = np.sqrt(C.sum(axis=1) + np.finfo(float).eps)  # of unused anchors: tiny
    Z = np.zeros(C.shape[1:])
    for v, weight in enumerate(weights):
        Z += C[v] * (weight / roots[v])
    V, squares, _ = leading_pairs_of_gram(Z.T @ Z, K)
    V = fix_signs(V)
    values = np.sqrt(np.maximum(squares, 0))
    P = Z @ V / np.maximum(values[:K], 1e-12) / np.sqrt(2)
    Q = V / np.sqrt(2) / roots[:, :, None]
    size = np.square(P).sum() + np.square(V).sum() / 2
    fits = [np.einsum("nk,nk->", P, c @ q) for c, q in zip(C, Q, strict=True)]
    return FusedEmbedding(P, Q, values, size - 2 * np.array(fits))
