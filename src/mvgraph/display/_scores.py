"""Scores and times of several methods, and the effect of the order of the rows."""

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
