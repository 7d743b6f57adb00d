"""Ranks of methods over sets, and which of them differ.

Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006,
gives the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, count
from typing import NamedTuple

import numpy as np
from scipy import stats

from mvgraph.bench.compare import Group, shuffled
from mvgraph.bench.naming import reference_of
from mvgraph.bench.records import Record
from mvgraph.ops.wording import extra

with extra("a table of benchmarks", "pandas", "report"):
    import pandas as pd


#: Of all tests.
LEVEL = 0.05
#: Stands for the score of a method that ran on a set and did not finish.
LAST = float("-inf")
#: The rule of `means`, `places` and `pairs`, for captions.
RULE = (
    "A method that reached a limit or failed on a set, if only once, counts as last "
    "there among those that ran. A method that finished no trial has no rank, unless "
    "it is the reference."
)


def means(groups: list[Group], score: str) -> pd.DataFrame:
    """Tabulate a score by method and set: `LAST` where a trial did not finish.

    A mean over the seeds on which a method did not fail would not be fair. NaN where a
    method was not run, or the set was not found; sets that no method finished are left
    out.
    """
    rows = []
    for g in groups:
        value = g.score(score)
        if g.lost and g.state.ran:
            rows.append((g.variant, g.set, LAST))
        elif value is not None and not g.lost:
            rows.append((g.variant, g.set, value[0]))
    table = pd.DataFrame(rows, columns=["method", "set", "mean"])
    table = table.pivot(index="method", columns="set", values="mean")
    table = table.loc[list(dict.fromkeys(row[0] for row in rows))]
    return table.loc[:, (table > LAST).any()]


def places(table: pd.DataFrame) -> pd.DataFrame:
    """Rank the methods on every set, each among those that ran on it; see `RULE`."""
    return (-table.round(6)).rank()  # equal up to rounding counts as equal


def complete_table(records: Sequence[Record], score: str = "acc") -> pd.DataFrame:
    """Choose methods and sets such that no entry is missing and the table is largest.

    Tries the methods that ran on at least 2, 3, ... sets, with shuffled rows, in the
    default settings or, where only these were run, in those of the publication. The
    reference, and methods that the user has named, are there in any setting; sets on
    which the reference did not run are left out. Methods without a single result are
    left out, except the reference: being last everywhere, they would make all others
    differ in Friedman's test, and add comparisons.
    """
    own = reference_of(list(records))
    groups = [g for g in shuffled(list(records), failed=True) if g.state.ran]
    first = [g.trials[0] for g in groups]
    plain = {r["method"] for r in first if r["preset"] != "paper" and not r["override"]}
    ended = {own, *(g.variant for g in groups if g.records)}
    groups = [g for g in groups if g.variant in ended]
    table = means([g for g in groups if _is_ranked(g, own, plain)], score)
    if own in table.index:
        table = table.loc[:, table.loc[own].notna()]
    best, n_sets = table.iloc[:0, :0], table.notna().sum(axis=1)
    most = int(max(n_sets, default=0))
    for least in range(min(2, most), 1 + most):
        part = table[n_sets >= least].dropna(axis=1)
        best = part if part.size > best.size else best
    return best


def _is_ranked(group: Group, own: str | None, plain: set[str]) -> bool:
    """Return whether a group counts, given the methods with their default settings."""
    first = group.trials[0]
    if first.get("ranked") or group.variant == own:
        return True
    is_paper = first["preset"] == "paper"
    return not first["override"] and not (is_paper and first["method"] in plain)


def mean_ranks(records: Sequence[Record], score: str = "acc") -> pd.Series:
    """Return the mean rank of the methods of `complete_table`, best first."""
    place = places(complete_table(records, score))
    return place.mean(axis=1).sort_values(kind="stable")


class Ranks(NamedTuple):
    """Mean ranks over sets, and the smallest significant difference."""

    methods: list[str]  # best first
    mean: list[float]
    n_sets: int
    p_value: float | None  # Friedman test of the hypothesis that all methods are equal
    critical: float | None  # Nemenyi critical difference at 5 %
    limited: bool = False  # whether `RULE` applies to any of them

    def cliques(self) -> list[tuple[int, int]]:
        """Return maximal groups of methods that do not differ, as (first, last).

        All are one group where the Friedman test does not show that any differ: pairs
        are compared only after it does.
        """
        if self.critical is None:
            return []
        if self.p_value is not None and self.p_value > LEVEL:
            return [(0, len(self.methods) - 1)]
        runs: list[tuple[int, int]] = []
        for i, low in enumerate(self.mean):
            j = max(j for j, m in enumerate(self.mean) if m - low <= self.critical)
            if j > i and (not runs or j > runs[-1][1]):
                runs.append((i, j))
        return runs


def ranks(records: list[Record], score: str = "acc") -> Ranks | None:
    """Rank methods on shuffled rows, on the sets that all of them ran on.

    Returns None with fewer than two methods or two sets.
    """
    table = complete_table(records, score)
    if min(table.shape) < 2:
        return None
    place, mean = places(table), mean_ranks(records, score)
    p_value = None
    if len(table) > 2 and np.ptp(place.to_numpy()) > 0:
        p_value = float(stats.friedmanchisquare(*place.to_numpy()).pvalue)
    critical = critical_difference(*table.shape)
    limited = bool((table == LAST).any(axis=None))
    shape = table.shape[1], p_value, critical
    return Ranks(list(mean.index), mean.tolist(), *shape, limited)


def critical_difference(n_methods: int, n_sets: int, level: float = LEVEL) -> float:
    """Return the Nemenyi critical difference of mean ranks.

    CD = q sqrt(k (k + 1) / (6 N)), q the studentised range over sqrt 2.
    """
    k = n_methods
    q = float(stats.studentized_range.ppf(1 - level, k, float("inf"))) / 2**0.5
    return float(q * (k * (k + 1) / (6 * n_sets)) ** 0.5)


class Pair(NamedTuple):
    """Two methods on the sets that both, and all others, ran on."""

    first: str
    second: str
    difference: float | None  # mean of first minus second, where both finished
    wins: int  # sets on which the first is better
    ties: int
    losses: int
    p_value: float  # Wilcoxon signed-rank test, two-sided
    p_holm: float  # the same, corrected for all pairs


def pairs(
    records: Sequence[Record], score: str = "acc", against: str | None = None
) -> list[Pair]:
    """Compare every two methods by the signed ranks of their differences.

    Means over seeds on shuffled rows, one value per set, on the sets that all methods
    ran on; sets on which two methods are equal do not count. Where one did not finish,
    it loses by more than on any other set.

    Parameters
    ----------
    records : sequence of dict
        As written by ``mvgraph bench``.
    score : str
    against : str, optional
        Compare all methods with this one only, and correct for so many comparisons.

    Returns
    -------
    list of Pair
        Smallest p first; empty with fewer than two methods or two sets.
    """
    table = complete_table(records, score)
    if min(table.shape) < 2:
        return []
    tested = [
        _pair(first, second, table)
        for first, second in combinations(table.index, 2)
        if against is None or against in (first, second)
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


def least_p(n_sets: int, n_tests: int) -> float:
    """Return the smallest p that `pairs` can give so many tests, corrected.

    If one method is better on every set, one in 2 ** n_sets signs is as extreme, and
    one is to the other side.
    """
    return min(1.0, 2 * 0.5**n_sets * n_tests)


def least_sets(n_tests: int) -> int:
    """Return on how many sets so many tests can give a p below `LEVEL`."""
    return next(n for n in count(1) if least_p(n, n_tests) < LEVEL)


def _pair(first: str, second: str, table: pd.DataFrame) -> Pair:
    x, y = table.loc[[first, second]].to_numpy()
    finished = (x > LAST) & (y > LAST)
    gap = np.subtract(x, y, where=finished, out=np.zeros(len(x)))
    gap = gap.round(6)  # equal up to rounding counts as equal
    mean = float(gap[finished].mean()) if finished.any() else None
    most = 1 + np.abs(gap).max()
    gap[~finished] = most * np.sign((x > LAST).astype(int) - (y > LAST))[~finished]
    p_value = float(stats.wilcoxon(gap).pvalue) if gap.any() else 1.0
    wins, ties, losses = (int(np.sum(np.sign(gap) == sign)) for sign in (1, 0, -1))
    return Pair(first, second, mean, wins, ties, losses, p_value, p_value)
