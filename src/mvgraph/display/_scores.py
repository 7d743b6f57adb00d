"""Scores of methods: on one set, with times and the effect of the order, or on many."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from mvgraph.display import _axes as axes
from mvgraph.display._display import new_figure
from mvgraph.display._styles import LINE, Row, RowsDisplay, short_names, width_of

#: A score (mean, std), or the word for why there is none, or None: not tried.
Entry = tuple[float, float] | str | None
#: Letters of a title that fit above one of several panels.
PANEL_TITLE = 14
#: More sets than these do not fit beside each other.
MOST_PANELS = 4
EFFECT = "effect of the order of rows"


def listed(pairs: list[tuple[str, Any]], form: str) -> str:
    """Write names and numbers as one line, without those that have none."""
    words = [f"{name} {format(x, form)}" for name, x in pairs if x is not None]
    return ", ".join(words) or "none"


@dataclass(repr=False)
class ScoresDisplay(RowsDisplay):
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
    groups : dict of str to str
        Group of every method: its colour.
    reference : str
        Method to emphasise.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    """

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
        return f"{score} on {self.name}, rows shuffled: {listed(means, '.3f')}."

    @property
    def about_effect(self) -> str:
        """Describe the picture of `plot_effect`."""
        gaps = listed(self._named(self.effect()), "+.3f")
        return f"{self._effect_name}: {gaps}."

    @property
    def _effect_name(self) -> str:
        return f"{axes.score_name(self.score)} in the order of the file minus shuffled"

    @property
    def about_seconds(self) -> str:
        """Describe the picture of `plot_seconds`."""
        seconds = listed(self._named(self.seconds), ".3g")
        return f"Seconds of a fit on {self.name}: {seconds}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        lines = max(len(self.methods), 1) + axes.title_of(self.name, EFFECT).count("\n")
        return 3.4 + width_of(self.methods), 0.8 + LINE * lines + self._below()

    def _draw(self, ax: Any, rows: list[Row], bars: bool = False) -> None:
        axes.draw_rows(self._begin(ax), rows, bars)
        self._name_groups(self.ax_)

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
            row = self._row(method, mean, f"{method}, {order}: {words}", words)
            rows.append(row._replace(std=std, hollow=not shuffled))
        self._draw(ax, rows)
        least = [row.value - row.std for row in rows if row.value is not None]
        axes.score_axis(self.ax_.xaxis, least, self.score)
        order = "rows shuffled" if any(self.shuffled) else ""
        self.ax_.set_title(axes.title_of(self.name, order))
        return self

    def plot_effect(self, ax: Any = None) -> ScoresDisplay:
        """Draw how much higher each method scores in the order of the file.

        Methods that ran in one order only are left out.
        """
        rows = []
        for method, gap in self._named(self.effect()):
            if gap is not None:
                words = f"{gap:+.3f}" if round(abs(gap), 3) else "0"
                minus = words.replace("-", "\N{MINUS SIGN}")
                tip = f"{method}: {words} in the order of the file"
                rows.append(self._row(method, gap, tip, minus))
        self._draw(ax, rows, bars=True)
        self.ax_.axvline(0, color=axes.GREY, lw=0.8)
        gaps = [row.value for row in rows if row.value is not None]
        far = 1.1 * max([0.05, *map(abs, gaps)])
        self.ax_.set(
            xlabel=self._effect_name,
            xlim=(-far if min(gaps, default=0) < -0.01 else -far / 11, far),
            title=axes.title_of(self.name, EFFECT),
        )
        return self

    def plot_seconds(self, ax: Any = None) -> ScoresDisplay:
        """Draw the time of a fit on shuffled rows, on a logarithmic axis."""
        rows = []
        for method, seconds in self._named(self.seconds):
            if seconds is not None:
                tip = f"{method}: {seconds:.3g} s"
                at = max(seconds, axes.SHORTEST)
                rows.append(self._row(method, at, tip, axes.time_of(seconds)))
        self._draw(ax, rows)
        if rows:
            values = [row.value for row in rows if row.value is not None]
            limits = min(values) / 1.5, max(values) * 1.5
            axes.log_axis(self.ax_.xaxis, limits)
            self.ax_.set_xlim(limits)
        title = axes.title_of(self.name, "time")
        self.ax_.set(xlabel="seconds of a fit, logarithmic", title=title)
        return self


