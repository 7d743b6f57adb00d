"""Objective and residuals of every step."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from mvgraph.display._colours import axes

MAX_STEPS = 120
SKIPPED = ("seconds", "stage")


@dataclass
class ConvergenceDisplay:
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
    def from_estimator(cls, estimator: Any, name: str = "") -> ConvergenceDisplay:
        """Read ``history_`` of a fitted estimator."""
        history = getattr(estimator, "history_", None) or []
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
        return cls([i + 1 for i in steps], series, name or type(estimator).__name__)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> ConvergenceDisplay:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the table as plain JSON."""
        keys = ("steps", "series", "name")
        return {key: value for key, value in asdict(self).items() if key in keys}

    @property
    def empty(self) -> bool:
        """Return True if there is no curve: fewer than two steps, or no numbers."""
        return len(self.steps) < 2 or not self.series

    def curves(self) -> dict[str, list[float | None]]:
        """Return the curves to draw: the residuals, or else the first two series."""
        residuals = {k: v for k, v in self.series.items() if "residual" in k}
        return residuals or dict(list(self.series.items())[:2])

    def plot(self, ax: Any = None) -> ConvergenceDisplay:
        """Draw the residuals on a logarithmic axis, or the objective without them."""
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        curves = self.curves()
        for key, values in curves.items():
            shown = [math.nan if v is None else v for v in values]
            label = key.replace("_", " ")
            self.lines_ += self.ax_.plot(self.steps, shown, label=label)
        flat = [v for values in curves.values() for v in values if v is not None]
        if flat and min(flat) > 0:
            self.ax_.set_yscale("log")
        self.ax_.set(xlabel="step", title=self.name)
        if curves:
            self.ax_.legend()
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
