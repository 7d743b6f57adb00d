"""Linear discriminants of clusters: what tells them apart, beside what is near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf

from mvgraph.ops.principal import principal_axes
from mvgraph.rows import Block

__all__ = ["Discriminant", "learn_discriminant", "posterior"]

#: Principal components of every view, in multiples of the number of clusters, and at
#: most so many.
MULTIPLE, MOST = 4, 200


class Discriminant(NamedTuple):
    """Logits of K clusters: offset + sum over views of scaled rows times weights."""

    weights: Sequence[np.ndarray]  # V arrays (d_v, K)
    centres: np.ndarray  # (V, K), what a view adds at its mean
    offset: np.ndarray  # (K,), -inf for clusters without samples


def learn_discriminant(
    block: Block, labels: np.ndarray, n_clusters: int
) -> Discriminant | None:
    """Learn the linear discriminants of given clusters.

    Views are cut to their leading 4 K principal components (at most 200), brought to
    equal energy and joined. The clusters share one covariance, that of the samples
    minus the mean of their cluster, which is shrunk to its diagonal (Ledoit and Wolf).

    Parameters
    ----------
    block : Block
        Scaled views of the sample, N rows.
    labels : ndarray of int, shape (N,)
        Below n_clusters.
    n_clusters : int
        K.

    Returns
    -------
    Discriminant or None
        None where there is a single cluster, or no more samples than clusters.

    References
    ----------
    Ledoit, Wolf, "A well-conditioned estimator for large-dimensional covariance
    matrices", J. Multivariate Analysis 88, 2004, :doi:`10.1016/S0047-259X(03)00096-4`.
    """
    axes, means = zip(*_axes(block, n_clusters), strict=True)
    told = _fit(np.hstack(_contributions(block, axes, means)), labels, n_clusters)
    if told is None:
        return None
    coef, offset = told
    ends = np.cumsum([a.shape[1] for a in axes])[:-1]
    parts = np.split(coef, ends)
    return Discriminant(
        [A @ c for A, c in zip(axes, parts, strict=True)],
        np.stack([m @ c for m, c in zip(means, parts, strict=True)]),
        offset,
    )


def posterior(block: Block, d: Discriminant) -> np.ndarray:
    """Return, (n, K), the probability of every cluster for scaled rows.

    A view that a row lacks counts as if it were at its mean.
    """
    return softmax(d.offset + sum(_contributions(block, d.weights, d.centres)), axis=1)


def _fit(
    X: np.ndarray, labels: np.ndarray, K: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return coefficients (q, K) and offsets (K,) of the logits."""
    sizes = np.bincount(labels, minlength=K)
    if not 1 < np.count_nonzero(sizes) < len(X):
        return None
    means = np.zeros((K, X.shape[1]))
    np.add.at(means, labels, X)
    means /= np.maximum(sizes, 1)[:, None]
    R = X - means[labels]
    scale = np.sqrt((R**2).mean(axis=0))
    scale[scale <= 1e-12 * max(scale.max(), 1e-300)] = 1
    covariance = ledoit_wolf(R / scale, assume_centered=True)[0]
    coef = scipy.linalg.lstsq(covariance, (means / scale).T)[0] / scale[:, None]
    with np.errstate(divide="ignore"):
        prior = np.log(sizes / len(X))
    return coef, prior - np.einsum("kq,qk->k", means, coef) / 2


def _contributions(block: Block, maps, centres) -> list[np.ndarray]:
    """Return x @ map - centre of every view, zero in rows that it lacks."""
    out = []
    for v, (x, A) in enumerate(zip(block.arrays, maps, strict=True)):
        y = np.asarray(x @ A, dtype=np.float64) - centres[v]
        out.append(y if block.mask is None else y * block.mask[:, v, None])
    return out


def _axes(block: Block, K: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for every view, axes of scores with mean square one, and their mean."""
    out = []
    for v, x in enumerate(block.arrays):
        x = x if block.mask is None else x[np.flatnonzero(block.mask[:, v])]
        A, mean = principal_axes(x, min(MULTIPLE * K, MOST))
        size = np.linalg.norm(np.asarray(x @ A) - mean @ A) / np.sqrt(x.shape[0])
        A = A / size if size > 0 else A
        out.append((A, mean @ A))
    return out
