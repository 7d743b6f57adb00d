"""Which numbers of clusters the evidence speaks for, and how sure that is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.levels.evidence import Evidence, chance

__all__ = ["Weights", "divides", "near", "probabilities", "span", "stand_out"]


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
    #: Stability above chance, in shares of what is possible, from which on there is a
    #: division: noise has up to 0.1, the least of 18 labelled sets 0.27.
    division: float = 0.18


WEIGHTS = Weights()


def divides(evidence: Evidence, weights: Weights = WEIGHTS) -> bool:
    """Return True if any division is more stable than those of noise."""
    by_chance = chance(evidence.numbers, evidence.n)
    above = (evidence.stability - by_chance) / (1 - by_chance)
    return bool(above.max() >= weights.division)


def probabilities(evidence: Evidence, weights: Weights = WEIGHTS) -> np.ndarray:
    """Return the probability of every number of clusters, (k,).

    Its logarithm is a sum of k (stability - 0.7), so that many clusters that are found
    again outweigh few; of the nearness to what modularity counts; of the fall of the
    stability beyond k, where clusters begin to be divided at random; and of how little
    the stability lacks of one.
    """
    k, s = evidence.numbers, evidence.stability
    score = weights.found * k * (s - weights.stable)
    score -= weights.clear * np.log(1 + weights.lacking - s)
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
        ratio = np.maximum(k / number, number / k)
        allowed &= (ratio >= weights.apart) & (np.abs(k - number) >= 2)
    return found


def span(k: np.ndarray, p: np.ndarray, best: int) -> tuple[int, int]:
    """Return the numbers between which nine tenths of the probability lie."""
    below: np.ndarray = np.cumsum(p)
    ends = np.searchsorted(below, [0.05, 0.95])
    low, high = k[np.minimum(ends, len(k) - 1)].tolist()
    return min(low, best), max(high, best)
