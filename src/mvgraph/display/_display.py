"""What all displays share: their data, how a notebook shows them, and their axes.

A display is drawn once, for notebooks and for the report: text colours and sizes come
from matplotlib's settings, so that the report can follow light and dark themes. Only
colours that mean something are set here.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from mvgraph.metrics import SCORES
from mvgraph.ops.wording import extra

__all__ = ["Display", "NothingToDrawError", "fitted_attribute"]

#: Visible on light and dark ground: helping lines and areas.
GREY = "#80868b"


class Display:
    """Base of the displays, which are dataclasses.

    The fields are the data; ``ax_`` and ``figure_`` are those of the last plot.
    """

    #: Width and height of a new figure, in inches; the report draws at this size too.
    SIZE: ClassVar[tuple[float, float]] = (5.0, 3.4)

    ax_: Any = None
    figure_: Any = None

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """Build from the output of ``data()``."""
        return cls(**data)

    def data(self) -> dict[str, Any]:
        """Return the fields as plain JSON."""
        dataclass: Any = self
        return {field.name: vars(self)[field.name] for field in fields(dataclass)}

    @property
    def about(self) -> str:
        """Describe the picture in one sentence, for those who cannot see it."""
        raise NotImplementedError

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return self.SIZE

    def plot(self, ax: Any = None) -> Self:
        """Draw on the axes given, or on a new figure."""
        raise NotImplementedError

    def _begin(self, ax: Any) -> Any:
        """Remember the axes to draw on, new ones if none are given."""
        self.ax_ = new_axes(self.size) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _repr_html_(self) -> str:
        """Return name and contents in one line; the picture comes with ``plot()``."""
        return f"<p><b>{type(self).__name__}</b>: {escape(self.about)}</p>"

    def _ipython_display_(self) -> None:
        """Show the figure alone, once: below it, IPython would print the object."""
        from IPython.display import HTML, display

        if self.figure_ is None:
            display(HTML(self._repr_html_()))
        elif not _shown_by_pyplot(self.figure_):
            display(self.figure_)


def _shown_by_pyplot(figure: Any) -> bool:
    """Return True for open figures of pyplot: notebooks show them at the cell's end."""
    from matplotlib._pylab_helpers import Gcf  # as the kernels do

    return any(m.canvas.figure is figure for m in Gcf.get_all_fig_managers())


class NothingToDrawError(ValueError):
    """A method does not learn what a display draws."""


def fitted_attribute(estimator: Any, name: str, purpose: str = "to draw") -> Any:
    """Return an attribute that not every method has.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted: it has no attribute with a trailing underscore.
    NothingToDrawError
        If the method has no such attribute.
    """
    value = getattr(estimator, name, None)
    if value is not None:
        return value
    kind = type(estimator).__name__
    # check_is_fitted needs scikit-learn's tags, which classes of other packages lack
    if not any(key.endswith("_") for key in vars(estimator)):
        raise NotFittedError(
            f"This {kind} instance is not fitted yet. Call 'fit' before drawing it."
        )
    raise NothingToDrawError(f"{kind} has no {name} {purpose}")


def pack(data: bytes) -> str:
    """Return bytes as text for JSON, deflated."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpack(text: str) -> np.ndarray:
    """Return the bytes that `pack` wrote, as uint8."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)


# -------------------------------------------------------------------------------- axes
def new_axes(size: tuple[float, float], *shape: int, **options: Any) -> Any:
    """Return the axes of a new figure of pyplot."""
    with extra("a plot", "matplotlib", "plots"):
        import matplotlib.pyplot as plt
    return plt.subplots(*shape, figsize=size, layout="constrained", **options)[1]


def explain_marks(artist: Any, words: Sequence[str]) -> None:
    """Attach one description per mark; the report shows them on hover and focus."""
    artist.mvgraph_words = list(words)


def score_name(score: str) -> str:
    """Return the name of a score on axes; a score that is not ours keeps its own."""
    return SCORES[score].axis if score in SCORES else score


