"""Colours of clusters, the same in every picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

#: What is of one kind is blue; what stands beside it is orange.
BLUE, ORANGE = "#2f7de1", "#d9622b"

#: Twelve clusters differ in colour; for more, colours repeat with other marks. Of about
#: equal lightness and chroma in OKLCH, and the same on the page of clusters.
CLUSTERS = (
    *("#4087de", "#cb6620", "#2e9e52", "#c35c9b", "#988706", "#956ed2"),
    *("#03999f", "#d15b60", "#729513", "#6d7cdf", "#b2790e", "#b263b7"),
)
MARKS = ("o", "s", "^", "D", "v", "P")
#: A group that is a number, or has a name after its number.
LEADING = re.compile(r"\d{1,6}(?=$| )", re.ASCII)


def group_style(group: int) -> tuple[str, str]:
    """Return colour and mark of a cluster or class, fixed by its number."""
    mark = MARKS[(group // len(CLUSTERS)) % len(MARKS)]
    return CLUSTERS[group % len(CLUSTERS)], mark


def group_numbers(names: Sequence[Any]) -> list[int]:
    """Return the number that fixes the colour of every group: its own, or its place.

    Examples
    --------
    >>> from mvgraph.display._colours import group_numbers
    >>> group_numbers(["2", "7 B cells"]), group_numbers(["T", "B"])
    ([2, 7], [0, 1])
    """
    found = [LEADING.match(str(name)) for name in names]
    numbers = [int(m[0]) for m in found if m]
    own = len(numbers) == len(set(numbers)) == len(names)
    return numbers if own else list(range(len(names)))
