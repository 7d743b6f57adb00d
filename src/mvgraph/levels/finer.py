"""Finer levels for which something speaks, though they are not probable."""

from __future__ import annotations

import numpy as np

from mvgraph.levels.choice import WEIGHTS, bound_of_valleys, is_apart, is_real
from mvgraph.levels.evidence import Evidence

#: By how much the stability of a number exceeds that of the numbers around it: of the
#: peaks beyond the right number of the made sets, 95 of 100 are lower.
PEAK = 0.02
#: Stability from which on clusters are not dissolved in other draws, by Hennig.
DISSOLVED = 0.5
#: Confidence of such a level, at most: of 32 in labelled and made sets, 7 were near.
ALSO = 0.2


def finer_levels(
    evidence: Evidence, levels: dict[int, float], wanted: np.ndarray | None
) -> dict[int, float]:
    """Return two finer numbers at most, apart from all levels, and their confidence.

    The largest that valleys part, and the best of those that are found again better
    than the numbers around. One level less than allowed: groups of clusters may follow.

    Parameters
    ----------
    evidence : Evidence
    levels : dict of int to float
        Confidence of the numbers that stand out, the first the most probable.
    wanted : ndarray of int or None
        Numbers that are allowed.
    """
    first, sure = next(iter(levels.items()))
    listed = list(levels)
    for numbers in ([finest_parted(evidence)], peaks(evidence)):
        apart = [
            k
            for k in numbers
            if k > first
            and (wanted is None or k in wanted)
            and all(is_apart(k, other) for other in listed)
        ]
        if len(listed) < WEIGHTS.most - 1:
            listed += apart[:1]
    return dict.fromkeys(listed[len(levels) :], min(ALSO, sure))


def finest_parted(evidence: Evidence, times: float = 1.0) -> int:
    """Return the largest of the numbers that valleys part; 1 if there is none."""
    return int(parted_numbers(evidence, times).max(initial=1))


def parted_numbers(evidence: Evidence, times: float = 1.0) -> np.ndarray:
    """Return the numbers of which valleys part all clusters but one.

    None for few rows, of which valleys are known badly.

    Parameters
    ----------
    evidence : Evidence
    times : float, default=1.0
        Of the most density that may be left in a valley.
    """
    k = evidence.numbers
    bound = times * bound_of_valleys(evidence.n, k)
    few = evidence.n <= WEIGHTS.few_rows
    return k[(evidence.valleys.second <= bound) & (not few)]


def peaks(evidence: Evidence) -> list[int]:
    """Return the numbers that are found again better than those around, best first."""
    k, J = evidence.numbers, evidence.stability
    height = np.array([_prominence(J, i) for i in range(len(J))])
    high = np.flatnonzero((height >= PEAK) & (J >= DISSOLVED))
    order = high[np.argsort(-height[high], kind="stable")]
    return [int(number) for number in k[order] if is_real(evidence, int(number))]


def _prominence(y: np.ndarray, i: int) -> float:
    """Return how far one has to descend from a value, at least, to reach a higher."""
    if i in (0, len(y) - 1):
        return 0.0
    lows = []
    for side in (y[i::-1], y[i:]):
        higher = np.flatnonzero(side > y[i])
        lows.append(side[: higher[0] if len(higher) else len(side)].min())
    return float(y[i] - max(lows))
