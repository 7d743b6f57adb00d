"""Shrinkage linear discriminants of clusters over all views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.special import softmax

from mvgraph.ops.arrays import Matrix
from mvgraph.ops.labels import cluster_sums
from mvgraph.ops.linalg.principal import Components, principal_components
from mvgraph.views.rows import RowBlock

#: Principal components per view: a multiple of the number of clusters, and a maximum.
COMPONENTS_PER_CLUSTER, MAX_COMPONENTS = 4, 200
#: Maximum number of coefficients, features times clusters, that are worth storing.
MAX_WEIGHTS = 5_000_000
#: Ratio of Cholesky pivots up to which a covariance counts as singular.
SINGULAR = 1e-6


class Discriminant(NamedTuple):
    """Logits of K clusters: offset + sum over views of scaled rows times weights."""

    weights: Sequence[np.ndarray]  # V arrays (d_v, K)
    centres: np.ndarray  # (V, K), contribution of a view at its mean
    offset: np.ndarray  # (K,), -inf for clusters without samples


def learn_discriminant(
    block: RowBlock,
    labels: np.ndarray,
    n_clusters: int,
    components: Callable[[Matrix, int], Components] = principal_components,
) -> Discriminant | None:
    """Learn linear discriminants of given clusters.

    Views are reduced to their leading 4 K principal components (at most 200), scaled to
    equal energy and concatenated. The clusters share one covariance, that of the
    samples minus the mean of their cluster, estimated with Ledoit-Wolf shrinkage.

    Parameters
    ----------
    block : Block
        Scaled views of the sample, N rows.
    labels : ndarray of int, shape (N,)
        Below n_clusters.
    n_clusters : int
        K.
    components : callable, optional
        Finds the principal components.

    Returns
    -------
    Discriminant or None
        None if there is a single cluster, no more samples than clusters, or more than
        5 million coefficients, features times clusters.

    References
    ----------
    Ledoit, Wolf, "A well-conditioned estimator for large-dimensional covariance
    matrices", J. Multivariate Analysis 88, 2004, :doi:`10.1016/S0047-259X(03)00096-4`.
    """
    if sum(x.shape[1] for x in block.arrays) * n_clusters > MAX_WEIGHTS:
        return None
    count = min(COMPONENTS_PER_CLUSTER * n_clusters, MAX_COMPONENTS)

    def find(x: Matrix) -> Components:
        return components(x, count)

    views = [_components(block, v, find) for v in range(len(block.arrays))]
    solved = _fit(np.hstack([scores for scores, _, _ in views]), labels, n_clusters)
    if solved is None:
        return None
    coef, offset = solved
    ends = np.cumsum([scores.shape[1] for scores, _, _ in views])[:-1]
    weights = [
        components.weights(part / size)
        for part, (_, components, size) in zip(np.split(coef, ends), views, strict=True)
    ]
    centres = [c.mean @ w for (_, c, _), w in zip(views, weights, strict=True)]
    return Discriminant(weights, np.stack(centres), offset)


def _components(
    block: RowBlock, v: int, find: Callable[[Matrix], Components]
) -> tuple[np.ndarray, Components, float]:
    """Return scores with mean square one (0 in missing rows), components and scale."""
    x = block.arrays[v]
    present = np.arange(x.shape[0])
    if block.mask is not None:
        present = np.flatnonzero(block.mask[:, v])
        x = x[present]
    found = find(x)
    size = float(np.linalg.norm(found.scores)) / np.sqrt(x.shape[0])
    size = size if size > 0 else 1.0
    scores = np.zeros((block.arrays[v].shape[0], found.scores.shape[1]))
    scores[present] = found.scores / size
    return scores, found, size


def posterior(block: RowBlock, d: Discriminant) -> np.ndarray:
    """Return, (n, K), the probability of every cluster for scaled rows.

    Missing rows of a view count as the mean of the view.
    """
    logits = np.tile(d.offset, (block.arrays[0].shape[0], 1))
    for v, (x, w) in enumerate(zip(block.arrays, d.weights, strict=True)):
        y = np.asarray(x @ w, dtype=np.float64) - d.centres[v]
        logits += y if block.mask is None else y * block.mask[:, v, None]
    return softmax(logits, axis=1)


def _fit(
    X: np.ndarray, labels: np.ndarray, K: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return coefficients (q, K) and offsets (K,) of the logits."""
    sizes = np.bincount(labels, minlength=K)
    if not 1 < np.count_nonzero(sizes) < len(X) or not X.shape[1]:
        return None
    means = cluster_sums(X, labels, K) / np.maximum(sizes, 1)[:, None]
    R = X - means[labels]
    scale = np.sqrt((R**2).mean(axis=0))
    scale[scale <= 1e-12 * max(scale.max(), 1e-300)] = 1
    covariance = _shrunk_covariance(R / scale)
    coef = _solve(covariance, (means / scale).T) / scale[:, None]
    with np.errstate(divide="ignore"):
        prior = np.log(sizes / len(X))
    return coef, prior - np.einsum("kq,qk->k", means, coef) / 2


def _shrunk_covariance(X: np.ndarray) -> np.ndarray:
    """Return the Ledoit-Wolf covariance of centred features.

    As scikit-learn's, which takes three products of the size of X'X for the shrinkage.
    """
    n, q = X.shape
    S = X.T @ X / n
    mu, energy = np.trace(S) / q, (S**2).sum()
    distance = energy - q * mu**2
    error = (((X**2).sum(axis=1) ** 2).sum() / n - energy) / n
    shrinkage = min(error, distance) / distance if distance > 0 and error > 0 else 0.0
    S *= 1 - shrinkage
    S[np.diag_indices(q)] += shrinkage * mu
    return np.asarray(S)


def _solve(covariance: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Solve covariance x = B; the shortest x where the covariance is singular."""
    try:
        factor = scipy.linalg.cho_factor(covariance, lower=True)
        pivots = np.diag(factor[0])
        if pivots.min() > SINGULAR * pivots.max():
            return np.asarray(scipy.linalg.cho_solve(factor, B))
    except np.linalg.LinAlgError:
        pass
    return np.asarray(scipy.linalg.lstsq(covariance, B)[0])
