"""Statistics of the records: means, order effect, ranks, the paper's numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from statistics import fmean
from typing import Any, NamedTuple

from mvgraph.bench.records import latest_records
from mvgraph.display._scores import mean_std, variant

__all__ = [
    "Group",
    "Ranks",
    "complete_table",
    "flags",
    "groups",
    "mean_ranks",
    "paper_rows",
    "ranks",
    "series",
    "shuffled",
    "tried",
]

Record = dict[str, Any]


@dataclass
class Group:
    """All trials of one method with one setting on one set, in one order of rows."""

    set: str
    variant: str
    order: str
    records: list[Record]  # of the trials that ended with a result
    lost: list[Record] = field(default_factory=list)  # of those that failed

    @property
    def tried(self) -> int:
        """Return the number of trials, with and without a result."""
        return len(self.records) + len(self.lost)

    @property
    def share(self) -> str:
        """Return "2 of 3" if a trial failed; empty if none did."""
        return f"{len(self.records)} of {self.tried}" if self.lost else ""

    @property
    def first(self) -> Record:
        """Return the first trial."""
        return self.records[0]

    def score(self, name: str) -> tuple[float, float]:
        """Return mean and population standard deviation of a score."""
        return mean_std([record["scores"][name] for record in self.records])

    def mean(self, key: str) -> float | None:
        """Return the mean of a field of the records; None if it is unknown."""
        values = [r[key] for r in self.records if r.get(key) is not None]
        return fmean(values) if values else None


def tried(records: list[Record]) -> dict[tuple[str, str, str], Group]:
    """Group trials without sweeps by (set, variant, order), with those that failed."""
    found: dict[tuple[str, str, str], Group] = {}
    for record in latest_records(records):
        if record["method"] is not None and not record["grid"]:
            key = (record["set"], variant(record), record["order"])
            group = found.setdefault(key, Group(*key, []))
            done = record["status"] == "done"
            (group.records if done else group.lost).append(record)
    return found


def groups(records: list[Record]) -> dict[tuple[str, str, str], Group]:
    """Return the groups of `tried` that have at least one result."""
    return {key: group for key, group in tried(records).items() if group.records}


def series(records: list[Record]) -> set[str]:
    """Return the sets that are one generated set in several sizes.

    They show growth; in tables and ranks they would count one set several times.
    """
    sizes: dict[str, set[str]] = {}
    for record in records:
        base, _, size = record["set"].partition(":")
        if size:
            sizes.setdefault(base, set()).add(record["set"])
    return {name for names in sizes.values() if len(names) > 1 for name in names}


def shuffled(records: list[Record], failed: bool = False) -> list[Group]:
    """Return the groups with shuffled rows, without the sets of a series.

    Those without any result too if ``failed``.
    """
    left_out = series(records)
    found = (tried if failed else groups)(records).values()
    return [g for g in found if g.order == "shuffled" and g.set not in left_out]


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

    Uses the default settings of a method if they were run, else those of its
    publication. Returns None with fewer than two methods or two sets.
    """
    import numpy as np
    from scipy import stats

    complete, sets = complete_table(records, score)
    if len(complete) < 2 or len(sets) < 2:
        return None
    values = np.array([[row[s] for s in sets] for row in complete.values()])
    place = stats.rankdata(-values.round(6), axis=0)
    mean = place.mean(axis=1)
    best_first = np.argsort(mean, kind="stable")
    names = list(complete)
    p_value = None
    if len(complete) > 2 and np.ptp(place) > 0:
        p_value = float(stats.friedmanchisquare(*values).pvalue)
    return Ranks(
        [names[i] for i in best_first],
        [float(mean[i]) for i in best_first],
        len(sets),
        p_value,
        critical_difference(len(complete), len(sets)),
    )


def mean_ranks(table: dict[str, dict[str, float]]) -> dict[str, float]:
    """Average the ranks of methods, each among those that have a value of the set.

    Parameters
    ----------
    table : dict of dict
        Scores by method and set; the highest has rank 1.
    """
    from scipy.stats import rankdata

    places: dict[str, list[float]] = {method: [] for method in table}
    for name in dict.fromkeys(name for row in table.values() for name in row):
        present = [method for method, row in table.items() if name in row]
        ranked = rankdata([-round(table[method][name], 6) for method in present])
        for method, place in zip(present, ranked, strict=True):
            places[method].append(float(place))
    return {method: fmean(found) for method, found in places.items() if found}


