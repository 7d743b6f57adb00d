"""k-means with sums in a fixed order: labels do not depend on the threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import dense
from mvgraph.ops.typing import Float, Int, Matrix

__all__ = ["KMeansResult", "kmeans", "lloyd", "plus_plus"]


class KMeansResult(NamedTuple):
    """Labels, centres and the sum of squared distances of one k-means run."""

    labels: Int
    centers: Float
    inertia: float


def kmeans(
    X: Matrix,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_init: int = 10,
    max_iter: int = 100,
    init: str = "k-means++",
    spherical: bool = False,
) -> KMeansResult:
    """Minimise the sum of squared distances to n_clusters centres; best of n_init.

    Solves  min_{C, l}  sum_i ||x_i - c_{l_i}||^2  with Lloyd's algorithm. All starts
    run together, with one matrix product per step.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        With ``init="random"`` also a csr_matrix.
    n_clusters : int, 1 <= n_clusters <= n
    rng : Generator
    n_init : int, default=10
    max_iter : int, default=100
    init : {"k-means++", "random"}, default="k-means++"
        Greedy k-means++, or distinct rows.
    spherical : bool, default=False
        See :func:`lloyd`.

    Returns
    -------
    KMeansResult
    """
    if init == "random":
        rows = [
            rng.choice(X.shape[0], n_clusters, replace=False) for _ in range(n_init)
        ]
        starts: Int = np.stack(rows)
    else:
        starts = plus_plus(X, n_clusters, n_init, rng)
    centers = dense(X[starts.ravel()]).reshape(n_init, n_clusters, -1)
    runs = lloyd(X, centers, max_iter, spherical)
    return min(runs, key=lambda run: run.inertia)


def plus_plus(
    X: np.ndarray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> Int:
    """Draw the rows (n_init, n_clusters) of the first centres by greedy k-means++."""
    n, n_trials = len(X), 2 + int(np.log(n_clusters))
    norms = np.einsum("ij,ij->i", X, X)
    starts = np.empty((n_init, n_clusters), dtype=np.int64)
    starts[:, 0] = rng.integers(0, n, n_init)
    closest = _distances(X, norms, starts[:, 0])  # (n, n_init)
    for c in range(1, n_clusters):
        cumulative = np.cumsum(closest, axis=0, dtype=np.float64)
        draws = rng.random((n_trials, n_init)) * cumulative[-1]
        picks = np.stack(
            [np.searchsorted(cumulative[:, r], draws[:, r]) for r in range(n_init)]
        ).clip(0, n - 1)  # (n_init, n_trials)
        trials = _distances(X, norms, picks.ravel()).reshape(n, n_init, n_trials)
        trials = np.minimum(trials, closest[:, :, None])
        best = trials.sum(axis=0, dtype=np.float64).argmin(axis=1)
        every = np.arange(n_init)
        starts[:, c], closest = picks[every, best], trials[:, every, best]
    return starts


def _distances(X: Float, norms: Float, rows: Int) -> Float:
    D: Float = X @ X[rows].T
    D *= -2
    D += norms[:, None]
    D += norms[rows]
    return np.maximum(D, 0, out=D)


def lloyd(
    X: Matrix, centers: np.ndarray, max_iter: int, spherical: bool = False
) -> list[KMeansResult]:
    """Run Lloyd's algorithm from several starts at once.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)
    centers : ndarray of shape (n_init, n_clusters, d)
    max_iter : int
        Maximum number of steps; a start whose labels no longer change stops earlier.
    spherical : bool, default=False
        Scale the centres to length 1: for rows of length 1 the squared distances are
        then 2 - 2 cos, and the samples go to the centre at the smallest angle.

    Returns
    -------
    list of n_init KMeansResult
        An empty cluster takes the sample that is farthest from its centre.
    """
    results: list[KMeansResult] = [None] * len(centers)  # type: ignore[list-item]
    norms = _squared_norms(X)
    active = list(range(len(centers)))
    labels = np.full((len(centers), X.shape[0]), -1)
    for step in range(max_iter + 1):
        new, nearest = _assign(X, norms, centers)
        for r in reversed(range(len(active))):
            if step == max_iter or np.array_equal(new[r], labels[r]):
                inertia = float(nearest[r].sum(dtype=np.float64))
                results[active[r]] = KMeansResult(new[r], centers[r], inertia)
                keep = np.arange(len(active)) != r
                del active[r]
                new, nearest, centers = new[keep], nearest[keep], centers[keep]
                labels = labels[keep]
        if not active:
            break
        pairs = [
            _means(X, l, centers.shape[1], d) for l, d in zip(new, nearest, strict=True)
        ]
        centers = np.stack([_unit(c) if spherical else c for c, _ in pairs])
        labels = np.stack([l for _, l in pairs])
    return results


def _squared_norms(X: Any) -> Float:
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _unit(centers: Float) -> Float:
    """Scale centres to length 1; a centre at the origin stays there."""
    lengths = np.linalg.norm(centers, axis=1, keepdims=True)
    return np.asarray(centers / np.where(lengths > 0, lengths, 1))


def _assign(X: Matrix, norms: Float, centers: Float) -> tuple[Int, Float]:
    """Return the nearest centre and its squared distance per start and sample."""
    from mvgraph.ops.kernels import common as _kernels

    R, K, d = centers.shape
    n = X.shape[0]
    G = np.asarray(X @ centers.reshape(R * K, d).T).reshape(n, R, K)
    half = 0.5 * np.einsum("rkd,rkd->rk", centers, centers)
    labels = np.empty((R, n), dtype=np.int64)
    best = np.empty((R, n), dtype=G.dtype)
    _kernels.nearest_centers(G, half, labels, best)
    return labels, np.maximum(norms - 2 * best, 0)


def _means(X: Matrix, labels: Int, k: int, distances: Float) -> tuple[Float, Int]:
    """Return the means of k clusters, and labels without empty clusters."""
    from mvgraph.ops.kernels import common as _kernels

    counts = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        far = np.argsort(-distances, kind="stable")[: len(empty)]
        labels = labels.copy()
        labels[far] = empty[: len(far)]
        counts = np.bincount(labels, minlength=k)
    if sp.issparse(X):
        where = (np.ones(len(labels)), (labels, np.arange(len(labels))))
        sums = dense(sp.csr_matrix(where, shape=(k, len(labels))) @ X)
    else:
        sums = np.zeros((k, X.shape[1]))
        _kernels.add_by_label(X, labels, sums)
    return (sums / np.maximum(counts, 1)[:, None]).astype(X.dtype), labels
