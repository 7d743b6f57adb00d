"""Which methods differ: Wilcoxon's test of every pair, corrected after Holm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mvgraph.bench.compare import Record, complete_table

__all__ = ["Pair", "holm", "pairs"]


class Pair(NamedTuple):
    """Two methods on the sets that both, and all others, finished."""

    first: str
    second: str
    difference: float  # mean of first minus second
    wins: int  # sets on which the first is better
    ties: int
    losses: int
    p_value: float  # Wilcoxon signed-rank test, two-sided
    p_holm: float  # the same, corrected for all pairs


def pairs(records: Sequence[Record], score: str = "acc") -> list[Pair]:
    """Compare every two methods by the signed ranks of their differences.

    Means over seeds on shuffled rows, one value per set, on the sets that all methods
    finished [demsar2006]_; sets on which two methods are equal do not count.

    Parameters
    ----------
    records : sequence of dict
        As written by ``mvgraph bench``.
    score : str

    Returns
    -------
    list of Pair
        Smallest p first; empty with fewer than two methods or two sets.

    References
    ----------
    .. [demsar2006] Demsar, "Statistical comparisons of classifiers over multiple data
       sets", JMLR 7, 2006.
    """
    table, sets = complete_table(list(records), score)
    if len(table) < 2 or len(sets) < 2:
        return []
    values = {name: np.array([row[s] for s in sets]) for name, row in table.items()}
    found = [_pair(a, b, values[a], values[b]) for a, b in combinations(values, 2)]
    corrected = holm([pair.p_value for pair in found])
    found = [p._replace(p_holm=c) for p, c in zip(found, corrected, strict=True)]
    return sorted(found, key=lambda pair: pair.p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number by Holm's step-down rule [holm1979]_.

    The i-th smallest of m is multiplied by m + 1 - i, and not below the one before it.

    Parameters
    ----------
    p_values : sequence of float

    Returns
    -------
    list of float
        In the order given.

    References
    ----------
    .. [holm1979] Holm, "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> from mvgraph.bench.significance import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1)
    return [float(value) for value in corrected]


def _pair(first: str, second: str, x: np.ndarray, y: np.ndarray) -> Pair:
    from scipy import stats

    gap = (x - y).round(6)  # equal up to rounding counts as equal
    p_value = 1.0
    if gap.any():
        p_value = float(stats.wilcoxon(gap).pvalue)
    wins, ties, losses = (int(np.sum(np.sign(gap) == sign)) for sign in (1, 0, -1))
    mean = float(gap.mean())
    return Pair(first, second, mean, wins, ties, losses, p_value, p_value)
