"""How much each view counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.display._axes import explain_marks, row_axes, row_text
from mvgraph.display._colours import COLOURS
from mvgraph.display._display import Display, fitted_attribute


@dataclass
class WeightsDisplay(Display):
    """Weights of the views as bars.

    Parameters
    ----------
    weights : dict of str to float
        By view name.
    name : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    weights: dict[str, float]
    name: str = ""
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, view_names: Any = None, name: str = ""
    ) -> WeightsDisplay:
        """Read ``view_weights_`` of a fitted estimator.

        Parameters
        ----------
        estimator : fitted clusterer with ``view_weights_``
        view_names : sequence of str, optional
            Default: those of the fit, else view_0, view_1, ...
        name : str

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the method weighs no views, or names are no texts or not one per view.
        """
        weights = fitted_attribute(estimator, "view_weights_")
        values = np.asarray(weights, dtype=float)
        names = _names(estimator, view_names, len(values))
        pairs = zip(names, values, strict=True)
        kept = {str(n): round(float(w), 5) for n, w in pairs if np.isfinite(w)}
        return cls(kept, name or type(estimator).__name__)

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        found = ", ".join(f"{view} {w:.2f}" for view, w in self.weights.items())
        return f"View weights of {self.name}: {found}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 0.9 + 0.26 * max(len(self.weights), 1)

    def plot(self, ax: Any = None) -> WeightsDisplay:
        """Draw one bar per view."""
        ax = self._begin(ax)
        row_axes(ax, list(self.weights))
        for i, (view, weight) in enumerate(self.weights.items()):
            bar = ax.barh(i, weight, 0.6, color=COLOURS["graph-consensus"])
            explain_marks(bar[0], [f"{view}: {weight:.3f}"])
            row_text(ax, i, f"{weight:.2f}")
        ax.set(xlabel="weight", title=self.name)
        return self


def _names(estimator: Any, given: Any, n: int) -> list[str]:
    """Return one name per view: those given, or those of the fit."""
    if given is None and isinstance(estimator, Clusterer):
        return list(estimator.schema_.names)
    if given is None:
        return [f"view_{v}" for v in range(n)]
    names = [given] if isinstance(given, str) else list(given)
    if len(names) != n or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"view_names must be {n} texts, one per view; got {len(names)} of type "
            f"{type(names[0]).__name__ if names else None}."
        )
    return names
