"""Axes, scales and direct labels, the same in every picture.

Pictures are drawn once, for notebooks and for the report: inks and sizes come from
matplotlib's settings, so that the report can follow light and dark themes. Only colours
that mean something are set here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mvgraph.metrics import SCORES

__all__ = [
    "end_labels",
    "explain_marks",
    "log_axis",
    "new_axes",
    "row_axes",
    "row_text",
    "score_axis",
    "score_name",
]

EXTRA = "drawing needs matplotlib: pip install 'mvgraph[plots]'"
#: Visible on light and dark ground: helping lines and areas.
GREY = "#80868b"


def new_axes(size: tuple[float, float], *shape: int, **options: Any) -> Any:
    """Return the axes of a new figure of pyplot."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(EXTRA) from error
    return plt.subplots(*shape, figsize=size, layout="constrained", **options)[1]


def explain_marks(artist: Any, words: Sequence[str]) -> None:
    """Attach one description per mark; the report shows them on hover and focus."""
    artist.mvgraph_words = list(words)


def score_name(score: str) -> str:
    """Return how a score is called on axes; others than ours by their own name."""
    return SCORES[score].axis if score in SCORES else score


def score_axis(axis: Any, values: Sequence[float], score: str = "acc") -> None:
    """Scale an axis for scores: from 0, or higher if all are above one half.

    The label says where the axis starts, if that is not 0.
    """
    least = min(values, default=0.0)
    start = math.floor(10 * (least - 0.02)) / 10 if least > 0.5 or least < 0 else 0.0
    name = score_name(score)
    axis.set_label_text(name if start == 0 else f"{name} (axis starts at {start:g})")
    limits = (start, 1 + 0.02 * (1 - start))
    axis.axes.set_xlim(limits) if axis.axis_name == "x" else axis.axes.set_ylim(limits)


def log_axis(axis: Any, values: Sequence[float]) -> None:
    """Make an axis logarithmic, with plain numbers at its ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    low, high = min(values), max(values)
    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale(
        "log"
    )
    decades = math.log10(high / low)
    subs = (
        (1,) if decades > 1.9 else (1, 2, 5) if decades > 0.5 else tuple(range(1, 10))
    )
    axis.set_major_locator(LogLocator(subs=subs, numticks=8 if len(subs) < 9 else 5))
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.10g}"))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def row_axes(ax: Any, names: Sequence[str]) -> None:
    """Make one row per name, the first at the top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")


def row_text(ax: Any, row: float, words: str) -> None:
    """Write words at the right end of a row."""
    place = ("axes fraction", "data")
    ax.annotate(words, (1.02, row), xycoords=place, va="center")


def end_labels(ax: Any, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names right of the axes, each joined to the point that it names.

    Parameters
    ----------
    ax : Axes
    ends : sequence of (x, y, name, colour)
    """
    ax.get_xlim(), ax.get_ylim()  # limits are settled when they are read
    to_axes = ax.transData + ax.transAxes.inverted()
    placed = sorted((to_axes.transform((x, y)).tolist(), n, c) for x, y, n, c in ends)
    placed.sort(key=lambda end: end[0][1])
    height = ax.figure.get_figheight() * 72 * 0.7
    step = 13 / height  # a line of text, as a share of the axes
    for (start, name, colour), y in zip(
        placed, _apart([end[0][1] for end in placed], step), strict=True
    ):
        ax.annotate(
            name,
            start,
            (1.05, y),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.8,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
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
