"""Curves over steps, numbers of samples, and values of a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import (
    end_labels,
    explain_marks,
    log_axis,
    score_axis,
    score_name,
)
from mvgraph.display._colours import CLUSTERS, colour_of
from mvgraph.display._display import Display, LackingError, fitted_attribute

MAX_STEPS = 120
SKIPPED = ("seconds", "stage")
WHAT = {"seconds": "seconds", "peak_mb": "peak MiB"}
STYLES = {"shuffled": "-", "published": "--"}


@dataclass
class ConvergenceDisplay(Display):
    """Curves of an iterative fit.

    Parameters
    ----------
    steps : list of int
        Numbers of the steps shown, at most 120, including the last.
    series : dict of str to list of float or None
        One value per step; None if the method reported none.
    name : str

    Attributes
    ----------
    ax_, figure_, lines_ : matplotlib objects of the last plot
    """

    steps: list[int]
    series: dict[str, list[float | None]]
    name: str = ""
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)
    lines_: list[Any] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, name: str = "") -> ConvergenceDisplay:
        """Read ``history_`` of a fitted estimator.

        Parameters
        ----------
        estimator : fitted clusterer with ``history_``
        name : str

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method reports no steps, or no numbers with them.
        """
        history = fitted_attribute(estimator, "history_")
        keys = list(dict.fromkeys(key for entry in history for key in entry))
        steps = _thin(len(history))
        series = {
            key: [_number(history[i].get(key)) for i in steps]
            for key in keys
            if key not in SKIPPED
        }
        series = {
            key: values
            for key, values in series.items()
            if any(value is not None for value in values)
        }
        kind = type(estimator).__name__
        if not series:
            raise LackingError(f"history_ of {kind} holds no numbers to draw")
        return cls([i + 1 for i in steps], series, name or kind)

    @property
    def empty(self) -> bool:
        """Return True if there is no curve: fewer than two steps, or no numbers."""
        return len(self.steps) < 2 or not self.series

    def curves(self) -> dict[str, list[float | None]]:
        """Return the curves to draw: the residuals, or else the first other series.

        Other series have scales of their own; the objective comes first.
        """
        residuals = {k: v for k, v in self.series.items() if "residual" in k}
        return residuals or dict(list(self.series.items())[:1])

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        names = ", ".join(key.replace("_", " ") for key in self.curves())
        last = self.steps[-1] if self.steps else 0
        return f"{names or 'No number'} over {last} steps of {self.name}."

    def plot(self, ax: Any = None) -> ConvergenceDisplay:
        """Draw the residuals on a logarithmic axis, or the objective without them.

        Raises
        ------
        ValueError
            If there are no curves.
        """
        if not self.curves():
            raise ValueError(f"{self.name}: there are no curves to draw")
        ax = self._begin(ax)
        self.lines_, ends = [], []
        for (key, values), colour in zip(self.curves().items(), CLUSTERS, strict=False):
            words = key.replace("_", " ")
            pairs = zip(self.steps, values, strict=True)
            known = [(step, v) for step, v in pairs if v is not None]
            steps, numbers = [k[0] for k in known], [k[1] for k in known]
            every = max(1, len(known) // 12)
            line = ax.plot(steps, numbers, color=colour, label=words)[0]
            shown = known[::every]
            marks = ax.plot(
                [k[0] for k in shown], [k[1] for k in shown], "o", color=colour, ms=4
            )[0]
            explain_marks(marks, [f"step {s}: {words} {v:.3g}" for s, v in shown])
            self.lines_.append(line)
            ends.append((steps[-1], numbers[-1], words, colour))
        flat = [v for values in self.curves().values() for v in values if v is not None]
        if flat and min(flat) > 0:
            log_axis(ax.yaxis, flat)
        ax.set(xlabel="step", title=self.name)
        ax.xaxis.get_major_locator().set_params(integer=True)
        end_labels(ax, ends)
        return self


def _thin(n: int) -> list[int]:
    """Choose at most MAX_STEPS of n positions, evenly, including the last."""
    if n <= MAX_STEPS:
        return list(range(n))
    return sorted({round(i * (n - 1) / (MAX_STEPS - 1)) for i in range(MAX_STEPS)})


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return float(f"{number:.5g}") if math.isfinite(number) else None


@dataclass
class GrowthDisplay(Display):
    """Curves over the number of samples, one per method, both axes logarithmic.

    Parameters
    ----------
    curves : dict of str to list of [n, value]
        By method, n rising.
    key : {"seconds", "peak_mb"}

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    curves: dict[str, list[list[float]]]
    key: str = "seconds"
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @property
    def empty(self) -> bool:
        """Return True if no method ran with two sizes."""
        return all(len(curve) < 2 for curve in self.curves.values())

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        what = WHAT.get(self.key, self.key)
        return f"{what} against the number of samples: {', '.join(self.curves)}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, max(3.2, 0.8 + 0.2 * len(self.curves))

    def plot(self, ax: Any = None) -> GrowthDisplay:
        """Draw one line per method, named at its end."""
        ax, what = self._begin(ax), WHAT.get(self.key, self.key)
        ends = []
        for name, curve in self.curves.items():
            n, values = zip(*curve, strict=True)
            mark = "s" if "(paper)" in name else "o"
            line = ax.plot(n, values, marker=mark, color=colour_of(name), label=name)
            tips = [f"{name}: {int(size)} samples, {v:.3g}" for size, v in curve]
            explain_marks(line[0], tips)
            ends.append((n[-1], values[-1], name, colour_of(name)))
        if self.curves:
            flat = [point for curve in self.curves.values() for point in curve]
            log_axis(ax.xaxis, [n for n, _ in flat])
            log_axis(ax.yaxis, [value for _, value in flat])
            end_labels(ax, ends)
        ax.set(xlabel="samples, logarithmic", ylabel=f"{what}, logarithmic")
        return self


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
