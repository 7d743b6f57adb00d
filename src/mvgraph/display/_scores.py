"""Scores, times and ranks of several methods, and the effect of the row order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mvgraph.display._axes import (
    GREY,
    explain_marks,
    log_axis,
    row_axes,
    row_text,
    score_axis,
    score_name,
)
from mvgraph.display._colours import colour_of
from mvgraph.display._display import Display

#: A line of the picture of ranks, in inches.
LINE = 0.27


@dataclass
class ScoresDisplay(Display):
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
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    def effect(self) -> list[float | None]:
        """Return published minus shuffled: the effect of the order of the file."""
        pairs = zip(self.shuffled, self.published, strict=True)
        return [None if s is None or p is None else p[0] - s[0] for s, p in pairs]

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        score = score_name(self.score)
        found = ", ".join(
            f"{m} {s[0]:.3f}"
            for m, s in zip(self.methods, self.shuffled, strict=True)
            if s
        )
        return f"{score} on {self.name}, rows shuffled: {found or 'none'}."

    @property
    def about_effect(self) -> str:
        """Say what the picture of `plot_effect` shows."""
        pairs = zip(self.methods, self.effect(), strict=True)
        found = ", ".join(f"{m} {gap:+.3f}" for m, gap in pairs if gap is not None)
        score = score_name(self.score)
        return f"{score} in the order of the file minus shuffled: {found or 'none'}."

    @property
    def about_seconds(self) -> str:
        """Say what the picture of `plot_seconds` shows."""
        pairs = zip(self.methods, self.seconds, strict=True)
        found = ", ".join(f"{m} {s:.3g}" for m, s in pairs if s is not None)
        return f"Seconds of a fit on {self.name}: {found or 'none'}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 0.8 + 0.25 * max(len(self.methods), 1)

    def plot(self, ax: Any = None) -> ScoresDisplay:
        """Draw a mark for the mean on shuffled rows, and a line for its deviation.

        A ring stands for the order of the file, for methods that ran only so.
        """
        ax = self._begin(ax)
        row_axes(ax, self.methods)
        shown = [s or p for s, p in zip(self.shuffled, self.published, strict=True)]
        for i, (method, point) in enumerate(zip(self.methods, shown, strict=True)):
            if point is None:
                continue
            (mean, std), colour = point, colour_of(method)
            order = "shuffled" if self.shuffled[i] else "order of the file"
            fill = {} if self.shuffled[i] else {"mfc": "none"}
            ax.plot([mean - std, min(mean + std, 1)], [i, i], color=colour)
            mark = ax.plot(mean, i, "o", color=colour, ms=7, **fill)[0]
            value = f"{mean:.3f}" + (f" ± {std:.3f}" if std else "")
            explain_marks(mark, [f"{method}, {order}: {value}"])
            row_text(ax, i, value)
        score_axis(ax.xaxis, [s[0] - s[1] for s in shown if s], self.score)
        ax.set_title(f"{self.name}, rows shuffled" if any(self.shuffled) else self.name)
        return self

    def plot_effect(self, ax: Any = None) -> ScoresDisplay:
        """Draw how much higher each method scores in the order of the file.

        Methods that ran in one order only are left out.
        """
        pairs = zip(self.methods, self.effect(), strict=True)
        known = [(method, gap) for method, gap in pairs if gap is not None]
        ax = self._begin(ax)
        row_axes(ax, [method for method, _ in known])
        ax.axvline(0, color=GREY, lw=0.8)
        for i, (method, gap) in enumerate(known):
            bar = ax.barh(i, gap, 0.6, color=colour_of(method))
            words = f"{gap:+.3f}" if round(abs(gap), 3) else "0"
            explain_marks(bar[0], [f"{method}: {words} in the order of the file"])
            row_text(ax, i, words.replace("-", "\N{MINUS SIGN}"))
        score = score_name(self.score)
        ax.set(xlabel=f"{score} in the order of the file minus shuffled")
        least = max([0.05, *(abs(gap) for _, gap in known)])
        negative = any(gap < -0.01 for _, gap in known)
        ax.set_xlim(-1.1 * least if negative else -0.1 * least, 1.1 * least)
        ax.set_title(f"{self.name}, effect of the order of rows")
        return self

    def plot_seconds(self, ax: Any = None) -> ScoresDisplay:
        """Draw the time of a fit on shuffled rows, on a logarithmic axis."""
        pairs = zip(self.methods, self.seconds, strict=True)
        known = [(method, max(s, 1e-3)) for method, s in pairs if s is not None]
        ax = self._begin(ax)
        row_axes(ax, [method for method, _ in known])
        for i, (method, seconds) in enumerate(known):
            mark = ax.plot(seconds, i, "o", color=colour_of(method), ms=7)[0]
            explain_marks(mark, [f"{method}: {seconds:.3g} s"])
            row_text(ax, i, f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s")
        if known:
            values = [s for _, s in known]
            values += [min(values) / 1.5, max(values) * 1.5]
            log_axis(ax.xaxis, values)
            ax.set_xlim(min(values), max(values))
        ax.set(xlabel="seconds of a fit, logarithmic", title=f"{self.name}, time")
        return self


@dataclass
class RanksDisplay(Display):
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
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        pairs = zip(self.methods, self.ranks, strict=True)
        return "Critical-difference diagram, mean ranks, best first: " + ", ".join(
            f"{m} {r:.1f}" for m, r in pairs
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, LINE * (2 + len(self.methods)) + 0.1 * len(self.groups)

    def plot(self, ax: Any = None) -> RanksDisplay:
        """Draw one line per method, and a bar through those that do not differ."""
        ax, k = self._begin(ax), len(self.methods)
        for i, (name, rank) in enumerate(zip(self.methods, self.ranks, strict=True)):
            colour = colour_of(name)
            ax.plot([1, rank], [i, i], color=colour, lw=1, alpha=0.6)
            mark = ax.plot(rank, i, "o", color=colour, ms=7)[0]
            explain_marks(mark, [f"{name}: mean rank {rank:.2f}"])
            row_text(ax, i, f"{rank:.1f}")
        for j, (first, last) in enumerate(self.groups):
            x = k + 0.12 * (j + 1) * max(k - 1, 1) / 4
            ax.plot([x, x], [first - 0.2, last + 0.2], color="#80868b", lw=4)
        ax.set_yticks(range(k), self.methods)
        ax.set_ylim(k - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False, axis="y")
        ax.set_xticks([rank for rank in range(1, k + 1) if k <= 10 or rank % 5 == 1])
        ax.set(xlabel="mean rank, 1 is best", title="Ranks; bars join what is alike")
        return self
