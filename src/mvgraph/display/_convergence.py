"""Objective and residuals of every step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import end_labels, explain_marks, log_axis
from mvgraph.display._colours import CLUSTERS
from mvgraph.display._display import Display, LackingError, fitted_attribute

MAX_STEPS = 120
SKIPPED = ("seconds", "stage")


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