def _shuffled(records: list[Record], score: str) -> dict[str, dict[str, float]]:
    """Tabulate a score by method and set, where no trial failed.

    A mean over the seeds on which a method did not fail is no fair one.
    """
    mine = [g for g in shuffled(records) if not g.first["override"]]
    plain = {g.first["method"] for g in mine if g.first["preset"] == "default"}
    table: dict[str, dict[str, float]] = {}
    for g in (g for g in mine if not g.lost):
        if g.first["preset"] == "default" or g.first["method"] not in plain:
            table.setdefault(g.variant, {})[g.set] = g.score(score)[0]
    return table


def complete_table(
    records: list[Record], score: str = "acc"
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Choose methods and sets such that no entry is missing and the table is largest.

    Tries the methods that finished at least 2, 3, ... sets, with shuffled rows. Returns
    the means by method and set, and the sets.
    """
    table = _shuffled(records, score)
    best: tuple[dict[str, dict[str, float]], list[str]] = ({}, [])
    for least in range(2, 1 + max((len(row) for row in table.values()), default=0)):
        chosen = {m: row for m, row in table.items() if len(row) >= least}
        shared = sorted(set.intersection(*(set(row) for row in chosen.values())))
        if len(chosen) * len(shared) > len(best[0]) * len(best[1]):
            best = chosen, shared
    return best


def critical_difference(n_methods: int, n_sets: int, level: float = 0.05) -> float:
    """Return the Nemenyi critical difference of mean ranks [demsar2006]_.

    CD = q sqrt(k (k + 1) / (6 N)), q the studentised range over sqrt 2.

    References
    ----------
    .. [demsar2006] Demsar, "Statistical comparisons of classifiers over multiple data
       sets", JMLR 7, 2006.
    """
    from scipy import stats

    k = n_methods
    q = float(stats.studentized_range.ppf(1 - level, k, float("inf"))) / 2**0.5
    return float(q * (k * (k + 1) / (6 * n_sets)) ** 0.5)


@cache
def _paper() -> dict[str, Any]:
    text = resources.files("mvgraph.bench").joinpath("paper_tables.json").read_text()
    tables: dict[str, Any] = json.loads(text)
    return tables


def paper_rows(name: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the paper's table of a set: row, score, (mean, std); empty for others."""
    rows: dict[str, dict[str, tuple[float, float]]]
    rows = _paper()["sets"].get(name, {}).get("rows", {})
    return rows


def flags(name: str, row: str) -> dict[str, list[tuple[str, str]]]:
    """Return the errors in a row of the paper: score -> list of (strength, reason)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for flag in _paper()["flags"]:
        if (flag["set"], flag["row"]) == (name, row):
            for column in flag["columns"]:
                found.setdefault(column, []).append((flag["strength"], flag["why"]))
    return found


def row_name(record: Record) -> str:
    """Return the row of the paper's tables that a trial reproduces."""
    more = ", ".join(f"{key}={value}" for key, value in record["override"].items())
    return f"{record['method']} ({more})" if more else str(record["method"])


def closest_to_paper(records: list[Record], name: str) -> dict[str, Group]:
    """Return the trials in the order of the file by row; prefer paper settings."""
    found: dict[str, Group] = {}
    for (set_, _, order), group in groups(records).items():
        if set_ == name and order == "published":
            row = row_name(group.first)
            if row not in found or group.first["preset"] == "paper":
                found[row] = group
    return found


def effect(
    found: dict[tuple[str, str, str], Group], name: str, method: str
) -> float | None:
    """Return accuracy in the order of the file minus accuracy on shuffled rows."""
    published = found.get((name, method, "published"))
    shuffled = found.get((name, method, "shuffled"))
    if not (published and published.records and shuffled and shuffled.records):
        return None
    return published.score("acc")[0] - shuffled.score("acc")[0]