@dataclass(repr=False)
class SetScoresDisplay(RowsDisplay):
    """One score of several methods on several sets.

    Up to four sets are drawn beside each other; of more, a method has one row with a
    small mark for every set and a large one for their mean.

    Parameters
    ----------
    methods, sets : list of str
    values : list of list
        By method, then by set: (mean, std); or a text, why there is none; or None.
    score : str
    groups : dict of str to str
        Group of every method: its colour.
    reference : str
        Method to emphasise.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects of the last plot
    axes_ : list of Axes
    """

    sets: list[str]
    values: list[list[Entry]]
    score: str = "acc"

    def means(self) -> list[float | None]:
        """Return the mean of each method over the sets where it has a score."""
        found = [self._found(m) for m in range(len(self.methods))]
        return [fmean(row.values()) if row else None for row in found]

    def _found(self, m: int) -> dict[str, float]:
        """Return the scores of a method by set."""
        pairs = zip(self.sets, self.values[m], strict=True)
        return {name: e[0] for name, e in pairs if isinstance(e, tuple | list)}

    @property
    def about(self) -> str:
        """Describe the picture."""
        pairs = list(zip(self.methods, self.means(), strict=True))
        name, n = axes.score_name(self.score), len(self.sets)
        return f"{name}, rows shuffled, mean over {n} sets: {listed(pairs, '.3f')}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        height = 0.8 + LINE * max(len(self.methods), 1) + self._below()
        panels = self._n_panels()
        return width_of(self.methods) + (2.0 * panels if panels > 1 else 3.6), height

    def _n_panels(self) -> int:
        return len(self.sets) if len(self.sets) <= MOST_PANELS else 1

    def _panels(self, figure: Any) -> Any:
        return figure.subplots(1, self._n_panels(), sharey=True, squeeze=False)[0]

    def plot(self, ax: Any = None) -> SetScoresDisplay:
        """Draw the scores.

        Parameters
        ----------
        ax : sequence of Axes, optional
            One for each set, or a single one for more than four sets.
        """
        panels = self._panels(new_figure(self.size)) if ax is None else ax
        self.axes_ = list(panels)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        if len(self.sets) > MOST_PANELS:
            self._draw_means(self.ax_)
        else:
            for s, (name, panel) in enumerate(zip(self.sets, self.axes_, strict=True)):
                self._draw_set(panel, name, [row[s] for row in self.values])
        entries = [entry for row in self.values for entry in row]
        least = [e[0] - e[1] for e in entries if isinstance(e, tuple | list)]
        for panel in self.axes_:
            axes.score_axis(panel.xaxis, least, self.score, len(self.axes_) > 1)
        self._name_groups(self.ax_)
        return self

    def _draw_set(self, panel: Any, name: str, column: list[Entry]) -> None:
        rows = []
        for method, entry in zip(self.methods, column, strict=True):
            if isinstance(entry, tuple | list):
                mean, std = entry
                tip = f"{method} on {name}: {mean:.3f}" + (f" ± {std:.3f}" * bool(std))
                rows.append(self._row(method, mean, tip)._replace(std=std))
            else:
                rows.append(self._row(method, None, ""))
        axes.draw_rows(panel, rows)
        for i, entry in enumerate(column):
            if isinstance(entry, str):
                place = {"xycoords": ("axes fraction", "data"), "va": "center"}
                soft = panel.xaxis.label.get_color()  # that of words beside marks
                panel.annotate(entry, (0.03, i), color=soft, **place)
        panel.set_title(short_names(self.sets, PANEL_TITLE)[name])

    def _draw_means(self, panel: Any) -> None:
        rows = []
        for m, (method, mean) in enumerate(
            zip(self.methods, self.means(), strict=True)
        ):
            n = len(self._found(m))
            words = "" if mean is None else f"{mean:.3f}"
            words += f" ({n} of {len(self.sets)})" * (n < len(self.sets))
            row = self._row(method, mean, f"{method}: mean {words}")
            rows.append(row._replace(words=words))
        axes.draw_rows(panel, rows)
        for m, row in enumerate(rows):
            found, style = self._found(m), {"color": row.colour, "ms": 4, "alpha": 0.6}
            x, y = list(found.values()), [m] * len(found)
            marks = panel.plot(x, y, "o", zorder=1.5, mew=0, **style)[0]
            tips = [f"{row.name} on {name}: {x:.3f}" for name, x in found.items()]
            axes.explain_marks(marks, tips)
        panel.set_title(f"{len(self.sets)} sets (small) and their mean")
