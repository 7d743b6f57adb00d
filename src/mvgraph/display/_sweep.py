"""A score against one parameter (figures 1 and 2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._colours import axes, colour_of
from mvgraph.display._scores import finished, mean_std, variant

Record = dict[str, Any]
STYLES = {"shuffled": "-", "published": "--"}


@dataclass
class SweepDisplay:
    """Curves over the values of one parameter on one set.

    Parameters
    ----------
    parameter : str
    values : list of float
    curves : dict of str to list of (mean, std) or None
        By ``"method, order"``; None if a trial was skipped.
    score : str
    name : str
        Name of the set.

    Attributes
    ----------
    ax_, figure_, lines_ : matplotlib objects of the last plot
    """

    parameter: str
    values: list[float]
    curves: dict[str, list[tuple[float, float] | None]]
    score: str = "acc"
    name: str = ""
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)
    lines_: list[Any] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def from_records(
        cls, records: list[Record], name: str, parameter: str, score: str = "acc"
    ) -> SweepDisplay:
        """Average the trials of one set that vary only this parameter.

        Parameters
        ----------
        records : list of dict
            As written by ``mvgraph bench``.
        name : str
            Name of the set.
        parameter : str
        score : str
        """
        points: dict[str, dict[Any, list[float]]] = {}
        for record in finished(records):
            if record["set"] == name and list(record.get("grid", ())) == [parameter]:
                curve = points.setdefault(f"{variant(record)}, {record['order']}", {})
                x = record["grid"][parameter]
                x = x if isinstance(x, int | float) else str(x)
                curve.setdefault(x, []).append(record["scores"][score])
        found = {x for curve in points.values() for x in curve}
        values = sorted(found, key=lambda x: (isinstance(x, str), x))
        curves = {
            key: [mean_std(curve[x]) if x in curve else None for x in values]
            for key, curve in points.items()
        }
        return cls(parameter, values, curves, score, name)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> SweepDisplay:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON."""
        keys = ("parameter", "values", "curves", "score", "name")
        return {key: getattr(self, key) for key in keys}

    def plot(self, ax: Any = None) -> SweepDisplay:
        """Draw the curves, dashed for the published order of rows."""
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        for key, curve in self.curves.items():
            method, order = key.rsplit(", ", 1)
            shown = [float("nan") if point is None else point[0] for point in curve]
            self.lines_ += self.ax_.plot(
                self.values,
                shown,
                STYLES[order],
                color=colour_of(method),
                marker="s" if "(paper)" in method else "o",
                label=key,
            )
        self.ax_.set(
            xlabel=self.parameter, ylabel=self.score, ylim=(0, 1.02), title=self.name
        )
        if self.curves:
            self.ax_.legend()
        return self
