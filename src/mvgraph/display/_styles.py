"""Colours, shapes and names: of clusters in every picture, of methods in figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

from mvgraph.display._display import Display

#: Three to one against white and near-black. In OKLab any two are at least 0.055 apart
#: for red-blind and green-blind eyes (Machado et al., IEEE TVCG 15, 2009) and 0.09 for
#: others; the first ones are farther apart than the last.
PALETTE = (
    *("#2f7de1", "#f05400", "#b42490", "#549c78", "#9c5448", "#a884c0"),
    *("#009c0c", "#7854b4", "#fc5484", "#007860", "#a86090", "#c07854"),
)
#: Kinds of methods whose colour is fixed. "other" are those of other packages.
GROUPS = (
    *("this library", "other", "tensor", "joined views"),
    *("one graph", "anchors", "embedding"),
)
MARKS = ("o", "s", "^", "D", "v", "P")
SHAPES = (*MARKS, "X", "<", ">", "p", "h", "*")
#: Longer names are shortened in figures; tables have them in full.
LONGEST = 34
DOTS = "\N{HORIZONTAL ELLIPSIS}"
#: Width of a letter and height of a row, in inches, for text of 11 points.
LETTER, LINE = 0.09, 0.26
#: What is of one kind is blue; what stands beside it is orange.
BLUE, ORANGE = "#2f7de1", "#d9622b"
#: Twelve clusters differ in colour; for more, colours repeat with other marks. Of about
#: equal lightness and chroma in OKLCH, and the same on the page of clusters.
CLUSTERS = (
    *("#4087de", "#cb6620", "#2e9e52", "#c35c9b", "#988706", "#956ed2"),
    *("#03999f", "#d15b60", "#729513", "#6d7cdf", "#b2790e", "#b263b7"),
)
#: A group that is a number, or has a name after its number.
LEADING = re.compile(r"\d{1,6}(?=$| )", re.ASCII)


class MethodStyle(NamedTuple):
    """Colour, as ``#rrggbb``, and shape, as matplotlib's marker."""

    colour: str
    shape: str


def method_styles(groups: Mapping[str, str]) -> dict[str, MethodStyle]:
    """Give methods of one group one colour, and each of them another shape.

    Parameters
    ----------
    groups : mapping of str to str
        Method: its group. The colours of `GROUPS` are fixed; others get the colours
        that are left, in the order in which they come.

    Returns
    -------
    dict of str to MethodStyle
        At most 12 colours; up to 12 methods of a colour differ in shape.

    Examples
    --------
    >>> from mvgraph.display import method_styles
    >>> styles = method_styles({"mine": "other", "yours": "other"})
    >>> styles["mine"], styles["yours"].shape
    (MethodStyle(colour='#f05400', shape='o'), 's')
    """
    present = dict.fromkeys(groups.values())
    places = {name: i for i, name in enumerate(GROUPS) if name in present}
    left = [i for i in range(len(PALETTE)) if i not in places.values()]
    more = [name for name in present if name not in places]
    places |= {name: left[i % len(left)] for i, name in enumerate(more)}
    seen: Counter[int] = Counter()
    found = {}
    for method, group in groups.items():
        place = places[group]
        shape = SHAPES[seen[place] % len(SHAPES)]
        found[method] = MethodStyle(PALETTE[place], shape)
        seen[place] += 1
    return found


def short_names(names: Sequence[str], longest: int = LONGEST) -> dict[str, str]:
    """Shorten the names that are too long for a figure, such that they still differ.

    The middle goes: names differ in the class at the start, or a setting at the end.
    Of names that differ in the middle, a common end goes, too.
    """
    flat = {name: " ".join(name.split()) or name for name in names}
    alike: dict[str, set[str]] = {}
    for text in flat.values():
        alike.setdefault(_cut(text, longest), set()).add(text)
    texts = {text: end for found in alike.values() for text, end in _ends(found)}
    for most in range(longest, max(map(len, flat.values()), default=0)):
        shown = {name: _cut(texts[text], most) for name, text in flat.items()}
        if len(set(shown.values())) == len(set(flat.values())):
            return shown
    return flat


def _cut(text: str, most: int) -> str:
    tail = most * 2 // 5
    head = most - tail - 1
    return text if len(text) <= most else text[:head] + DOTS + text[-tail:]


