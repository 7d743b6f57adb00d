"""Ranks of methods over sets, and which of them differ.

Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006,
gives the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import stats

from mvgraph.bench.compare import Group, shuffled
from mvgraph.bench.records import Record
from mvgraph.ops.wording import extra

with extra("a table of benchmarks", "pandas", "report"):
    import pandas as pd


def means(groups: list[Group], score: str) -> pd.DataFrame:
    """Tabulate a score by method and set, where no trial failed.

    A mean over the seeds on which a method did not fail would not be fair.
    """
    scores = [(g.variant, g.set, g.score(score)) for g in groups if not g.lost]
    rows = [(method, name, value[0]) for method, name, value in scores if value]
    table = pd.DataFrame(rows, columns=["method", "set", "mean"])
    table = table.pivot(index="method", columns="set", values="mean")
    return table.loc[list(dict.fromkeys(row[0] for row in rows))]


def places(table: pd.DataFrame) -> pd.DataFrame:
    """Rank the methods on every set, each among those that have a value of the set."""
    return (-table.round(6)).rank()  # equal up to rounding counts as equal


def complete_table(records: Sequence[Record], score: str = "acc") -> pd.DataFrame:
    """Choose methods and sets such that no entry is missing and the table is largest.

    Tries the methods that finished at least 2, 3, ... sets, with shuffled rows, in the
    default settings or, where only these were run, in those of the publication.
    """
    groups = [g for g in shuffled(list(records)) if not g.first["override"]]
    paper = [g.first["preset"] == "paper" for g in groups]
    plain = {g.first["method"] for g, p in zip(groups, paper, strict=True) if not p}
    pairs = zip(groups, paper, strict=True)
    groups = [g for g, p in pairs if not p or g.first["method"] not in plain]
    table = means(groups, score)
    best, n_sets = table.iloc[:0, :0], table.notna().sum(axis=1)
    for least in range(2, 1 + max(n_sets, default=0)):
        part = table[n_sets >= least].dropna(axis=1)
        best = part if part.size > best.size else best
    return best


class Ranks(NamedTuple):
    """Mean ranks over sets, and the smallest significant difference."""

    methods: list[str]  # best first
    mean: list[float]
    n_sets: int
    p_value: float | None  # Friedman test of the hypothesis that all methods are equal
    critical: float | None  # Nemenyi critical difference at 5 %

    def cliques(self) -> list[tuple[int, int]]:
        """Return maximal groups of methods that do not differ, as (first, last)."""
        if self.critical is None:
            return []
        runs: list[tuple[int, int]] = []
        for i, low in enumerate(self.mean):
            j = max(j for j, m in enumerate(self.mean) if m - low <= self.critical)
            if j > i and (not runs or j > runs[-1][1]):
                runs.append((i, j))
        return runs


def ranks(records: list[Record], score: str = "acc") -> Ranks | None:
    """Rank methods on shuffled rows, on the sets that all of them finished.

    Returns None with fewer than two methods or two sets.
    """
    table = complete_table(records, score)
    if min(table.shape) < 2:
        return None
    place = places(table)
    mean = place.mean(axis=1).sort_values(kind="stable")
    p_value = None
    if len(table) > 2 and np.ptp(place.to_numpy()) > 0:
        p_value = float(stats.friedmanchisquare(*table.to_numpy()).pvalue)
    critical = critical_difference(*table.shape)
    return Ranks(list(mean.index), mean.tolist(), table.shape[1], p_value, critical)


def critical_difference(n_methods: int, n_sets: int, level: float = 0.05) -> float:
    """Return the Nemenyi critical difference of mean ranks.

    CD = q sqrt(k (k + 1) / (6 N)), q the studentised range over sqrt 2.
    """
    k = n_methods
    q = float(stats.studentized_range.ppf(1 - level, k, float("inf"))) / 2**0.5
    return float(q * (k * (k + 1) / (6 * n_sets)) ** 0.5)


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
    finished; sets on which two methods are equal do not count.

    Parameters
    ----------
    records : sequence of dict
        As written by ``mvgraph bench``.
    score : str

    Returns
    -------
    list of Pair
        Smallest p first; empty with fewer than two methods or two sets.
    """
    table = complete_table(records, score)
    if min(table.shape) < 2:
        return []
    tested = [
        _pair(first, second, (table.loc[first] - table.loc[second]).to_numpy())
        for first, second in combinations(table.index, 2)
    ]
    corrected = holm([pair.p_value for pair in tested])
    tested = [p._replace(p_holm=c) for p, c in zip(tested, corrected, strict=True)]
    return sorted(tested, key=lambda pair: pair.p_value)


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
    p = pd.Series(p_values, dtype=float).sort_values(kind="stable")
    steps = (p * np.arange(len(p), 0, -1)).cummax().clip(upper=1)
    return list(map(float, steps.sort_index()))


def _pair(first: str, second: str, gap: np.ndarray) -> Pair:
    gap = gap.round(6)  # equal up to rounding counts as equal
    p_value = float(stats.wilcoxon(gap).pvalue) if gap.any() else 1.0
    wins, ties, losses = (int(np.sum(np.sign(gap) == sign)) for sign in (1, 0, -1))
    mean = float(gap.mean())
    return Pair(first, second, mean, wins, ties, losses, p_value, p_value)
