"""MVSC: spectral clustering of a weighted sum of anchor graphs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.ops.affinity.neighbors import gaussian_weights, rows_to_csr
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.kmeans import kmeans, lloyd
from mvgraph.ops.linalg.gram_eigen import leading_pairs
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="mvsc",
    family="anchors",
    title="Large-scale multi-view spectral clustering via bipartite graph",
    reference="li2015mvsc",
    cost="O(N M d)",
    memory="O(N (d + V k) + M^2)",
    published=True,
)


class MVSC(Clusterer):
    r"""Cut a weighted sum of the anchor graphs of all views.

    **Solves**

    .. math:: \min_{\alpha, F} \sum_v \alpha_v^r \, \mathrm{tr}(F^T L_v F)

    with alpha on the simplex and orthonormal F = [U; V]: singular vectors 2 to K + 1 of
    Z = sum_v alpha_v^r Z_v, Z_v (N x M) the normalised graph of samples and anchors of
    view v [1]_; k-means on the rows of F gives the labels.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int or None, default=None
        M, from K to the number of samples; None: a quarter of the samples, at most 200.
    n_neighbors : int, default=5
        Anchors that a sample is linked to, at least 1.
    exponent : float, default=10**0.5
        r > 0; with 1, or a very large value, views have equal weights.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`; it changes the kernel.
    n_init : int, default=10
        Starts of k-means.
    max_iter : int, default=50
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_, anchor_labels_ : ndarray of int64, shape (n_samples,), (n_anchors,)
        -1 where an anchor shares its cluster with no sample.
    embedding_ : ndarray of shape (n_samples, n_clusters), rows of length 1
    graph_ : csr_matrix of shape (n_samples, n_anchors), Z
    view_weights_ : ndarray of shape (n_views,), alpha
    n_iter_ : int
    history_ : list of dict: objective, residual (its decrease), seconds

    Notes
    -----
    Time O(N M d) and O(N k M + M^2 K) per step; memory O(N V k + M^2) and the joined
    features. Kept from the public code: weights are computed from || Z_v' U ||^2, so
    that the view with the worst fit gets the largest weight; the kernel's width, a mean
    squared distance, is squared again; the iteration stops if the objective increases.

    References
    ----------
    .. [1] Li, Nie, Huang, Huang, "Large-scale multi-view spectral clustering via
       bipartite graph", AAAI 2015, :doi:`10.1609/aaai.v29i1.9598`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.mvsc import MVSC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(MVSC(n_clusters=2, random_state=0).fit([X, X / 2]).labels_)
    array([20, 20])
    """

    n_anchors: int | None = None
    n_neighbors: int = 5
    exponent: float = 10**0.5
    scaling: str = "auto"
    n_init: int = 10
    max_iter: int = 50

    def _fit(self, views: Views, run: Run) -> Result:
        K, N = self.n_clusters, len(views)
        if self.n_anchors is not None and self.n_anchors < K:
            raise ValueError(
                f"n_anchors must be at least n_clusters={K}; got {self.n_anchors}."
            )
        X = scaled(views, self.scaling).arrays
        M = self.n_anchors or max(min(N // 4, 200), K)
        points = anchor_points(X, min(M, N), run.rng)
        k = self.n_neighbors
        graphs = [anchor_graph(x, a, k) for x, a in zip(X, points, strict=True)]
        cut, history = weigh_graphs(graphs, K, self.exponent, self.max_iter)
        labels = kmeans(
            np.vstack([cut.U, cut.V]), K, run.rng, n_init=self.n_init
        ).labels
        anchors = np.where(np.isin(labels[N:], labels[:N]), labels[N:], -1)
        return Result(
            labels[:N],
            embedding=cut.U,
            graph=cut.Z,
            anchor_labels=anchors,
            view_weights=cut.alpha,
            history=history,
        )


def anchor_points(X: tuple, M: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return the centres of k-means on the joined views, split by view."""
    joined = np.hstack([x.toarray() if sp.issparse(x) else x for x in X])
    start = joined[rng.choice(len(joined), M, replace=False)]
    ends = np.cumsum([x.shape[1] for x in X])[:-1]
    return np.split(lloyd(joined, start[None], 30)[0].centers, ends, axis=1)


def anchor_graph(x, points: np.ndarray, n_neighbors: int) -> sp.csr_matrix:
    """Link samples to nearest anchors by Gaussians; columns divided by root sums."""
    D = squared_distances(x, points)
    Z = rows_to_csr(*gaussian_weights(D, n_neighbors), len(points))
    sums = np.asarray(Z.sum(axis=0)).ravel()
    return (Z @ sp.diags(1 / np.sqrt(np.maximum(sums, 1e-12)))).tocsr()


class _State(NamedTuple):
    alpha: np.ndarray
    objective: float = np.inf
    residual: float = np.inf
    Z: Any = None  # (N, M) CSR
    U: Any = None  # (N, K) rows of length 1
    V: Any = None  # (M, K)


def weigh_graphs(
    graphs: list[sp.csr_matrix], K: int, r: float, max_iter: int
) -> tuple[_State, list[dict[str, Any]]]:
    """Alternate between singular vectors of the weighted sum and the weights."""

    def step(s: _State) -> _State:
        powers = s.alpha**r
        Z = sum(p * B for p, B in zip(powers, graphs, strict=True))
        T = Z / powers.sum()  # of norm <= 1
        V, values, _ = leading_pairs(T, min(K + 1, Z.shape[1]))
        U = (T @ V) / np.sqrt(np.maximum(values[: V.shape[1]], 1e-24))
        U, V = row_normalise(U[:, 1:]), row_normalise(V[:, 1:])
        h = np.array([np.square(B.T @ U).sum() for B in graphs])
        alpha = s.alpha if r == 1 else (r * np.maximum(h, 1e-12)) ** (1 / (1 - r))
        alpha = alpha / alpha.sum()
        objective = float(alpha**r @ h)
        return _State(alpha, objective, s.objective - objective, Z, U, V)

    return iterate(
        step,
        _State(np.full(len(graphs), 1 / len(graphs))),
        lambda s: s.residual < 1e-6,
        max_iter,
    )
