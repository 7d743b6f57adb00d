"""Accuracy against time, over several sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.display import _axes as axes
from mvgraph.display._styles import RowsDisplay, short_names, width_of


@dataclass(repr=False)
class TradeoffDisplay(RowsDisplay):
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
    groups : dict of str to str
        Group of every method: its colour, and its place in the legend.
    reference : str
        Method to emphasise.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot

    Examples
    --------
    >>> from mvgraph.display import TradeoffDisplay
    >>> TradeoffDisplay(["a", "b", "c"], [1, 2, 3], [0.5, 0.4, 0.9], [2, 2, 2]).front()
    ['a', 'c']
    """

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
        lines = len(self.methods) + len(self._groups())
        width = 4.4 + width_of([*self.methods, *self._groups()])
        return width, max(3.4, 0.5 + 0.235 * lines)

    def plot(self, ax: Any = None) -> TradeoffDisplay:
        """Draw one mark per method; filled where it finished all sets.

        The legend is in the order of the scores, by group.
        """
        ax, front, styles = self._begin(ax), self._front(), self._styles()
        edge = [self.seconds[i] for i in front], [self.scores[i] for i in front]
        ax.step(*edge, where="post", color=axes.GREY, lw=1, ls=":")
        marks = {}
        for name, x, y, n in zip(
            self.methods, self.seconds, self.scores, self.n_sets, strict=True
        ):
            colour, shape = styles[name]
            face = colour if n == max(self.n_sets) else "none"
            size = 10 if name == self.reference else 7
            mark = ax.plot(x, y, shape, color=colour, mfc=face, ms=size)[0]
            axes.explain_marks(mark, [f"{name}: {y:.3f}, {x:.3g} s, {n} sets"])
            marks[name] = mark
        axes.log_axis(ax.xaxis, self.seconds)
        hollow = "\nhollow: mean over fewer sets" * (len(set(self.n_sets)) > 1)
        ax.set(
            xlabel=f"processor seconds of a fit, median over sets{hollow}",
            ylabel=f"{axes.score_name(self.score)}, mean over the sets",
        )
        self._name_marks(ax, marks)
        return self

    def _name_marks(self, ax: Any, marks: dict[str, Any]) -> None:
        """Name the marks right of the axes: best first, group by group."""
        from matplotlib.lines import Line2D

        best = sorted(zip(self.scores, self.methods, strict=True), key=lambda p: -p[0])
        heads = self._groups()
        first = [self.groups.get(name, "") if heads else "" for _, name in best]
        shown, entries = short_names(self.methods), []
        for group in dict.fromkeys(first):
            entries += [(Line2D([], [], ls=""), group, True)] if group else []
            entries += [
                (marks[name], shown[name], name == self.reference)
                for (_, name), of in zip(best, first, strict=True)
                if of == group
            ]
        handles, labels, bold = zip(*entries, strict=True)
        place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "labelspacing": 0.25}
        legend = ax.legend(handles, labels, frameon=False, **place)
        for text, heavy in zip(legend.get_texts(), bold, strict=True):
            text.set_fontweight("bold" if heavy else "normal")
