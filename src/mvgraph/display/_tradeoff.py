"""Accuracy against time, over several sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.display import _axes as axes
from mvgraph.display import _display as base
from mvgraph.display._colours import OWN, colour_of


@dataclass(repr=False)
class TradeoffDisplay(base.Display):
    """Score and time of every method, with the front that no other one beats.

    Parameters
    ----------
    methods : list of str
    seconds : list of float
        Median over the sets of the processor seconds of a fit.
    scores : list of float
        Mean over the sets.
    n_sets : list of int
        Sets that the method finished.
    score : str

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    Examples
    --------
    >>> from mvgraph.display import TradeoffDisplay
    >>> TradeoffDisplay(["a", "b", "c"], [1, 2, 3], [0.5, 0.4, 0.9], [2, 2, 2]).front()
    ['a', 'c']
    """

    methods: list[str]
    seconds: list[float]
    scores: list[float]
    n_sets: list[int]
    score: str = "acc"

    def front(self) -> list[str]:
        """Return the methods that no faster one equals, the fastest first.

        Only those that finished all sets are compared.
        """
        return [self.methods[i] for i in self._front()]

    def _front(self) -> list[int]:
        complete = [i for i, n in enumerate(self.n_sets) if n == max(self.n_sets)]
        best, front = float("-inf"), []
        for i in sorted(complete, key=lambda i: (self.seconds[i], -self.scores[i])):
            if self.scores[i] > best:
                best = self.scores[i]
                front.append(i)
        return front

    @property
    def empty(self) -> bool:
        """Return True with fewer than three methods: a table shows as much."""
        return len(self.methods) < 3

    @property
    def about(self) -> str:
        """Describe the picture."""
        score = axes.score_name(self.score)
        return (
            f"{score}, mean over the sets, against processor seconds of a fit; no "
            f"other method is both faster and better than {', '.join(self.front())}."
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, max(3.4, 0.8 + 0.23 * len(self.methods))

    def plot(self, ax: Any = None) -> TradeoffDisplay:
        """Draw one point per method; filled where it finished all sets."""
        ax, front, marks = self._begin(ax), self._front(), []
        edge = [self.seconds[i] for i in front], [self.scores[i] for i in front]
        ax.step(*edge, where="post", color=axes.GREY, lw=1, ls=":")
        for name, x, y, n in zip(
            self.methods, self.seconds, self.scores, self.n_sets, strict=True
        ):
            colour, size = (colour_of(name), 8) if name in OWN else (axes.GREY, 5.5)
            face = colour if n == max(self.n_sets) else "none"
            style = {"color": colour, "mfc": face, "ms": size, "label": name}
            mark = ax.plot(x, y, "o", **style)[0]
            axes.explain_marks(mark, [f"{name}: {y:.3f}, {x:.3g} s, {n} sets"])
            marks.append(mark)
        axes.log_axis(ax.xaxis, self.seconds)
        axes.label_ends(ax, marks)
        ax.set(
            xlabel="processor seconds of a fit, median over sets",
            ylabel=f"{axes.score_name(self.score)}, mean over the sets",
        )
        return self