def _ends(texts: set[str]) -> list[tuple[str, str]]:
    """Pair every text with its form without the end that all have."""
    if len(texts) < 2:
        return [(text, text) for text in texts]
    columns = zip(*(text[::-1] for text in texts), strict=False)
    n = len(list(takewhile(lambda letters: len(set(letters)) == 1, columns)))
    return [(text, text[:-n] + DOTS if n > 1 else text) for text in texts]


def width_of(names: Sequence[str]) -> float:
    """Return the width of the longest name as it is shown, in inches."""
    return LETTER * max(map(len, short_names(names).values()), default=0)


class Row(NamedTuple):
    """A row of a picture: its name, the mark in it, and the words at its right end."""

    name: str
    value: float | None  # None: a row without a mark
    colour: str
    tip: str
    words: str
    std: float = 0.0
    hollow: bool = False
    shape: str = "o"
    bold: bool = False


@dataclass(repr=False, kw_only=True)
class MethodsDisplay(Display):
    """Base of the displays that show methods by name.

    Parameters
    ----------
    groups : dict of str to str
        Group of every method, which fixes the colours; a method without one is a group
        of its own. May have more methods than are shown: figures with the same groups
        have the same colours and shapes.
    reference : str
        Method to emphasise.
    """

    groups: dict[str, str] = field(default_factory=dict)
    reference: str = ""

    @property
    def _shown(self) -> list[str]:
        """Return the methods that are drawn."""
        raise NotImplementedError

    def _styles(self) -> dict[str, MethodStyle]:
        own = {name: name for name in self._shown if name not in self.groups}
        return method_styles({**self.groups, **own})

    def _groups(self) -> list[str]:
        """Return the groups that are drawn; empty if there is only one."""
        present = {self.groups[name] for name in self._shown if name in self.groups}
        ordered = dict.fromkeys([*GROUPS, *self.groups.values()])
        return [name for name in ordered if name in present] if len(present) > 1 else []

    def _name_groups(self, ax: Any, lines: int = 1) -> None:
        """Explain the colours in two columns, below axes with a label of so many lines.

        Below the figure where it has several axes.
        """
        from matplotlib.lines import Line2D

        styles = self._styles()
        colours = {group: styles[name].colour for name, group in self.groups.items()}
        handles = [
            Line2D([], [], color=colours[group], marker="o", ls="", label=group)
            for group in self._groups()
        ]
        style: dict[str, Any] = {"handles": handles, "frameon": False, "ncols": 2}
        if handles and len(ax.figure.axes) > 1:
            ax.figure.legend(loc="outside lower center", **style)
        elif handles:
            # above it, the ticks of the axis and its label
            place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0)}
            ax.legend(borderaxespad=2.8 + 1.3 * lines, **place, **style)

    def _below(self) -> float:
        """Return the height of what `_name_groups` draws, in inches."""
        return 0.24 * -(-len(self._groups()) // 2)


@dataclass(repr=False)
class RowsDisplay(MethodsDisplay):
    """Base of the displays with a row or a mark for each method."""

    methods: list[str]

    @property
    def _shown(self) -> list[str]:
        return self.methods

    def _row(self, method: str, value: float | None, tip: str, words: str = "") -> Row:
        name, style = short_names(self.methods)[method], self._styles()[method]
        row = Row(name, value, style.colour, tip, words, shape=style.shape)
        return row._replace(bold=method == self.reference)


def group_style(group: int) -> tuple[str, str]:
    """Return colour and mark of a cluster or class, fixed by its number."""
    mark = MARKS[(group // len(CLUSTERS)) % len(MARKS)]
    return CLUSTERS[group % len(CLUSTERS)], mark


def group_numbers(names: Sequence[Any]) -> list[int]:
    """Return the number that fixes the colour of every group: its own, or its place.

    Examples
    --------
    >>> from mvgraph.display._styles import group_numbers
    >>> group_numbers(["2", "7 B cells"]), group_numbers(["T", "B"])
    ([2, 7], [0, 1])
    """
    found = [LEADING.match(str(name)) for name in names]
    numbers = [int(m[0]) for m in found if m]
    own = len(numbers) == len(set(numbers)) == len(names)
    return numbers if own else list(range(len(names)))
