"""Curves over steps, numbers of samples, and values of a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._styles import CLUSTERS, MethodsDisplay, width_of

MAX_STEPS = 120
#: Entries of a history that are not curves.
NO_CURVES = ("seconds", "stage")
WHAT = {"seconds": "seconds", "peak_mb": "peak MiB"}
STYLES = {"shuffled": "-", "published": "--"}
LINES = ("-", "--", ":", "-.")


@dataclass(repr=False)
class ConvergenceDisplay(base.Display):
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
        history = base.fitted_attribute(estimator, "history_")
        steps = _thin(len(history))
        series = {}
        for key in dict.fromkeys(key for entry in history for key in entry):
            values = [_number(history[i].get(key)) for i in steps]
            if key not in NO_CURVES and any(value is not None for value in values):
                series[key] = values
        kind = type(estimator).__name__
        if not series:
            raise base.NothingToDrawError(f"history_ of {kind} has no numbers to draw")
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
        """Describe the picture."""
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
        ax, self.lines_ = self._begin(ax), []
        for (key, values), colour in zip(self.curves().items(), CLUSTERS, strict=False):
            pairs = zip(self.steps, values, strict=True)
            points = [(step, v) for step, v in pairs if v is not None]
            every = max(1, len(points) // 12)
            style: dict[str, Any] = {"every": every, "color": colour, "ms": 4}
            words = key.replace("_", " ")
            tip = "step {:g}: {:.3g}".format
            self.lines_.append(axes.draw_curve(ax, words, points, tip, **style))
        drawn = [v for line in self.lines_ for v in line.get_ydata()]
        if min(drawn) > 0:
            axes.log_axis(ax.yaxis, drawn)
        ax.set(xlabel="step", title=axes.title_of(self.name, ""))
        ax.xaxis.get_major_locator().set_params(integer=True)
        axes.label_ends(ax, self.lines_)
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


@dataclass(repr=False)
class GrowthDisplay(MethodsDisplay):
    """Curves over the number of samples, both axes logarithmic.

    Parameters
    ----------
    curves : dict of str to list of [n, value]
        By method, or method and set; n rising.
    key : {"seconds", "peak_mb"}
    of : dict of str to [method, set]
        Colour and line of a curve; empty if the curves are
        named after methods.
    groups : dict of str to str
        Group of every method: its colour.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    curves: dict[str, list[list[float]]]
    key: str = "seconds"
    of: dict[str, list[str]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Return True if no method ran with two sizes."""
        return all(len(curve) < 2 for curve in self.curves.values())

    @property
    def about(self) -> str:
        """Describe the picture."""
        what = WHAT.get(self.key, self.key)
        return f"{what} against the number of samples: {', '.join(self.curves)}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        height = 0.8 + 0.24 * len(self.curves) + self._below()
        return 4.0 + width_of(list(self.curves)), max(3.2, height)

    @property
    def _shown(self) -> list[str]:
        return list(dict.fromkeys(self._method(name) for name in self.curves))

    def _method(self, curve: str) -> str:
        return self.of[curve][0] if self.of else curve

    def plot(self, ax: Any = None) -> GrowthDisplay:
        """Draw one line per method, or method and set, named at its end."""
        ax, what = self._begin(ax), WHAT.get(self.key, self.key)
        tip = "{:.0f} samples, {:.3g}".format
        styles, lines = self._styles(), []
        sets = list(dict.fromkeys(name for _, name in self.of.values()))
        for name, curve in self.curves.items():
            colour, shape = styles[self._method(name)]
            style: Any = {"color": colour, "marker": shape}
            if self.of:
                style["ls"] = LINES[sets.index(self.of[name][1]) % len(LINES)]
            lines.append(axes.draw_curve(ax, name, curve, tip, **style))
        if lines:
            points = [point for curve in self.curves.values() for point in curve]
            axes.size_axis(ax.xaxis, [n for n, _ in points])
            axes.log_axis(ax.yaxis, [value for _, value in points])
            axes.label_ends(ax, lines)
        ax.set(xlabel="samples, logarithmic", ylabel=f"{what}, logarithmic")
        self._name_groups(ax)
        return self


@dataclass(repr=False)
class SweepDisplay(MethodsDisplay):
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
    groups : dict of str to str
        Group of every method: its colour.

    Attributes
    ----------
    ax_, figure_, lines_ : matplotlib objects of the last plot
    """

    parameter: str
    values: list[float]
    curves: dict[str, list[tuple[float, float] | None]]
    score: str = "acc"
    name: str = ""

    @property
    def about(self) -> str:
        """Describe the picture."""
        score = axes.score_name(self.score)
        names = "; ".join(self.curves) or "no curve"
        return f"{score} against {self.parameter} on {self.name}: {names}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        height = 0.8 + 0.24 * len(self.curves)
        return 4.0 + width_of(list(self.curves)), max(3.0, height)

    @property
    def _shown(self) -> list[str]:
        return list(dict.fromkeys(key.rsplit(", ", 1)[0] for key in self.curves))

    def plot(self, ax: Any = None) -> SweepDisplay:
        """Draw the curves, dashed for the published order of rows."""
        ax = self._begin(ax)
        places: dict[float, Any] = {x: x for x in self.values}
        if any(isinstance(x, str) for x in self.values):
            places = dict(enumerate(self.values))
            ax.set_xticks(list(places), list(map(str, self.values)))

        def tip(x: float, y: float) -> str:
            return f"{self.parameter} = {places[x]}, {y:.3f}"

        self.lines_, styles = [], self._styles()
        for key, curve in self.curves.items():
            method, order = key.rsplit(", ", 1)
            pairs = zip(places, curve, strict=True)
            points = [(x, score[0]) for x, score in pairs if score is not None]
            colour, shape = styles[method]
            style: dict[str, Any] = {"color": colour, "marker": shape}
            style["ls"] = STYLES[order]
            style["mfc"] = None if order == "shuffled" else "none"
            self.lines_.append(axes.draw_curve(ax, key, points, tip, **style))
        ax.set(xlabel=self.parameter, title=axes.title_of(self.name, ""))
        values = [y for line in self.lines_ for y in line.get_ydata()]
        axes.score_axis(ax.yaxis, values, self.score)
        axes.label_ends(ax, self.lines_)
        return self
