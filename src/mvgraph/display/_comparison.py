"""Two clusterings of the same samples: matched heat map, and flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mvgraph.display._axes import GREY, explain_marks
from mvgraph.display._display import Display, new_figure
from mvgraph.display._styles import BLUE, group_numbers, group_style
from mvgraph.ops.wording import cut

#: Groups of one clustering that are drawn; the smallest of more are drawn as one.
MAX_GROUPS = 40
#: Characters of a name; a longer one would leave no room for the picture.
MAX_NAME = 22
#: Counts are written into the cells of tables of up to this many groups.
MAX_WRITTEN = 14
#: Opacity of a cell that has all of its row: text on it can be read on both grounds.
DARKEST = 0.7
#: Height of a group in the heat map, in inches.
LINE = 0.24
#: Width of a bar of the flow, and gap between two groups, as shares of the picture.
BAR, GAP = 0.06, 0.012
#: Groups lower than this share of the picture have no name: names would overlap.
NAMED = 0.025


@dataclass(repr=False)
class ComparisonDisplay(Display):
    """Samples by the clusters of two clusterings, those that match side by side.

    Parameters
    ----------
    names : (str, str)
        Of the clusterings.
    groups : (list of str, list of str)
        Names of the clusters.
    counts : list of list of int
        Samples by cluster of the first (rows) and of the second (columns).
    partner : list of int
        The column that every row is matched with; -1: none.
    summary : str
        The agreement in one sentence.

    Attributes
    ----------
    ax_, axes_, figure_ : matplotlib objects of the last plot; ``ax_`` is the last axes
    """

    names: tuple[str, str]
    groups: tuple[list[str], list[str]]
    counts: list[list[int]]
    partner: list[int]
    summary: str = ""

    def __post_init__(self) -> None:
        # lists after a detour through JSON
        self.names, self.groups = tuple(self.names), tuple(self.groups)  # type: ignore[assignment]

    @property
    def about(self) -> str:
        """Describe the picture."""
        n, m = map(len, self.groups)
        return f"{self.summary} {n} and {m} clusters, those that match side by side."

    @property
    def about_flow(self) -> str:
        """Describe the picture of `plot_flow`."""
        first, second = self.names
        return f"Bands of samples from clusters of {first} to those of {second}."

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        rows = min(max(map(len, self.groups)), MAX_GROUPS)
        side = max(3.6, 1.6 + LINE * rows)
        return side + 4.2, side

    def _panels(self, figure: Any) -> Any:
        return figure.subplots(1, 2, width_ratios=(self.size[0] - 4.2, 4.2))

    def plot(self, ax: Any = None) -> ComparisonDisplay:
        """Draw the heat map and the flow.

        Parameters
        ----------
        ax : sequence of two Axes, optional
        """
        left, right = self._panels(new_figure(self.size)) if ax is None else ax
        self.axes_ = [left, right]
        self.plot_heatmap(left)
        return self.plot_flow(right)

    def plot_heatmap(self, ax: Any = None) -> ComparisonDisplay:
        """Draw the share of every row that is in every column, matched ones first."""
        ax = self._begin(ax if ax is not None else self._single())
        table, (rows, columns), _ = self._drawn()
        share = table / table.sum(axis=1, keepdims=True)
        colour = BLUE
        picture = np.zeros((*table.shape, 4))  # opacity: visible on both grounds
        picture[..., :3] = [int(colour[c : c + 2], 16) / 255 for c in (1, 3, 5)]
        picture[..., 3] = DARKEST * share
        ax.imshow(picture, aspect="auto", interpolation="none")
        if max(table.shape) <= MAX_WRITTEN:
            style = {"ha": "center", "va": "center", "fontsize": "x-small"}
            for (i, j), n in np.ndenumerate(table):
                if n:
                    ax.text(j, i, f"{n:,}", **style)
        ax.set_xticks(range(len(columns)), columns, rotation=90)
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0, labelsize="small")
        ax.grid(visible=False)
        ax.set(xlabel=cut(self.names[1], MAX_NAME), ylabel=cut(self.names[0], MAX_NAME))
        ax.set_title("colour: share of the row", fontsize="small", loc="left")
        return self

    def plot_flow(self, ax: Any = None) -> ComparisonDisplay:
        """Draw how the samples of every cluster of one divide among the other's."""
        from matplotlib.patches import PathPatch

        ax = self._begin(ax if ax is not None else self._single())
        table, names, colours = self._drawn()
        n = table.sum()
        tops = [_tops(table.sum(axis=1 - side) / n) for side in (0, 1)]
        height = 1 + GAP * (max(table.shape) - 1)
        filled = [tops[0].copy(), tops[1].copy()]
        for i, j in zip(*np.nonzero(table), strict=True):
            width = table[i, j] / n
            band = _band(filled[0][i], filled[1][j], width)
            style = {"facecolor": colours[0][i], "alpha": 0.45, "lw": 0}
            patch = ax.add_patch(PathPatch(band, **style))
            explain_marks(patch, [f"{names[0][i]} to {names[1][j]}: {table[i, j]:,}"])
            filled[0][i] += width
            filled[1][j] += width
        ends = ((0.0, -0.02, "right"), (1 - BAR, 1.02, "left"))
        for side, (x, shift, ha) in enumerate(ends):
            sizes = table.sum(axis=1 - side)
            for g, (top, size) in enumerate(zip(tops[side], sizes, strict=True)):
                bar = ax.bar(
                    x, size / n, BAR, top, align="edge", color=colours[side][g]
                )[0]
                explain_marks(bar, [f"{names[side][g]}: {size:,}"])
                if size / n / height >= NAMED:
                    place = (shift, top + size / n / 2)
                    style = {"ha": ha, "va": "center", "fontsize": "small"}
                    ax.text(*place, names[side][g], **style)
        ax.set(xlim=(-0.18, 1.18), ylim=(height, 0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.grid(visible=False)
        ax.set_title(" to ".join(cut(name, MAX_NAME) for name in self.names))
        return self

    def _single(self) -> Any:
        return new_figure((5.0, self.size[1])).subplots()

    def _drawn(self) -> tuple[np.ndarray, list[list[str]], list[list[str]]]:
        """Return the table as it is drawn, with names and colours of its groups."""
        table, partner = np.array(self.counts), np.array(self.partner)
        number = np.full(table.shape[1], -1)  # a matched pair has one colour
        own = np.array(group_numbers(self.groups[0]))
        number[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
        alone = number < 0
        # what has no partner stands next to the group that has most of it
        row_key = np.where(partner >= 0, np.arange(len(table)), 0.0)
        column_key = np.where(alone, row_key[table.argmax(axis=0)] + 0.2, number)
        row_key = np.where(partner >= 0, row_key, number[table.argmax(axis=1)] + 0.4)
        orders = [np.argsort(key, kind="stable") for key in (row_key, column_key)]
        number[~alone] = own[number[~alone]]
        number[alone] = own.max() + 1 + np.arange(alone.sum())
        table = table[np.ix_(*orders)]
        names, colours = [], []
        for axis, numbers in enumerate((own, number)):
            order = orders[axis]
            shown = [cut(self.groups[axis][g], MAX_NAME) for g in order]
            tints = [group_style(int(numbers[g]))[0] for g in order]
            if len(order) > MAX_GROUPS:
                sizes = table.sum(axis=1 - axis)
                largest = np.argsort(-sizes, kind="stable")[: MAX_GROUPS - 1]
                kept = np.sort(largest)
                rest = np.setdiff1d(np.arange(len(order)), kept)
                others = table.take(rest, axis).sum(axis=axis, keepdims=True)
                table = np.concatenate([table.take(kept, axis), others], axis)
                shown = [*(shown[g] for g in kept), f"{len(rest)} others"]
                tints = [*(tints[g] for g in kept), GREY]
            names.append(shown)
            colours.append(tints)
        return table, names, colours


def _tops(shares: np.ndarray) -> np.ndarray:
    """Return where bars of these heights start, one below the other."""
    return np.concatenate([[0], np.cumsum(shares[:-1] + GAP)])


def _band(left: float, right: float, width: float) -> Any:
    """Return a band of constant width between two bars."""
    from matplotlib.path import Path

    x = (BAR, 0.5, 0.5, 1 - BAR)
    down, up = (left, left, right, right), (right, right, left, left)
    points = list(zip(x, down, strict=True))
    points += [(a, y + width) for a, y in zip(x[::-1], up, strict=True)]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve]
    return Path(points, codes)