def score_axis(axis: Any, values: Sequence[float], score: str = "acc") -> None:
    """Scale an axis for scores: from 0, or from higher if all are above one half.

    The label names the start of the axis if that is not 0.
    """
    least = min(values, default=0.0)
    start = math.floor(10 * (least - 0.02)) / 10 if least > 0.5 or least < 0 else 0.0
    name = score_name(score)
    axis.set_label_text(name if start == 0 else f"{name} (axis starts at {start:g})")
    axis.axes.set(**{f"{axis.axis_name}lim": (start, 1 + 0.02 * (1 - start))})


def log_axis(axis: Any, values: Sequence[float]) -> None:
    """Make an axis logarithmic, with plain numbers at its ticks."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    decades = math.log10(max(values) / min(values))
    subs: Sequence[int] = range(1, 10)
    if decades > 0.5:
        subs = (1,) if decades > 1.9 else (1, 2, 5)
    axis.set_major_locator(LogLocator(subs=subs, numticks=8 if len(subs) < 9 else 5))
    axis.set_major_formatter("{x:.10g}")
    axis.set_minor_locator(NullLocator())


class Row(NamedTuple):
    """A row of a picture: its name, the mark in it, and the words at its right end."""

    name: str
    value: float | None  # None: a row without a mark
    colour: str
    tip: str
    words: str
    std: float = 0.0
    hollow: bool = False


def draw_rows(ax: Any, rows: Sequence[Row], bars: bool = False) -> None:
    """Draw one row per name, the first at the top: a bar, or a mark and its spread."""
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    for i, row in enumerate(rows):
        if row.value is None:
            continue
        if bars:
            mark = ax.barh(i, row.value, 0.6, color=row.colour)[0]
        else:
            face = "none" if row.hollow else row.colour
            mark = ax.plot(row.value, i, "o", color=row.colour, ms=7, mfc=face)[0]
        if row.std:
            ends = [row.value - row.std, min(row.value + row.std, 1)]
            ax.plot(ends, [i, i], color=row.colour)
        explain_marks(mark, [row.tip])
        place = ("axes fraction", "data")
        ax.annotate(row.words, (1.02, i), xycoords=place, va="center")


def draw_curve(
    ax: Any,
    name: str,
    points: Iterable[Sequence[float]],
    tip: Callable[[float, float], str],
    every: int = 1,
    **style: Any,
) -> Any:
    """Draw a line with a mark and a description at every so many points."""
    x, y = zip(*points, strict=True)
    style = {"marker": "s" if "(paper)" in name else "o", **style}
    line = ax.plot(x, y, label=name, markevery=every, **style)[0]
    marked = list(zip(x, y, strict=True))[::every]
    explain_marks(line, [f"{name}: {tip(*point)}" for point in marked])
    return line


def label_ends(ax: Any, lines: Sequence[Any]) -> None:
    """Write the label of each line right of the axes, joined to its last point."""
    ax.get_xlim(), ax.get_ylim()  # limits are settled when they are read
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = [(to_axes.transform(line.get_xydata()[-1]), line) for line in lines]
    ends.sort(key=lambda end: end[0][1])
    step = 13 / (ax.figure.get_figheight() * 72 * 0.7)  # a line of text
    places = _apart([end[1] for end, _ in ends], step)
    for (end, line), y in zip(ends, places, strict=True):
        arrow = {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.8}
        ax.annotate(
            line.get_label(),
            end,
            (1.05, y),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            annotation_clip=False,
            arrowprops={**arrow, "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)},
        )


def _apart(places: list[float], step: float) -> list[float]:
    """Move sorted places apart by at least a step, as little as possible."""
    groups: list[tuple[float, int]] = []  # middle, number
    for place in places:
        groups.append((place, 1))
        while len(groups) > 1:
            (a, m), (b, n) = groups[-2:]
            if b - a >= step * (m + n) / 2:
                break
            groups[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return [middle + step * (i - (n - 1) / 2) for middle, n in groups for i in range(n)]
