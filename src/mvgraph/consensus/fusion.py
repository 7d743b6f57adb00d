"""Fuse many partitions into one: weights by evidence, four candidates, the median.

A spectral cut of the graph of samples and base clusters prefers clusters of equal size;
average linkage of the co-association does not. Each is also refined by a weighted vote.
The consensus is the candidate that agrees best with the base partitions and with the
links between samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from mvgraph.consensus.linkage import linkage_labels
from mvgraph.consensus.method import DEFAULT, Recipe
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import cluster_sums, indicator
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.linalg.spectral import left_singular_vectors, row_normalise


class Fusion(NamedTuple):
    """The consensus, its spectral embedding, the weights, and how it was read."""

    labels: np.ndarray
    embedding: np.ndarray
    weights: np.ndarray  # (B,), sum one
    rule: str  # "cut", "vote", "linkage" or "linkage, vote"
    agreement: float  # weighted mean adjusted Rand index with the partitions


def fuse(
    partitions: np.ndarray,
    families: np.ndarray,
    evidence: np.ndarray,
    inside: Callable[[np.ndarray], np.ndarray],
    K: int,
    rng: np.random.Generator,
    recipe: Recipe = DEFAULT,
) -> Fusion:
    """Fuse base partitions of the same samples.

    A partition weighs a^6 e / size of its family, a its mean adjusted Rand index with
    all others, e the evidence of its own graph. Candidates are the spectral cut of the
    bipartite graph of samples and base clusters (edge: weight / cluster size), average
    linkage of the weighted co-association, and the weighted vote of the partitions
    matched to either. The consensus is the candidate with the largest product of two:
    the weighted mean of its adjusted Rand index with the base partitions, and the share
    of links inside its clusters. One with a cluster of one or two samples is no
    candidate where there is another.

    Parameters
    ----------
    partitions : ndarray of int, shape (B, N)
        Labels below K.
    families : ndarray of int, shape (B,)
        Kinds of partitions, whose total weights are balanced by their numbers.
    evidence : ndarray of shape (B,)
        Factor of the weight of every partition, at least 0.
    inside : callable
        Share of the links of a graph that are inside the clusters of every one of some
        partitions, beyond chance.
    K : int
    rng : Generator
    recipe : Recipe, optional

    Returns
    -------
    Fusion
    """
    w = agreement_weights(partitions, families, evidence, K, recipe)
    strong = w > recipe.min_vote * w.max()
    labels, U = cut(partitions, w, K, rng, recipe)
    average = linkage_labels(partitions, w, K, recipe.min_cluster)
    candidates = {
        "cut": labels,
        "vote": vote(partitions[strong], w[strong], K, labels, recipe),
        "linkage": average,
        "linkage, vote": vote(partitions[strong], w[strong], K, average, recipe),
    }
    whole = _whole(candidates, recipe.min_cluster)
    stacked = np.stack(list(whole.values()))
    mean = agreement_between(stacked, partitions, K) @ w
    best = int(np.argmax(np.round(mean * np.maximum(inside(stacked), 0), 12)))
    rule = list(whole)[best]
    return Fusion(whole[rule], U, w, rule, float(mean[best]))


def _whole(candidates: dict[str, np.ndarray], least: int) -> dict[str, np.ndarray]:
    """Leave out candidates with fewer clusters, or smaller ones, than others have."""
    sizes = {
        rule: np.unique(c, return_counts=True)[1] for rule, c in candidates.items()
    }
    rank = {rule: (len(n), min(int(n.min()), least)) for rule, n in sizes.items()}
    best = max(rank.values())
    return {rule: c for rule, c in candidates.items() if rank[rule] == best}


def agreement(partitions: np.ndarray, K: int) -> np.ndarray:
    """Return the adjusted Rand index of every pair of partitions, (B, B)."""
    return agreement_between(partitions, partitions, K)


def agreement_between(a: np.ndarray, b: np.ndarray, K: int) -> np.ndarray:
    """Return the adjusted Rand index of every partition of a with every one of b."""
    N = a.shape[1]
    first, second = indicator(a, K).T.tocsr(), indicator(b, K)
    own, other = _pairs_inside(first.T, len(a), K), _pairs_inside(second, len(b), K)
    expected = own[:, None] * other[None] / max(_pairs(N), 1)
    shared = np.empty((len(a), len(b)))
    for i in range(len(a)):
        joint = _pairs((first[i * K : (i + 1) * K] @ second).toarray()).sum(axis=0)
        shared[i] = joint.reshape(len(b), K).sum(axis=1)
    most = (own[:, None] + other[None]) / 2 - expected
    return np.where(most > 0, (shared - expected) / np.where(most > 0, most, 1), 1.0)


def _pairs_inside(H: sp.csr_matrix, count: int, K: int) -> np.ndarray:
    sizes = np.asarray(H.sum(axis=0)).reshape(count, K)
    return np.asarray(_pairs(sizes).sum(axis=1))


def _pairs(x: Any) -> Any:
    return x * (x - 1) / 2


def agreement_weights(
    partitions: np.ndarray,
    families: np.ndarray,
    evidence: np.ndarray,
    K: int,
    recipe: Recipe = DEFAULT,
) -> np.ndarray:
    """Weigh partitions by agreement with the others and evidence, families balanced."""
    A = agreement(partitions, K)
    np.fill_diagonal(A, 0)
    mean = A.sum(axis=1) / max(len(A) - 1, 1)
    w = np.maximum(mean, 1e-6) ** recipe.power * np.maximum(evidence, 1e-6)
    w /= np.bincount(families)[families]
    return np.asarray(w / w.sum())


def cut(
    partitions: np.ndarray,
    w: np.ndarray,
    K: int,
    rng: np.random.Generator,
    recipe: Recipe = DEFAULT,
) -> tuple[np.ndarray, np.ndarray]:
    """Cut the graph of samples and base clusters; edges are weight / cluster size."""
    H = indicator(partitions, K)
    sizes = np.asarray(H.sum(axis=0)).ravel()
    edge = np.repeat(w / w.max(), K)
    keep = (sizes > 0) & (edge > recipe.min_edge)
    H = H[:, keep] @ sp.diags(np.sqrt(edge[keep] / sizes[keep]))
    U, _ = left_singular_vectors(H, K)
    labels = kmeans(
        row_normalise(U),
        K,
        rng,
        n_init=recipe.cut_n_init,
        max_iter=recipe.cut_max_iter,
    ).labels
    return labels, U


def vote(
    partitions: np.ndarray,
    w: np.ndarray,
    K: int,
    labels: np.ndarray,
    recipe: Recipe = DEFAULT,
) -> np.ndarray:
    """Match every partition to the labels, sum the weighted votes, until they stay."""
    N = partitions.shape[1]
    rows = np.arange(N)
    member = np.eye(K)[labels]
    for _ in range(recipe.max_votes):
        votes = np.zeros((N, K))
        for part, weight in zip(partitions, w, strict=True):
            votes[rows, matched(member, part, K)] += weight
        new = votes.argmax(axis=1)
        if np.array_equal(new, labels):
            break
        labels, member = new, votes
    return labels


def matched(member: np.ndarray, part: np.ndarray, K: int) -> np.ndarray:
    """Return a partition numbered like the clusters that it is matched to."""
    return np.asarray(linear_sum_assignment(-cluster_sums(member, part, K))[1][part])


def settled(
    labels: np.ndarray, graphs: Iterable[sp.csr_matrix], recipe: Recipe = DEFAULT
) -> np.ndarray:
    """Move samples to the cluster that their neighbours have most, once.

    Nothing moves if a cluster would be left with too few samples.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    graphs : iterable of csr_matrix of shape (N, N)
    recipe : Recipe, optional

    Returns
    -------
    ndarray of int, shape (N,)
    """
    member = np.eye(int(labels.max()) + 1)[labels]
    votes, own = np.zeros_like(member), 0.0
    for W in graphs:
        votes += normalise(W) @ member
        own += recipe.stay
    moved = np.asarray((votes + own * member).argmax(axis=1))
    before, after = np.bincount(labels), np.bincount(moved, minlength=member.shape[1])
    emptied = (after < np.minimum(before, recipe.min_cluster)).any()
    return labels if emptied else moved


def view_weights(
    labels: np.ndarray, own: list[np.ndarray], copy_of: np.ndarray
) -> np.ndarray:
    """Weigh views by how well the clusters of each alone agree with the labels.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    own : list of ndarray of int, shape (N,)
        A partition of every view that is no copy of an earlier one.
    copy_of : ndarray of int, shape (V,)
        The view that each is a copy of; its own number if it is none.

    Returns
    -------
    ndarray of shape (V,)
        Sum one; copies have the weight of the original before the sum.
    """
    first = np.unique(copy_of)
    agree = np.zeros(int(first.max()) + 1)
    K = 1 + max(int(part.max()) for part in (labels, *own))
    agree[first] = np.maximum(agreement_between(labels[None], np.stack(own), K), 0)
    weights = agree[copy_of]
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
