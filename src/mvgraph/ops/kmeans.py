"""k-means with sums in a fixed order: labels do not depend on the threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.shifted import Shifted
from mvgraph.ops.typing import Float, Int

__all__ = ["KMeansResult", "kmeans", "lloyd", "plus_plus"]


class KMeansResult(NamedTuple):
    """Labels, centres and the sum of squared distances of one k-means run."""

    labels: Int
    centers: Float
    inertia: float


def kmeans(
    X: np.ndarray | Shifted,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_init: int = 10,
    max_iter: int = 100,
) -> KMeansResult:
    """Minimise the sum of squared distances to n_clusters centres; best of n_init.

    Solves  min_{C, l}  sum_i ||x_i - c_{l_i}||^2  with Lloyd's algorithm, started by
    greedy k-means++. All starts run together, with one matrix product per step.

    Parameters
    ----------
    X : ndarray or Shifted, of shape (n, d)
    n_clusters : int, 1 <= n_clusters <= n
    rng : Generator
    n_init : int, default=10
    max_iter : int, default=100

    Returns
    -------
    KMeansResult
    """
    starts = plus_plus(X, n_clusters, n_init, rng)
    runs = lloyd(X, _rows(X, starts), max_iter)
    return min(runs, key=lambda run: run.inertia)


def plus_plus(
    X: np.ndarray | Shifted, n_clusters: int, n_init: int, rng: np.random.Generator
) -> Int:
    """Draw the rows (n_init, n_clusters) of the first centres by greedy k-means++."""
    norms = _squared_norms(X)
    n, n_trials = len(norms), 2 + int(np.log(n_clusters))
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


def _distances(X: Float | Shifted, norms: Float, rows: Int) -> Float:
    D: Float = _times(X, _rows(X, rows).T)
    D *= -2
    D += norms[:, None]
    D += norms[rows]
    return np.maximum(D, 0, out=D)


def lloyd(
    X: np.ndarray | Shifted, centers: np.ndarray, max_iter: int
) -> list[KMeansResult]:
    """Run Lloyd's algorithm from several starts at once.

    Parameters
    ----------
    X : ndarray or Shifted, of shape (n, d)
    centers : ndarray of shape (n_init, n_clusters, d)
    max_iter : int
        Maximum number of steps; a start whose labels no longer change stops earlier.

    Returns
    -------
    list of n_init KMeansResult
        An empty cluster takes the sample that is farthest from its centre.
    """
    results: list[KMeansResult] = [None] * len(centers)  # type: ignore[list-item]
    norms = _squared_norms(X)
    active = list(range(len(centers)))
    labels = np.full((len(centers), len(norms)), -1)
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
        centers = np.stack([c for c, _ in pairs])
        labels = np.stack([l for _, l in pairs])
    return results


def _assign(X: Float | Shifted, norms: Float, centers: Float) -> tuple[Int, Float]:
    """Return the nearest centre and its squared distance per start and sample."""
    from mvgraph.ops.kernels import common as _kernels

    R, K, d = centers.shape
    n = len(norms)
    G = _times(X, centers.reshape(R * K, d).T).reshape(n, R, K)
    half = 0.5 * np.einsum("rkd,rkd->rk", centers, centers)
    labels = np.empty((R, n), dtype=np.int64)
    best = np.empty((R, n), dtype=G.dtype)
    _kernels.nearest_centers(G, half, labels, best)
    return labels, np.maximum(norms - 2 * best, 0)


def _means(
    X: Float | Shifted, labels: Int, k: int, distances: Float
) -> tuple[Float, Int]:
    """Return the means of k clusters, and labels without empty clusters."""
    counts = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        far = np.argsort(-distances, kind="stable")[: len(empty)]
        labels = labels.copy()
        labels[far] = empty[: len(far)]
        counts = np.bincount(labels, minlength=k)
    means = _sums(X, labels, k) / np.maximum(counts, 1)[:, None]
    return means if isinstance(X, Shifted) else means.astype(X.dtype), labels


def _rows(X: Float | Shifted, chosen: Int) -> Float:
    """Return some rows, (*chosen.shape, d)."""
    if not isinstance(X, Shifted):
        return X[chosen]
    return X.rows(chosen.ravel()).reshape(*chosen.shape, X.d)


def _times(X: Float | Shifted, V: Float) -> Float:
    return X.times(V) if isinstance(X, Shifted) else X @ V


def _squared_norms(X: Float | Shifted) -> Float:
    if isinstance(X, Shifted):
        return X.squared_norms()
    norms: Float = np.einsum("ij,ij->i", X, X)
    return norms


def _sums(X: Float | Shifted, labels: Int, k: int) -> Float:
    """Add up the rows of every cluster, in float64."""
    from mvgraph.ops.kernels import common as _kernels

    if isinstance(X, Shifted):
        n = len(labels)
        member = sp.csr_matrix((np.ones(n), (np.arange(n), labels)), shape=(n, k))
        return X.transposed_times(member).T
    sums = np.zeros((k, X.shape[1]))
    _kernels.add_by_label(X, labels, sums)
    return sums
