"""Scores of several methods, and the effect of the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any

from mvgraph.display._colours import axes, colour_of

Record = dict[str, Any]


def variant(record: Record) -> str:
    """Return the name of a method, with its settings unless they are the default."""
    more = [f"{key}={value}" for key, value in record.get("override", {}).items()]
    if record["preset"] == "paper":
        more.insert(0, "paper")
    return record["method"] + (f" ({', '.join(more)})" if more else "")


def finished(records: list[Record]) -> list[Record]:
    """Keep the trials that have scores."""
    return [record for record in records if record.get("status", "done") == "done"]


def mean_std(values: list[float]) -> tuple[float, float]:
    """Return the mean and the population standard deviation."""
    return fmean(values), pstdev(values)


@dataclass
class ScoresDisplay:
    """One score of several methods on one set, by order of the rows.

    Parameters
    ----------
    methods : list of str
    shuffled, published : list of (mean, std) or None
        None if there was no such trial.
    score : str
    name : str
        Name of the set.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    methods: list[str]
    shuffled: list[tuple[float, float] | None]
    published: list[tuple[float, float] | None]
    score: str = "acc"
    name: str = ""
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def from_records(
        cls, records: list[Record], name: str, score: str = "acc"
    ) -> ScoresDisplay:
        """Average the trials of one set, best on shuffled rows first.

        Parameters
        ----------
        records : list of dict
            As written by ``mvgraph bench``.
        name : str
            Name of the set.
        score : str
        """
        values: dict[str, dict[str, list[float]]] = {}
        for record in finished(records):
            if record["set"] == name and not record.get("grid"):
                orders = values.setdefault(variant(record), {})
                orders.setdefault(record["order"], []).append(record["scores"][score])
        rows = [
            (m, _summary(orders.get("shuffled")), _summary(orders.get("published")))
            for m, orders in values.items()
        ]
        rows.sort(key=lambda row: -(row[1] or row[2] or (0.0,))[0])
        columns = ([row[i] for row in rows] for i in range(3))
        methods, shuffled, published = columns
        return cls(methods, shuffled, published, score, name)  # type: ignore[arg-type]

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> ScoresDisplay:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON."""
        keys = ("methods", "shuffled", "published", "score", "name")
        return {key: getattr(self, key) for key in keys}

    def effect(self) -> list[float | None]:
        """Return published minus shuffled: the effect of the order of the file."""
        pairs = zip(self.shuffled, self.published, strict=True)
        return [None if s is None or p is None else p[0] - s[0] for s, p in pairs]

    def plot(self, ax: Any = None) -> ScoresDisplay:
        """Draw a filled mark for shuffled rows and a ring for the published order."""
        self.ax_ = axes(ax, figsize=(6, 0.8 + 0.28 * len(self.methods)))
        self.figure_ = self.ax_.figure
        rows = zip(self.methods, self.shuffled, self.published, strict=True)
        for i, (method, shuffled, published) in enumerate(rows):
            colour = colour_of(method)
            if shuffled and published:
                self.ax_.plot([shuffled[0], published[0]], [i, i], color=colour, lw=1)
            if shuffled:
                mean, std = shuffled
                self.ax_.errorbar(mean, i, xerr=std, color=colour, marker="o")
            if published:
                self.ax_.plot(published[0], i, "o", mfc="none", color=colour, ms=9)
        self.ax_.set(yticks=range(len(self.methods)), xlim=(0, 1.02), title=self.name)
        self.ax_.set_yticklabels(self.methods)
        self.ax_.invert_yaxis()
        self.ax_.set_xlabel(f"{self.score}: filled shuffled, ring published order")
        return self


def _summary(values: list[float] | None) -> tuple[float, float] | None:
    return mean_std(values) if values else None
