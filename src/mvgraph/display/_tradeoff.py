"""Accuracy against time, over several sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mvgraph.display._axes import GREY, explain_marks, log_axis, score_name
from mvgraph.display._colours import OWN, colour_of
from mvgraph.display._display import Display

FONT = 10  # can be read on a phone, too
#: Where a name may stand: distance from its point, and which end of it is there.
PLACES = tuple(
    (dx, dy, side)
    for dy in (3, -11, 13, -21)
    for dx, side in ((5, "left"), (-5, "right"))
)


@dataclass
class TradeoffDisplay(Display):
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
    ax_: Any = field(default=None, repr=False, compare=False)
    figure_: Any = field(default=None, repr=False, compare=False)

    def front(self) -> list[str]:
        """Return the methods that no faster one equals, the fastest first.

        Only those that finished all sets are compared.
        """
        best, found = float("-inf"), []
        for i in self._by_time():
            if self.scores[i] > best:
                best = self.scores[i]
                found.append(self.methods[i])
        return found

    @property
    def empty(self) -> bool:
        """Return True with fewer than three methods: a table shows as much."""
        return len(self.methods) < 3

    @property
    def about(self) -> str:
        """Say what the picture shows."""
        score = score_name(self.score)
        return (
            f"{score}, mean over the sets, against processor seconds of a fit; no "
            f"other method is both faster and better than {', '.join(self.front())}."
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 5.0, 3.4 + 0.06 * len(self.methods)

    def plot(self, ax: Any = None) -> TradeoffDisplay:
        """Draw one point per method; filled where it finished all sets."""
        ax, score = self._begin(ax), score_name(self.score)
        names = self.front()
        edge = [i for i in self._by_time() if self.methods[i] in names]
        ax.step(
            [self.seconds[i] for i in edge],
            [self.scores[i] for i in edge],
            where="post",
            color=GREY,
            lw=1,
            ls=":",
        )
        for i in range(len(self.methods)):
            self._point(ax, i)
        ax.margins(x=0.2)
        log_axis(ax.xaxis, self.seconds)
        self._names(ax)
        ax.set(
            xlabel="processor seconds of a fit, median over sets",
            ylabel=f"{score}, mean over the sets",
        )
        return self

    def _point(self, ax: Any, i: int) -> None:
        name = self.methods[i]
        own, done = name in OWN, self.n_sets[i] == max(self.n_sets)
        colour = colour_of(name) if own else GREY
        at = self.seconds[i], self.scores[i]
        face = colour if done else "none"
        mark = ax.scatter(*at, s=60 if own else 30, c=face, ec=colour)
        tip = f"{name}: {at[1]:.3f}, {at[0]:.3g} s, {self.n_sets[i]} sets"
        explain_marks(mark, [tip])

    def _names(self, ax: Any) -> None:
        """Write each name beside its point, where no other name or point is."""
        points = ax.transData.transform(
            list(zip(self.seconds, self.scores, strict=True))
        )
        point = ax.figure.dpi / 72  # in pixels, as the positions
        inside = ax.get_window_extent()
        taken = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in points]
        for i, name in enumerate(self.methods):
            width, height = 0.6 * FONT * len(name) * point, FONT * point
            boxes = [
                (place, _box(points[i], place, width, height, point))
                for place in PLACES
            ]
            (dx, dy, side), box = min(
                boxes, key=lambda b: _crowding(b[1], taken, inside)
            )
            taken.append(box)
            ax.annotate(
                name,
                (self.seconds[i], self.scores[i]),
                xytext=(dx, dy),
                textcoords="offset points",
                ha=side,
                fontsize=FONT,
                weight="bold" if name in OWN else "normal",
            )

    def _by_time(self) -> list[int]:
        done = max(self.n_sets, default=0)
        complete = [i for i, n in enumerate(self.n_sets) if n == done]
        return sorted(complete, key=lambda i: (self.seconds[i], -self.scores[i]))


class Box(NamedTuple):
    """Edges of a rectangle, in pixels."""

    left: float
    low: float
    right: float
    high: float


def _box(
    at: Any, place: tuple[int, int, str], width: float, height: float, point: float
) -> Box:
    """Return about where a name stands that is put at a place beside a point."""
    dx, dy, side = place
    left, low = at[0] + dx * point, at[1] + dy * point
    left -= width if side == "right" else 0
    return Box(left, low, left + width, low + height)


def _crowding(box: Box, taken: list[Box], inside: Any) -> int:
    """Count what a name would cover; outside the axes is worst."""
    within = inside.x0 <= box.left and box.right <= inside.x1
    return sum(_meet(box, other) for other in taken) + (0 if within else 100)


def _meet(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.low < b.high and b.low < a.high
