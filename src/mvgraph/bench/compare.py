"""Means of trials that differ in their seeds only, and the paper's numbers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import product
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from mvgraph.bench.records import Record, latest_records, variant
from mvgraph.bench.states import State, main_state

#: A generated set, ``name:1000,noise=2``: all but its size is the name of a series.
SIZED = re.compile(r"(?P<base>[^:]+):\d+(?P<rest>(?:,.*)?)")
#: How the name of a set says that its classes are unequal.
UNEQUAL = re.compile(
    r"_1to(?P<ratio>\d+)$|(?P<sep>[:,])imbalance=(?P<value>[\d.]+)(?:,|$)"
)


@dataclass
class Group:
    """All trials of one method with one setting on one set, in one order of rows."""

    set: str
    variant: str
    order: str
    records: list[Record]  # of the trials that ended with a result
    lost: list[Record] = field(default_factory=list)  # of all others

    @property
    def state(self) -> State:
        """Return how its trials ended: finished only if all of them did."""
        return main_state(self.lost) if self.lost else State.FINISHED

    @property
    def trials(self) -> list[Record]:
        """Return all trials, those with a result first."""
        return self.records + self.lost

    @property
    def tried(self) -> int:
        """Return the number of trials, with and without a result."""
        return len(self.trials)

    @property
    def share(self) -> str:
        """Return "2 of 3" if a trial did not finish; empty if all did."""
        return f"{len(self.records)} of {self.tried}" if self.lost else ""

    @property
    def shortfall(self) -> str:
        """Return "2 of 3, time limit" if a trial did not finish; empty if all did."""
        return f"{self.share}, {self.state.word}" if self.lost else ""

    @property
    def first(self) -> Record:
        """Return the first trial."""
        return self.records[0]

    def score(self, name: str) -> tuple[float, float] | None:
        """Return mean and population standard deviation of a score, if it is known."""
        return mean_std(self.records, name)

    def mean_score(self, name: str) -> float:
        """Return the mean of a score, 0 if it is unknown."""
        return (self.score(name) or (0.0,))[0]

    def mean(self, key: str) -> float | None:
        """Return the mean of a field of the records; None if it is unknown."""
        values = [r[key] for r in self.records if r.get(key) is not None]
        return fmean(values) if values else None


Groups = dict[tuple[str, str, str], Group]


def mean_std(records: list[Record], score: str) -> tuple[float, float] | None:
    """Return mean and population standard deviation; None if no record has the score.

    Logs of earlier versions lack the scores that were added later.
    """
    values = [record["scores"].get(score) for record in records]
    values = [value for value in values if value is not None]
    return (fmean(values), pstdev(values)) if values else None


def groups(records: list[Record], failed: bool = False) -> Groups:
    """Group trials without sweeps by (set, variant, order).

    Groups without any result are included if ``failed``, also those of every method on
    sets that were not found.
    """
    tried: Groups = {}
    absent: list[Record] = []
    for record in latest_records(records):
        if record["method"] is None:
            absent.append(record)
        elif not record["grid"]:
            key = (record["set"], variant(record), record["order"])
            group = tried.setdefault(key, Group(*key, []))
            done = record["status"] == State.FINISHED
            (group.records if done else group.lost).append(record)
    if not failed:
        return {key: group for key, group in tried.items() if group.records}
    kinds = dict.fromkeys(key[1:] for key in tried)
    for record, (name, order) in product(absent, kinds):
        key = (record["set"], name, order)
        tried[key] = Group(*key, [], [record])
    return tried


def series_of(record: Record) -> str | None:
    """Return the name of a generated set without its size, which a series shares."""
    sized = SIZED.fullmatch(_name_in_plan(record))
    return sized and sized["base"] + sized["rest"]


def _name_in_plan(record: Record) -> str:
    return str(record.get("set_in_plan", record["set"]))


def series(records: list[Record]) -> set[str]:
    """Return the sets that are one generated set in several sizes: ``name:1000``.

    They show growth; in tables and ranks, one set would count several times. Sets whose
    names say more than their size are each a set of its own.
    """
    sizes: dict[str, set[str]] = {}
    for record in records:
        base = series_of(record)
        if base is not None and "," not in base:
            sizes.setdefault(base, set()).add(record["set"])
    return {name for names in sizes.values() if len(names) > 1 for name in names}


class Copy(NamedTuple):
    """A set that is another one with unequal classes."""

    set: str
    of: str
    ratio: float  # of the largest class to the smallest

    @property
    def title(self) -> str:
        """Return the name for tables: that of the set, and the ratio."""
        return f"{self.of} (1 : {self.ratio:g})"


def copies(records: list[Record]) -> dict[str, Copy]:
    """Return the sets that are copies of others with unequal classes, by name.

    They are ``name_1to10`` beside ``name``, and generated sets that differ only in
    ``imbalance``. Without the set itself, its copy with the most equal classes stands
    for it. A copy is not a further independent set: it does not count in ranks and
    tests.
    """
    families: dict[str, list[Copy]] = {}
    names = {str(r["set"]): _name_in_plan(r) for r in records}
    for name, stored in names.items():
        found = UNEQUAL.search(stored)
        ratio = float(found["ratio"] or found["value"]) if found else 1.0
        base = UNEQUAL.sub(lambda m: m["sep"] or "", stored).rstrip(":,")
        families.setdefault(base, []).append(Copy(name, name, ratio))
    found_copies: dict[str, Copy] = {}
    for family in families.values():
        first, *others = sorted(family, key=lambda copy: copy.ratio)
        found_copies |= {copy.set: copy._replace(of=first.set) for copy in others}
    return found_copies


def shuffled(
    records: list[Record], failed: bool = False, unequal: bool = False
) -> list[Group]:
    """Return the groups with shuffled rows, without the sets of a series.

    Groups without any result are included if ``failed``, and those on unequal copies of
    sets if ``unequal``.
    """
    left_out, every = series(records), groups(records, failed).values()
    left_out |= set() if unequal else copies(records).keys()
    return [g for g in every if g.order == "shuffled" and g.set not in left_out]


@cache
def _paper() -> dict[str, Any]:
    text = resources.files("mvgraph.bench").joinpath("paper_tables.json").read_text()
    tables: dict[str, Any] = json.loads(text)
    return tables


def paper_rows(name: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the paper's table of a set: row, score, (mean, std); empty for others."""
    table: dict[str, Any] = _paper()["sets"].get(name, {})
    rows: dict[str, dict[str, tuple[float, float]]] = table.get("rows", {})
    return rows


