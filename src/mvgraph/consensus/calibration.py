"""Probabilities of clusters that say how often they are right.

Votes rank the samples of a set, but they say too much where clusters are not clear: on
some sets, a half of all samples that have nearly all votes are not in the cluster that
their class is matched to. How well the base partitions agree with the labels says how
clear the clusters are. Both together give the odds that a label is right.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from mvgraph.consensus.fusion import agreement_between, matched
from mvgraph.consensus.method import Recipe
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.ops.linalg.laplacian import normalise

#: Share of the votes that is added to the first and to the second cluster of a sample.
LEAST = 0.03
#: Agreements beyond are not told apart.
CLEAR = 0.98
#: Least lead of a label, in probability.
GAP = 1e-4


def votes(
    partitions: np.ndarray,
    labels: np.ndarray,
    K: int,
    sources: list[GraphSource],
    recipe: Recipe,
) -> np.ndarray:
    """Return the share of every cluster in the votes for a sample, (n, K).

    A third each is from the base partitions, and from the neighbours in the joint and
    in the mean graphs.
    """
    member, rows = np.eye(K)[labels], np.arange(len(labels))
    found = np.zeros_like(member)
    for part in partitions:
        found[rows, matched(member, part, K)] += 1 / len(partitions)
    k = recipe.neighbors[0]
    for source in sources:
        for W in (source.mean_graph(k), source.joint_graph(k)):
            found += normalise(W) @ member / len(sources)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def agreement_with(partitions: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean adjusted Rand index of labels with partitions."""
    K = int(max(labels.max(), partitions.max())) + 1
    return float(agreement_between(labels[None], partitions, K).mean())


def odds(agreement: float, weights: tuple[float, float, float]) -> np.ndarray:
    """Return slope and offset of the odds that a label is right, (2,).

    Parameters
    ----------
    agreement : float
    weights : tuple of float
        Of the logarithm of the ratio of the votes, of the logit of the agreement, and
        a constant.
    """
    slope, weight, offset = weights
    clear = logit(np.clip(agreement, 1 - CLEAR, CLEAR))
    return np.array([slope, weight * clear + offset])


def calibrated(P: np.ndarray, labels: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Return probabilities of which that of the label says how often it is right.

    The other clusters keep their ratios, unless one would have more than the label:
    then they become more even.

    Parameters
    ----------
    P : ndarray of shape (n, K)
        Shares; rows sum to one.
    labels : ndarray of int, shape (n,)
    line : ndarray of shape (2,)
        Of `odds`: slope, by the logarithm of the ratio of the label's share and the
        largest other, and offset.
    """
    K, rows = P.shape[1], np.arange(len(P))
    if K == 1:
        return np.ones_like(P)
    others = np.array(P, dtype=np.float64)
    first = others[rows, labels]
    others[rows, labels] = 0
    ratio = np.log((first + LEAST) / (others.max(axis=1) + LEAST))
    own = expit(line[0] * ratio + line[1])
    total = others.sum(axis=1, keepdims=True)
    others = np.where(total > 0, others / np.where(total > 0, total, 1), 1 / (K - 1))
    others[rows, labels] = 0
    own = np.maximum(own, 1 / K + GAP)
    # as even as is needed for the label to have most
    even, most = 1 / (K - 1), others.max(axis=1)
    room = (own - GAP / 2) / (1 - own) - even
    kept = np.minimum(room / np.maximum(most - even, room), 1)[:, None]
    found = (1 - own)[:, None] * (kept * others + (1 - kept) * even)
    found[rows, labels] = own
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=P.dtype)
