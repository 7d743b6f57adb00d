"""Which numbers of clusters the evidence speaks for, and how sure that is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.levels.evidence import Evidence


class Weights(NamedTuple):
    """The constants of the choice.

    The weights were fitted to labelled sets and generated blobs, as
    ``benchmarks/n_clusters.py weights`` does: on one half of the sets, reported on the
    other (``docs/results_n_clusters.md``); these are those of all sets.
    """

    #: Stability of a cluster from which on it counts for a number, not against it;
    #: Hennig calls clusters valid from 0.75 on. Compared: .65, .67, .70, .75.
    stable: float = 0.7
    #: Weights of: clusters found again; number near the communities of the mean graph
    #: of 20 neighbours, of the joint one, and of the joint one of 7; fall of the
    #: stability beyond the number; clearness, how little the stability lacks.
    found: float = 1.12
    counts: tuple[tuple[str, int, float], ...] = (
        ("mean", 20, 3.38),
        ("joint", 20, 4.50),
        ("joint", 7, 0.34),
    )
    fall: float = 16.4
    clear: float = 2.89
    #: Weight of the valleys between the clusters: the root of k times what is left of
    #: the density below the first of the next constants. Set by hand, from five values,
    #: beside the others.
    parted: float = 1.0
    #: Keeps the logarithm of what a full stability lacks finite.
    lacking: float = 0.03
    #: Two numbers are near in this ratio, as a standard deviation of its logarithm.
    width: float = 0.12
    #: Share of a number beyond it over which the stability should have fallen.
    beyond: float = 1.25
    #: Levels: at most, their least probability, and the least ratio of two.
    most: int = 4
    least: float = 0.02
    apart: float = 1.3
    #: A valley, for large clusters, and the size of those for which it has to be twice
    #: as deep. One group has 0.4 or more for 50 samples a cluster, 0.2 for five.
    valley: float = 0.4
    near: float = 0.75
    few: float = 12.0
    #: Beside a reference: a valley as deep as can be asked for, and, of so few rows or
    #: rows a cluster, the least stability above it: noise has up to 0.15.
    empty: float = 0.05
    again: float = 0.2
    few_rows: int = 150
    small: float = 10.0
    #: Stability above the reference that makes up for a valley that is less deep, so
    #: many times the bound. One bent group had 0.48 with a valley of 1.2 times it.
    much: float = 0.52
    partly: float = 1.5
    #: Stability above that of one group of the same shape, in shares of what is
    #: possible, from which on there is a division, in powers of the latter; mean over
    #: the numbers from half to twice, and at least these. One group has up to 1.15,
    #: least of the 18 sets without valleys 1.47.
    more: float = 1.3
    rising: float = 1.5
    about: tuple[int, int] = (4, 12)


WEIGHTS = Weights()


def bound_of_valleys(n: int, number: Any, weights: Weights = WEIGHTS) -> Any:
    """Return the most density in a valley between clusters of n rows.

    Small clusters of noise have valleys too: communities begin where samples lack.
    """
    size = n / number
    return weights.valley * size / (size + weights.few)


def is_clear(
    evidence: Evidence, number: int, weights: Weights = WEIGHTS, times: float = 1.0
) -> bool:
    """Return True if valleys part the clusters of a cut."""
    bound = times * bound_of_valleys(evidence.n, number, weights)
    at = int(np.searchsorted(evidence.numbers, number))
    depth, near = evidence.valleys.median[at], evidence.valleys.near[at]
    # the middle of a bent group is as dense as all of it, but its ends lie side by side
    straight = near <= weights.near or depth <= bound / 2
    return bool(depth <= bound and straight)


def is_real(evidence: Evidence, number: int, weights: Weights = WEIGHTS) -> bool:
    """Return True if a cut divides more than one group of the same shape would.

    Valleys part its clusters, which are found again better than in the reference; or
    cuts into about as many are found again much better, whether or not a line shows a
    valley: in text, none does. There is no reference if the most probable number has
    valleys; the others then need half as deep ones.
    """
    if evidence.reference is None:
        return is_clear(evidence, number, weights, 2)
    clear = is_clear(evidence, number, weights)
    k, J = evidence.numbers, evidence.stability
    stability, deep = evidence.reference
    at, mean = int(np.searchsorted(k, number)), stability.mean(axis=0)
    deeper = evidence.valleys.median[at] <= max(deep[:, at].min(), weights.empty)
    few = evidence.n <= weights.few_rows or evidence.n < weights.small * number
    again = weights.again if few else 0.0
    least = max(stability[:, at].max(), min(mean[at] + again, 1.0))
    if clear and deeper and J[at] >= least:
        return True
    above = (J - mean) / (1.02 - mean)
    # of few rows, valleys are known badly
    partly = is_clear(evidence, number, weights, weights.partly)
    if partly and above[at] >= weights.much and J[at] > stability[:, at].max():
        return True
    low, high = weights.about
    about = (k >= min(max(number / 2, low), k[-1])) & (k <= max(2 * number, high))
    more = above[about].mean()
    # trees of few dimensions are stable by themselves, and vary more
    return bool(more >= weights.more * mean[about].mean() ** weights.rising)


def probabilities(evidence: Evidence, weights: Weights = WEIGHTS) -> np.ndarray:
    """Return the probability of every number of clusters, (k,).

    Its logarithm is a sum of k (stability - 0.7), so that many clusters that are found
    again outweigh few; of the nearness to what modularity counts; of the fall of the
    stability beyond k, where clusters begin to be divided at random; of how little the
    stability lacks of one; and of how deep the valleys between clusters are.
    """
    k, s = evidence.numbers, evidence.stability
    score = weights.found * k * (s - weights.stable)
    score -= weights.clear * np.log(1 + weights.lacking - s)
    score += weights.parted * np.sqrt(k) * (weights.valley - evidence.valleys.mean)
    for name, neighbors, weight in weights.counts:
        if (name, neighbors) in evidence.counts:  # a single view has no mean graph
            count = evidence.counts[name, neighbors]
            score += weight * np.exp(-((np.log(k / count) / weights.width) ** 2) / 2)
    for i, number in enumerate(k):
        later = (k > number) & (k <= max(weights.beyond * number, number + 1))
        if later.any():
            score[i] += weights.fall * max(s[i] - s[later].mean(), 0)
    p = np.exp(score - score.max())
    return np.asarray(p / p.sum())


def near(k: np.ndarray, number: int) -> np.ndarray:
    """Return which numbers are within one, or a tenth, of a number."""
    return np.asarray(np.abs(k - number) <= np.maximum(1, 0.1 * np.maximum(k, number)))


def stand_out(
    k: np.ndarray, p: np.ndarray, weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Return the numbers that stand out, with the probability of each and its near.

    The first is the most probable; each of the others holds, with the numbers near it,
    most of the probability that is left.

    Parameters
    ----------
    k : ndarray of int
        Ascending numbers.
    p : ndarray
        Their probabilities.
    """
    left: np.ndarray = p.copy()
    found: dict[int, float] = {}
    allowed = np.ones(len(k), dtype=bool)
    while len(found) < weights.most and allowed.any():
        held = np.array([left[near(k, number)].sum() for number in k])
        around = near(k, int(k[int(np.where(allowed, held, -1).argmax())]))
        i = int((np.where(allowed & around, left, -1) if found else p).argmax())
        if found and held[allowed].max() < weights.least:
            break
        number = int(k[i])
        found[number] = float(p[near(k, number)].sum())
        left[near(k, number)] = 0
        allowed &= is_apart(k, number, weights)
    return found


def is_apart(k: Any, number: int, weights: Weights = WEIGHTS) -> Any:
    """Return which numbers may be levels beside another."""
    ratio = np.maximum(k / number, number / k)
    return (ratio >= weights.apart) & (np.abs(k - number) >= 2)


def span(k: np.ndarray, p: np.ndarray, best: int) -> tuple[int, int]:
    """Return the numbers between which nine tenths of the probability lie."""
    below: np.ndarray = np.cumsum(p)
    ends = np.searchsorted(below, [0.05, 0.95])
    low, high = k[np.minimum(ends, len(k) - 1)].tolist()
    return min(low, best), max(high, best)
