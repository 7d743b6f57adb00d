"""Pictures with one row per method or view: mean ranks, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._scores import listed
from mvgraph.display._styles import BLUE, LINE, Row, RowsDisplay, width_of


@dataclass(repr=False)
class RanksDisplay(RowsDisplay):
    """Critical-difference diagram: mean ranks, and which of them do not differ [1]_.

    Parameters
    ----------
    methods : list of str
        Best first.
    ranks : list of float
        Mean ranks over the sets, rising.
    cliques : list of (first, last)
        Positions of methods between which no difference can be shown.
    n_sets : int
    groups : dict of str to str
        Group of every method: its colour.
    reference : str
        Method to emphasise.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets",
       JMLR 7, 2006.

    Examples
    --------
    >>> from mvgraph.display import RanksDisplay
    >>> RanksDisplay(["a", "b"], [1.3, 1.7], [(0, 1)], 3).verdict
    'no difference can be shown with 3 sets'
    """

    ranks: list[float]
    cliques: list[tuple[int, int]]
    n_sets: int

    @property
    def verdict(self) -> str:
        """Say what the bars mean, or why there are none."""
        if [tuple(clique) for clique in self.cliques] == [(0, len(self.methods) - 1)]:
            return f"no difference can be shown with {self.n_sets} sets"
        if not self.cliques:
            return "all differ at 5 %"
        return "bar: no difference can be shown at 5 %"

    @property
    def about(self) -> str:
        """Describe the picture."""
        ranks = listed(list(zip(self.methods, self.ranks, strict=True)), ".2f")
        return f"Mean ranks, best first: {ranks}; {self.verdict}."

    @property
    def bars(self) -> list[tuple[int, int]]:
        """Return the cliques, unless all methods are one: a bar would say nothing."""
        whole = (0, len(self.methods) - 1)
        return [(a, b) for a, b in self.cliques if (a, b) != whole]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        height = LINE * (len(self.methods) + 4) + self._below()
        return 3.4 + 0.14 * len(self.bars) + width_of(self.methods), height

    def plot(self, ax: Any = None) -> RanksDisplay:
        """Draw one line per method, and a bar through those that do not differ."""
        ax, k = self._begin(ax), len(self.methods)
        rows = [
            self._row(m, r, f"{m}: mean rank {r:.2f}", f"{r:.2f}")
            for m, r in zip(self.methods, self.ranks, strict=True)
        ]
        axes.draw_rows(ax, rows)
        colours = [row.colour for row in rows]
        ax.hlines(range(k), 1, self.ranks, colours, lw=1, alpha=0.6)
        for j, (first, last) in enumerate(self.bars):
            x = k + 0.12 * (j + 1) * max(k - 1, 1) / 4
            ax.plot([x, x], [first - 0.2, last + 0.2], color=axes.GREY, lw=4)
        ax.set_xticks([rank for rank in range(1, k + 1) if k <= 10 or rank % 5 == 1])
        ax.set(xlabel=f"mean rank, 1 is best\n{self.verdict}", title="Mean ranks")
        self._name_groups(ax, lines=2)
        return self


@dataclass(repr=False)
class WeightsDisplay(base.Display):
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
            If the method does not weight views, or there is not one text per view.
        """
        weights = base.fitted_attribute(estimator, "view_weights_")
        values = np.asarray(weights, dtype=float)
        names = _view_names(estimator, view_names, len(values))
        pairs = zip(names, values, strict=True)
        finite = {str(n): round(float(w), 5) for n, w in pairs if np.isfinite(w)}
        return cls(finite, name or type(estimator).__name__)

    @property
    def about(self) -> str:
        """Describe the picture."""
        weights = listed(list(self.weights.items()), ".2f")
        return f"View weights of {self.name}: {weights}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 0.9 + LINE * max(len(self.weights), 1)

    def plot(self, ax: Any = None) -> WeightsDisplay:
        """Draw one bar per view."""
        rows = [
            Row(view, weight, BLUE, f"{view}: {weight:.3f}", f"{weight:.2f}")
            for view, weight in self.weights.items()
        ]
        axes.draw_rows(self._begin(ax), rows, bars=True)
        self.ax_.set(xlabel="weight", title=self.name)
        return self


def _view_names(estimator: Any, names: Any, n: int) -> list[str]:
    """Return one name per view: those given, or those of the fit."""
    if names is None and isinstance(estimator, Clusterer):
        return list(estimator.schema_.names)
    if names is None:
        return [f"view_{v}" for v in range(n)]
    names = [names] if isinstance(names, str) else list(names)
    if len(names) != n or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"view_names must be {n} texts, one per view; got {len(names)} of type "
            f"{type(names[0]).__name__ if names else None}."
        )
    return names
