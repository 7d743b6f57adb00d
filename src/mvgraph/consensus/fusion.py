"""Fuse many partitions into one: weights by agreement, a bipartite cut, or a vote."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import indicator
from mvgraph.ops.linalg.bipartite_spectral import left_singular_vectors
from mvgraph.ops.linalg.spectral import row_normalise

__all__ = ["Fusion", "agreement", "agreement_weights", "fuse"]

POWER = 6
#: The vote replaces the cut where it explains the base partitions better by this much.
VOTE_MARGIN = 0.005


class Fusion(NamedTuple):
    """The consensus, its spectral embedding, the weights, and how it was read."""

    labels: np.ndarray
    embedding: np.ndarray
    weights: np.ndarray  # (B,), sum one
    rule: str  # "cut" or "vote"


def fuse(
    partitions: np.ndarray, families: np.ndarray, K: int, rng: np.random.Generator
) -> Fusion:
    """Fuse base partitions of the same samples.

    A partition weighs a^6 / size of its family, a its mean adjusted Rand index with
    all others. The consensus is the spectral cut of the bipartite graph of samples and
    base clusters (edge: weight / cluster size), or the weighted vote of the partitions
    matched to that cut, if the vote shares clearly more information with them and
    leaves no cluster empty.

    Parameters
    ----------
    partitions : ndarray of int, shape (B, N)
        Labels below K.
    families : ndarray of int, shape (B,)
        Kinds of partitions, whose total weights are balanced by their numbers.
    K : int
    rng : Generator

    Returns
    -------
    Fusion
    """
    w = agreement_weights(partitions, families, K)
    labels, U = cut(partitions, w, K, rng)
    strong = w > 1e-3 * w.max()
    voted = vote(partitions[strong], w[strong], K, labels)
    gain = shared_information(voted, partitions, w, K) - shared_information(
        labels, partitions, w, K
    )
    if gain > VOTE_MARGIN and len(np.unique(voted)) == len(np.unique(labels)):
        return Fusion(voted, U, w, "vote")
    return Fusion(labels, U, w, "cut")


def agreement(partitions: np.ndarray, K: int) -> np.ndarray:
    """Return the adjusted Rand index of every pair of partitions, (B, B)."""
    B, N = partitions.shape
    H = indicator(partitions, K)
    T = H.T.tocsr()
    sizes = np.asarray(H.sum(axis=0)).reshape(B, K)
    pairs = _pairs(sizes).sum(axis=1)
    expected = pairs[:, None] * pairs[None] / max(_pairs(N), 1)
    A = np.empty((B, B))
    for b in range(B):
        joint = _pairs((T[b * K : (b + 1) * K] @ H).toarray()).sum(axis=0)
        A[b] = joint.reshape(B, K).sum(axis=1)
    most = (pairs[:, None] + pairs[None]) / 2 - expected
    return np.where(most > 0, (A - expected) / np.where(most > 0, most, 1), 1.0)


def _pairs(x):
    return x * (x - 1) / 2


def agreement_weights(
    partitions: np.ndarray, families: np.ndarray, K: int
) -> np.ndarray:
    """Weigh partitions by their mean agreement with the others, families balanced."""
    A = agreement(partitions, K)
    np.fill_diagonal(A, 0)
    mean = A.sum(axis=1) / max(len(A) - 1, 1)
    w = np.maximum(mean, 1e-6) ** POWER / np.bincount(families)[families]
    return w / w.sum()


def cut(partitions, w, K: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Cut the graph of samples and base clusters; edges are weight / cluster size."""
    H = indicator(partitions, K)
    sizes = np.asarray(H.sum(axis=0)).ravel()
    edge = np.repeat(w / w.max(), K)
    keep = (sizes > 0) & (edge > 1e-6)
    H = H[:, keep] @ sp.diags(np.sqrt(edge[keep] / sizes[keep]))
    U, _ = left_singular_vectors(H, K)
    labels = kmeans(row_normalise(U), K, rng, n_init=20, max_iter=50).labels
    return labels, U


def vote(partitions, w, K: int, labels: np.ndarray, max_iter: int = 10) -> np.ndarray:
    """Match every partition to the labels, sum the weighted votes, until they stay."""
    N = partitions.shape[1]
    rows = np.arange(N)
    member = np.eye(K)[labels]
    for _ in range(max_iter):
        votes = np.zeros((N, K))
        for part, weight in zip(partitions, w, strict=True):
            T = sp.csr_matrix((np.ones(N), (part, rows)), shape=(K, N))
            votes[rows, linear_sum_assignment(-(T @ member))[1][part]] += weight
        new = votes.argmax(axis=1)
        if np.array_equal(new, labels):
            break
        labels, member = new, votes
    return labels


def shared_information(labels, partitions, w, K: int) -> float:
    """Weighted mean of the normalised mutual information with all partitions."""
    return float(
        sum(a * _nmi(labels, b, K) for a, b in zip(w, partitions, strict=True))
    )


def _nmi(a: np.ndarray, b: np.ndarray, K: int) -> float:
    joint = np.bincount(a * K + b, minlength=K * K).reshape(K, K) / len(a)
    p, q = _entropy(joint.sum(axis=1)), _entropy(joint.sum(axis=0))
    return 2 * (p + q - _entropy(joint.ravel())) / max(p + q, 1e-12)


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())
