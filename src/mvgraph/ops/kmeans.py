"""k-means with sums in a fixed order: labels do not depend on the number of threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.arrays import Float, Int, Matrix, dense
from mvgraph.ops.distance import squared_norms
from mvgraph.ops.labels import cluster_sums, indicator
from mvgraph.ops.shifted import Shifted

Rows = Matrix | Shifted


class KMeansResult(NamedTuple):
    """Labels, centres and the sum of squared distances of one k-means run."""

    labels: Int
    centers: Float
    inertia: float


def kmeans(
    X: Rows,
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
    X : ndarray, csr_matrix or Shifted, of shape (n, d)
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
        n = len(_squared_norms(X))
        rows = [rng.choice(n, n_clusters, replace=False) for _ in range(n_init)]
        starts: Int = np.stack(rows)
    else:
        starts = plus_plus(X, n_clusters, n_init, rng)
    runs = lloyd(X, _rows(X, starts), max_iter, spherical)
    return min(runs, key=lambda run: run.inertia)


def plus_plus(X: Rows, n_clusters: int, n_init: int, rng: np.random.Generator) -> Int:
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


def _distances(X: Rows, norms: Float, rows: Int) -> Float:
    D: Float = _times(X, _rows(X, rows).T)
    D *= -2
    D += norms[:, None]
    D += norms[rows]
    return np.maximum(D, 0, out=D)


def lloyd(
    X: Rows, centers: np.ndarray, max_iter: int, spherical: bool = False
) -> list[KMeansResult]:
    """Run Lloyd's algorithm from several starts at once.

    Parameters
    ----------
    X : ndarray, csr_matrix or Shifted, of shape (n, d)
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
    active = np.arange(len(centers))
    labels = np.full((len(centers), len(norms)), -1)
    for step in range(max_iter + 1):
        new, nearest = _assign(X, norms, centers)
        moving = np.full(len(active), step < max_iter) & (new != labels).any(axis=1)
        for r in np.flatnonzero(~moving):
            inertia = float(nearest[r].sum(dtype=np.float64))
            results[active[r]] = KMeansResult(new[r], centers[r], inertia)
        if not moving.any():
            break
        if not moving.all():
            active = active[moving]
            new, nearest, centers = (a[moving] for a in (new, nearest, centers))
        pairs = [
            _means(X, l, centers.shape[1], d) for l, d in zip(new, nearest, strict=True)
        ]
        centers = np.stack([_unit(c) if spherical else c for c, _ in pairs])
        labels = np.stack([l for _, l in pairs])
    return results


def _assign(X: Rows, norms: Float, centers: Float) -> tuple[Int, Float]:
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


def _means(X: Rows, labels: Int, k: int, distances: Float) -> tuple[Float, Int]:
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


def _unit(centers: Float) -> Float:
    """Scale centres to length 1; a centre at the origin stays there."""
    lengths = np.linalg.norm(centers, axis=1, keepdims=True)
    return np.asarray(centers / np.where(lengths > 0, lengths, 1))


def _rows(X: Rows, chosen: Int) -> Float:
    """Return some rows, (*chosen.shape, d)."""
    flat = chosen.ravel()
    rows = X.rows(flat) if isinstance(X, Shifted) else dense(X[flat])
    return np.asarray(rows.reshape(*chosen.shape, -1))


def _times(X: Rows, V: Float) -> Float:
    return X.times(V) if isinstance(X, Shifted) else np.asarray(X @ V)


def _squared_norms(X: Rows) -> Float:
    return X.squared_norms() if isinstance(X, Shifted) else squared_norms(X)


def _sums(X: Rows, labels: Int, k: int) -> Float:
    """Add up the rows of every cluster, in float64."""
    if isinstance(X, np.ndarray):
        return cluster_sums(X, labels, k)
    member = indicator(labels, k)
    if isinstance(X, Shifted):
        return X.transposed_times(member).T
    return dense((member.T @ X).astype(np.float64))
