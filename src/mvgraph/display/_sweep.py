"""A score against one parameter (figures 1 and 2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import end_labels, explain_marks, score_axis, score_name
from mvgraph.display._colours import colour_of
from mvgraph.display._display import Display

STYLES = {"shuffled": "-", "published": "--"}


@dataclass
class SweepDisplay(Display):
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

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        score = score_name(self.score)
        names = "; ".join(self.curves) or "no curve"
        return f"{score} against {self.parameter} on {self.name}: {names}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, max(3.0, 0.8 + 0.2 * len(self.curves))

    def plot(self, ax: Any = None) -> SweepDisplay:
        """Draw the curves, dashed for the published order of rows."""
        ax = self._begin(ax)
        words = any(isinstance(x, str) for x in self.values)
        places: list[Any] = list(range(len(self.values))) if words else self.values
        if words:
            ax.set_xticks(places, [str(x) for x in self.values])
        self.lines_, ends = [], []
        for key, curve in self.curves.items():
            method, order = key.rsplit(", ", 1)
            pairs = zip(places, self.values, curve, strict=True)
            known = [(x, value, p[0]) for x, value, p in pairs if p is not None]
            x, y = [k[0] for k in known], [k[2] for k in known]
            line = ax.plot(
                x,
                y,
                STYLES[order],
                color=colour_of(method),
                marker="s" if "(paper)" in method else "o",
                mfc=None if order == "shuffled" else "none",
                label=key,
            )[0]
            tips = [f"{key}: {self.parameter} = {v}, {s:.3f}" for _, v, s in known]
            explain_marks(line, tips)
            self.lines_.append(line)
            ends.append((x[-1], y[-1], key, colour_of(method)))
        ax.set(xlabel=self.parameter, title=self.name)
        found = [p[0] for curve in self.curves.values() for p in curve if p is not None]
        score_axis(ax.yaxis, found, self.score)
        end_labels(ax, ends)
        return self
