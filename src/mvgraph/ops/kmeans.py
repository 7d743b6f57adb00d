"""k-means with sums in a fixed order, so that threads do not change labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.distance import squared_distances

__all__ = ["KMeansResult", "kmeans", "lloyd", "plus_plus"]


class KMeansResult(NamedTuple):
    """Labels, centres and the sum of squared distances of one k-means run."""

    labels: np.ndarray
    centers: np.ndarray
    inertia: float


def kmeans(
    X: np.ndarray,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_init: int = 10,
    max_iter: int = 100,
) -> KMeansResult:
    """Minimise the sum of squared distances to n_clusters centres; best of n_init.

    Solves  min_{C, l}  sum_i ||x_i - c_{l_i}||^2  by Lloyd's steps from k-means++.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    n_clusters : int, 1 <= n_clusters <= n
    rng : Generator
    n_init : int, default=10
    max_iter : int, default=100

    Returns
    -------
    KMeansResult
    """
    best = None
    for _ in range(n_init):
        run = lloyd(X, plus_plus(X, n_clusters, rng), max_iter)
        if best is None or run.inertia < best.inertia * (1 - 1e-12):
            best = run
    assert best is not None
    return best


def plus_plus(X: np.ndarray, n_clusters: int, rng: np.random.Generator) -> np.ndarray:
    """Draw starting centres by greedy k-means++."""
    n_trials = 2 + int(np.log(n_clusters))
    centers = np.empty((n_clusters, X.shape[1]), dtype=X.dtype)
    centers[0] = X[rng.integers(len(X))]
    closest = squared_distances(X, centers[:1]).ravel()
    for c in range(1, n_clusters):
        cumulative = np.cumsum(closest, dtype=np.float64)
        draws = rng.random(n_trials) * cumulative[-1]
        picks = np.minimum(np.searchsorted(cumulative, draws, "right"), len(X) - 1)
        trials = np.minimum(squared_distances(X[picks], X), closest)
        best = int(np.argmin(trials.sum(axis=1, dtype=np.float64)))
        centers[c], closest = X[picks[best]], trials[best]
    return centers


def lloyd(X: np.ndarray, centers: np.ndarray, max_iter: int) -> KMeansResult:
    """Alternate assignment and means until labels stay or max_iter steps are done.

    An empty cluster takes the sample that is farthest from its centre.
    """
    labels = np.full(len(X), -1)
    norms = np.einsum("ij,ij->i", X, X)
    for _ in range(max_iter):
        D = X @ centers.T
        D *= -2
        D += np.einsum("ij,ij->i", centers, centers)
        new = D.argmin(axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        distances = np.maximum(D[np.arange(len(X)), labels] + norms, 0)
        centers, labels = _means(X, labels, len(centers), distances)
    gap = X - centers[labels]
    inertia = float(np.einsum("ij,ij->", gap, gap, dtype=np.float64))
    return KMeansResult(labels, centers, inertia)


def _means(X, labels, k, distances):
    from mvgraph.ops import _kernels

    counts = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        far = np.argsort(-distances, kind="stable")[: len(empty)]
        labels = labels.copy()
        labels[far] = empty[: len(far)]
        counts = np.bincount(labels, minlength=k)
    sums = np.zeros((k, X.shape[1]))
    _kernels.add_by_label(X, labels, sums)
    return (sums / np.maximum(counts, 1)[:, None]).astype(X.dtype), labels
