"""Axes that several displays have: rows, curves with their names, scales of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from mvgraph.display._styles import Row, short_names
from mvgraph.metrics import SCORES

#: Visible on light and dark ground: helping lines and areas.
GREY = "#80868b"
#: Part of an axis of 3 inches that a number of six digits takes, with a gap.
NAME_OF_SIZE = 0.18
#: Letters of a title, of 12 points, above axes of 3.3 inches.
TITLE = 30
#: Shorter times are drawn as this one: clocks show zero, which has no logarithm.
SHORTEST = 1e-3


def explain_marks(artist: Any, words: Sequence[str]) -> None:
    """Attach one description per mark; the report shows them on hover and focus."""
    artist.mvgraph_words = list(words)


def title_of(name: str, what: str) -> str:
    """Return a title: the name of a set, and what is shown, in two lines if long."""
    shown = short_names([name], TITLE - 1)[name]
    line = f"{shown}, {what}" if what else shown
    return line if len(line) <= TITLE else f"{shown},\n{what}"


def time_of(seconds: float) -> str:
    """Write seconds with two digits or more."""
    if seconds < SHORTEST:
        return f"< {SHORTEST} s"
    form = ".0f" if seconds >= 10 else ".2f" if seconds >= 0.1 else ".2g"
    return f"{seconds:{form}} s"


def score_name(score: str) -> str:
    """Return the name of a score on axes; a score that is not ours keeps its own."""
    return SCORES[score].axis if score in SCORES else score


def score_axis(
    axis: Any, values: Sequence[float], score: str = "acc", short: bool = False
) -> None:
    """Scale an axis for scores: from 0, or from higher if all are above one half.

    The label names the start of the axis if that is not 0.
    """
    least = min(values, default=0.0)
    start = math.floor(10 * (least - 0.02)) / 10 if least > 0.5 or least < 0 else 0.0
    name = SCORES[score].title if short and score in SCORES else score_name(score)
    origin = f" (from {start:g})" if short else f" (axis starts at {start:g})"
    axis.set_label_text(name if start == 0 else name + origin)
    axis.axes.set(**{f"{axis.axis_name}lim": (start, 1 + 0.02 * (1 - start))})


def log_axis(axis: Any, values: Sequence[float]) -> None:
    """Make an axis logarithmic, with plain numbers at its ticks."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    decades = math.log10(max(values) / min(values))
    subs: Sequence[int] = range(1, 10)
    if decades > 0.5 or not decades:  # of equal values, an axis of two decades
        subs = (1,) if decades > 1.9 else (1, 2, 5)
    axis.set_major_locator(LogLocator(subs=subs, numticks=8 if len(subs) < 9 else 5))
    axis.set_major_formatter("{x:.10g}")
    axis.set_minor_locator(NullLocator())


def size_axis(axis: Any, values: Iterable[float]) -> None:
    """Make an axis logarithmic with a tick at every size, named where there is room.

    The first and the last are named.
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    places = sorted(set(values))
    width = math.log10(places[-1] / places[0]) or 1.0
    named = places[-1:]
    for place in places[-2::-1]:
        room = width * NAME_OF_SIZE
        far = math.log10(named[-1] / place) >= room
        if far and (place == places[0] or math.log10(place / places[0]) >= room):
            named.append(place)
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(lambda x, _: f"{x:.10g}" if x in named else "")
    axis.set_minor_locator(NullLocator())


def draw_rows(ax: Any, rows: Sequence[Row], bars: bool = False) -> None:
    """Draw one row per name, the first at the top: a bar, or a mark and its spread."""
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    for tick, row in zip(ax.yaxis.get_major_ticks(), rows, strict=True):
        tick.label1.set_fontweight("bold" if row.bold else "normal")
    place = ("axes fraction", "data")
    for i, row in enumerate(rows):
        ax.annotate(row.words, (1.02, i), xycoords=place, va="center")
        if row.value is None:
            continue
        if bars:
            mark = ax.barh(i, row.value, 0.6, color=row.colour)[0]
        else:
            face = "none" if row.hollow else row.colour
            # a score of 0 or 1 is on the edge of the axes
            style = {"color": row.colour, "ms": 7, "mfc": face, "clip_on": False}
            mark = ax.plot(row.value, i, row.shape, **style)[0]
        if row.std:
            ends = [row.value - row.std, min(row.value + row.std, 1)]
            ax.plot(ends, [i, i], color=row.colour)
        explain_marks(mark, [row.tip])


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
    line = ax.plot(x, y, label=name, markevery=every, **{"marker": "o", **style})[0]
    marked = list(zip(x, y, strict=True))[::every]
    explain_marks(line, [f"{name}: {tip(*point)}" for point in marked])
    return line


def label_ends(ax: Any, lines: Sequence[Any]) -> None:
    """Write the label of each line right of the axes, joined to its last point.

    The figure must have a height of 0.24 inches for each of them.
    """
    ax.get_xlim(), ax.get_ylim()  # limits are settled when they are read
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = [(to_axes.transform(line.get_xydata()[-1]), line) for line in lines]
    ends.sort(key=lambda end: end[0][1])
    step = 13 / (ax.figure.get_figheight() * 72 * 0.7)  # a line of text
    places = _inside(_apart([end[1] for end, _ in ends], step), step)
    shown = short_names([line.get_label() for line in lines])
    for (end, line), y in zip(ends, places, strict=True):
        arrow = {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.8}
        arrow |= {"shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)}
        place: Any = dict.fromkeys(("xycoords", "textcoords"), "axes fraction")
        place |= {"va": "center", "annotation_clip": False, "arrowprops": arrow}
        ax.annotate(shown[line.get_label()], end, (1.05, y), **place)


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


def _inside(places: list[float], step: float) -> list[float]:
    """Move what `_apart` put beyond the axes inside, if there is room."""
    top = max(1.0, step * (len(places) - 1))
    low = accumulate(places, lambda below, y: max(below + step, y), initial=-step)
    high = list(low)[:0:-1]
    moved = accumulate(high, lambda above, y: min(above - step, y), initial=top + step)
    return list(moved)[:0:-1]
