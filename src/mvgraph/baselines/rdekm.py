"""RDEKM: k-means in one subspace per view, views weighted by their residuals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import cluster_sums
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="rdekm",
    family="embedding",
    title="Re-weighted discriminatively embedded k-means (reconstruction)",
    reference="xu2017rdekm",
    cost="O(N d K) per step",
    memory="O(N d)",
    published=True,
)

MIN_RESIDUAL = 1e-12  # lower bound of residual norms, for views fitted exactly


class RDEKM(Clusterer):
    r"""Cluster by k-means in one discriminative subspace per view: a reconstruction.

    **Solves**

    .. math:: \min_{G, W_v, F_v} \sum_v \| X_v - W_v F_v G^T \|_F, \quad W_v^T W_v = I,

    G the cluster indicator, X_v (d_v x N) centred, by iteratively re-weighted least
    squares: view v has the weight 1 / (2 || X_v - W_v F_v G' ||).

    .. warning:: A reconstruction from the abstracts of [1]_ and of its predecessor
       (DEKM, CVPR 2016): no public code is known. Its results are not those of the
       publication.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`; reconstruction: ``max``.
    n_init : int, default=1
        k-means++ starts for the first labels, on the joined views, each centred and
        divided by its Frobenius norm; the best is kept.
    max_iter : int, default=100
        Maximum number of steps.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the first labels, which the result strongly depends on.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,), no cluster is empty
    view_weights_ : ndarray of shape (n_views,), sum one
    n_iter_ : int
    history_ : list of dict
        objective, residual (share of samples that moved), seconds of every step.

    Notes
    -----
    Time O(N d K) per step: W_v are the right singular vectors of the cluster means
    (K, d), each multiplied by the root of its size; r = min(K - 1, d_v). Memory
    O(N d); the first k-means uses dense features. The objective never increases, unless
    an empty cluster is filled with the sample of largest residual.

    References
    ----------
    .. [1] Xu, Han, Nie, Li, "Re-weighted discriminatively embedded k-means for
       multi-view clustering", IEEE TIP 26(6), 2017, :doi:`10.1109/TIP.2017.2665976`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.rdekm import RDEKM
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(RDEKM(n_clusters=2, random_state=0).fit([X, X**2]).labels_)
    array([20, 20])
    """

    scaling: str = "auto"
    n_init: int = 1
    max_iter: int = 100

    def _fit(self, views: Views, run: Run) -> Result:
        K = self.n_clusters
        X = scaled(views, self.scaling).arrays
        first = kmeans(_join_centred(X), K, run.rng, n_init=self.n_init).labels
        labels, delta, history = cluster(X, first, K, self.max_iter)
        return Result(labels, view_weights=delta / delta.sum(), history=history)


class _State(NamedTuple):
    labels: np.ndarray
    delta: np.ndarray  # weights of the views
    objective: float  # of the labels before this step
    drop: float  # relative
    residual: float


def cluster(
    X: tuple, labels: np.ndarray, K: int, max_iter: int
) -> tuple[np.ndarray, np.ndarray, list[dict[str, Any]]]:
    """Alternate between subspaces W, F and labels G, with new weights in every step."""
    pairs = [(x, np.asarray(x.mean(axis=0)).ravel()) for x in X]
    total = np.array([_square(x) - len(labels) * (m @ m) for x, m in pairs])

    def step(s: _State) -> _State:
        distances, residuals = [], []
        for (x, m), square in zip(pairs, total, strict=True):
            Y, F = _embed(x, m, s.labels, K)
            outside = square - float(np.einsum("ij,ij->", Y, Y))  # of the subspace
            distances.append(squared_distances(Y, F))
            inside = distances[-1][np.arange(len(Y)), s.labels].sum()
            residuals.append(max(outside, 0) + inside)
        norms = np.maximum(np.sqrt(residuals), MIN_RESIDUAL)
        delta = 1 / (2 * norms)
        D = np.tensordot(delta, np.array(distances), 1)
        new = _fill(D.argmin(axis=1), D.min(axis=1), K)
        objective = float(norms.sum())
        drop = (s.objective - objective) / objective
        return _State(new, delta, objective, drop, float((new != s.labels).mean()))

    labels = _fill(labels, np.zeros(len(labels)), K)
    first = _State(labels, np.ones(len(X)), np.inf, np.inf, 1.0)
    last, history = iterate(
        step, first, lambda s: s.residual == 0 or abs(s.drop) < 1e-6, max_iter
    )
    return last.labels, last.delta, history


def _embed(x, m: np.ndarray, labels: np.ndarray, K: int):
    """Return W'(x - m) of all samples (N, r) and the cluster means F (K, r)."""
    counts = np.bincount(labels, minlength=K)
    means = cluster_sums(x, labels, K) / counts[:, None] - m
    W = np.linalg.svd(np.sqrt(counts)[:, None] * means, full_matrices=False)[2][: K - 1]
    return x @ W.T - m @ W.T, means @ W.T


def _fill(labels: np.ndarray, distance: np.ndarray, K: int) -> np.ndarray:
    """Fill every empty cluster with the farthest sample of a larger cluster."""
    labels = labels.copy()
    for k in np.flatnonzero(np.bincount(labels, minlength=K) == 0):
        singleton = np.bincount(labels, minlength=K)[labels] == 1
        labels[int(np.where(singleton, -1, distance).argmax())] = k
    return labels


def _square(x) -> float:
    return float(x.multiply(x).sum()) if sp.issparse(x) else float((x * x).sum())


def _join_centred(X: tuple) -> np.ndarray:
    """Join the views, each centred and divided by its Frobenius norm."""
    need = 16 * sum(x.shape[0] * x.shape[1] for x in X)
    require_memory(need, "Joining the views", "reduce the number of features.")
    dense = [x.toarray() if sp.issparse(x) else x for x in X]
    parts = [x - x.mean(axis=0) for x in dense]
    return np.hstack([x / (np.linalg.norm(x) or 1) for x in parts])
