"""Pictures with one row per method or view: scores, times, ranks, and weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._colours import COLOURS, colour_of

#: Height of a row, in inches.
LINE = 0.26


def _listed(pairs: list[tuple[str, Any]], form: str) -> str:
    """Write names and numbers as one line, without those that have none."""
    words = [f"{name} {format(x, form)}" for name, x in pairs if x is not None]
    return ", ".join(words) or "none"


@dataclass(repr=False)
class ScoresDisplay(base.Display):
    """One score of several methods on one set, by order of the rows.

    Parameters
    ----------
    methods : list of str
    shuffled, published : list of (mean, std) or None
        None if there was no such trial.
    score : str
    name : str
        Name of the set.
    seconds : list of float or None
        Mean time of a fit on shuffled rows.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

    methods: list[str]
    shuffled: list[tuple[float, float] | None]
    published: list[tuple[float, float] | None]
    score: str = "acc"
    name: str = ""
    seconds: list[float | None] = field(default_factory=list)

    def effect(self) -> list[float | None]:
        """Return published minus shuffled: the effect of the order of the file."""
        pairs = zip(self.shuffled, self.published, strict=True)
        return [None if s is None or p is None else p[0] - s[0] for s, p in pairs]

    def _named(self, values: list[Any]) -> list[tuple[str, Any]]:
        return list(zip(self.methods, values, strict=True))

    @property
    def about(self) -> str:
        """Describe the picture."""
        means = self._named([s and s[0] for s in self.shuffled])
        score = axes.score_name(self.score)
        return f"{score} on {self.name}, rows shuffled: {_listed(means, '.3f')}."

    @property
    def about_effect(self) -> str:
        """Describe the picture of `plot_effect`."""
        gaps = _listed(self._named(self.effect()), "+.3f")
        return f"{self._effect_name}: {gaps}."

    @property
    def _effect_name(self) -> str:
        return f"{axes.score_name(self.score)} in the order of the file minus shuffled"

    @property
    def about_seconds(self) -> str:
        """Describe the picture of `plot_seconds`."""
        seconds = _listed(self._named(self.seconds), ".3g")
        return f"Seconds of a fit on {self.name}: {seconds}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 0.8 + LINE * max(len(self.methods), 1)

    def plot(self, ax: Any = None) -> ScoresDisplay:
        """Draw a mark for the mean on shuffled rows, and a line for its deviation.

        A ring is a method that ran in the order of the file only.
        """
        rows = []
        for method, shuffled, published in zip(
            self.methods, self.shuffled, self.published, strict=True
        ):
            mean, std = shuffled or published or (None, 0.0)
            words = "" if mean is None else f"{mean:.3f}"
            words += f" ± {std:.3f}" if std else ""
            order = "shuffled" if shuffled else "order of the file"
            tip = f"{method}, {order}: {words}"
            colour, hollow = colour_of(method), not shuffled
            rows.append(axes.Row(method, mean, colour, tip, words, std, hollow))
        axes.draw_rows(self._begin(ax), rows)
        least = [row.value - row.std for row in rows if row.value is not None]
        axes.score_axis(self.ax_.xaxis, least, self.score)
        order = ", rows shuffled" if any(self.shuffled) else ""
        self.ax_.set_title(self.name + order)
        return self

    def plot_effect(self, ax: Any = None) -> ScoresDisplay:
        """Draw how much higher each method scores in the order of the file.

        Methods that ran in one order only are left out.
        """
        rows = []
        for method, gap in self._named(self.effect()):
            if gap is not None:
                words = f"{gap:+.3f}" if round(abs(gap), 3) else "0"
                tip = f"{method}: {words} in the order of the file"
                minus = words.replace("-", "\N{MINUS SIGN}")
                rows.append(axes.Row(method, gap, colour_of(method), tip, minus))
        axes.draw_rows(self._begin(ax), rows, bars=True)
        self.ax_.axvline(0, color=axes.GREY, lw=0.8)
        gaps = [row.value for row in rows if row.value is not None]
        far = 1.1 * max([0.05, *map(abs, gaps)])
        self.ax_.set(
            xlabel=self._effect_name,
            xlim=(-far if min(gaps, default=0) < -0.01 else -far / 11, far),
            title=f"{self.name}, effect of the order of rows",
        )
        return self

    def plot_seconds(self, ax: Any = None) -> ScoresDisplay:
        """Draw the time of a fit on shuffled rows, on a logarithmic axis."""
        rows = []
        for method, seconds in self._named(self.seconds):
            if seconds is not None:
                words = f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
                tip = f"{method}: {seconds:.3g} s"
                colour = colour_of(method)
                rows.append(axes.Row(method, max(seconds, 1e-3), colour, tip, words))
        axes.draw_rows(self._begin(ax), rows)
        if rows:
            values = [row.value for row in rows if row.value is not None]
            limits = min(values) / 1.5, max(values) * 1.5
            axes.log_axis(self.ax_.xaxis, limits)
            self.ax_.set_xlim(limits)
        self.ax_.set(xlabel="seconds of a fit, logarithmic", title=f"{self.name}, time")
        return self


@dataclass(repr=False)
class RanksDisplay(base.Display):
    """Critical-difference diagram: mean ranks, and which of them do not differ [1]_.

    Parameters
    ----------
    methods : list of str
        Best first.
    ranks : list of float
        Mean ranks over the sets, rising.
    groups : list of (first, last)
        Positions of methods that do not differ.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    References
    ----------
    .. [1] Demsar, "Statistical comparisons of classifiers over multiple data sets",
       JMLR 7, 2006.
    """

    methods: list[str]
    ranks: list[float]
    groups: list[tuple[int, int]]

    @property
    def about(self) -> str:
        """Describe the picture."""
        ranks = _listed(list(zip(self.methods, self.ranks, strict=True)), ".1f")
        return f"Critical-difference diagram, mean ranks, best first: {ranks}"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, LINE * (2 + len(self.methods)) + 0.1 * len(self.groups)

    def plot(self, ax: Any = None) -> RanksDisplay:
        """Draw one line per method, and a bar through those that do not differ."""
        ax, k = self._begin(ax), len(self.methods)
        rows = [
            axes.Row(m, r, colour_of(m), f"{m}: mean rank {r:.2f}", f"{r:.1f}")
            for m, r in zip(self.methods, self.ranks, strict=True)
        ]
        axes.draw_rows(ax, rows)
        colours = [row.colour for row in rows]
        ax.hlines(range(k), 1, self.ranks, colours, lw=1, alpha=0.6)
        for j, (first, last) in enumerate(self.groups):
            x = k + 0.12 * (j + 1) * max(k - 1, 1) / 4
            ax.plot([x, x], [first - 0.2, last + 0.2], color=axes.GREY, lw=4)
        ax.set_xticks([rank for rank in range(1, k + 1) if k <= 10 or rank % 5 == 1])
        ax.set(xlabel="mean rank, 1 is best", title="Ranks; bars join what is alike")
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
        weights = _listed(list(self.weights.items()), ".2f")
        return f"View weights of {self.name}: {weights}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 0.9 + LINE * max(len(self.weights), 1)

    def plot(self, ax: Any = None) -> WeightsDisplay:
        """Draw one bar per view."""
        colour = COLOURS["graph-consensus"]
        rows = [
            axes.Row(view, weight, colour, f"{view}: {weight:.3f}", f"{weight:.2f}")
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