def flags(name: str, row: str) -> dict[str, list[tuple[str, str]]]:
    """Return the errors in a row of the paper: score -> list of (strength, reason)."""
    errors: dict[str, list[tuple[str, str]]] = {}
    for flag in _paper()["flags"]:
        if (flag["set"], flag["row"]) == (name, row):
            for column in flag["columns"]:
                errors.setdefault(column, []).append((flag["strength"], flag["why"]))
    return errors


def row_name(record: Record) -> str:
    """Return the row of the paper's tables that a trial reproduces."""
    more = ", ".join(f"{key}={value}" for key, value in record["override"].items())
    return f"{record['method']} ({more})" if more else str(record["method"])


def closest_to_paper(records: list[Record], name: str) -> dict[str, Group]:
    """Return the trials in the order of the file by row; prefer paper settings."""
    rows: dict[str, Group] = {}
    for (set_, _, order), group in groups(records).items():
        if set_ == name and order == "published":
            row = row_name(group.first)
            if row not in rows or group.first["preset"] == "paper":
                rows[row] = group
    return rows


def effect(every: Groups, name: str, method: str) -> float | None:
    """Return accuracy in the order of the file minus accuracy on shuffled rows."""
    pair = (every.get((name, method, order)) for order in ("published", "shuffled"))
    published, shuffled = (group and group.score("acc") for group in pair)
    return published[0] - shuffled[0] if published and shuffled else None
