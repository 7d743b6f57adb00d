"""One colour per method, fixed by its name, the same in every picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

#: The methods of this library; they stand out among those of others.
OWN = ("graph-consensus", "anchor-filter")
#: Three to one against white and near-black, and far apart for the eye (OKLab distance
#: of at least 0.08).
COLOURS = {
    "graph-consensus": "#2f7de1",
    "anchor-filter": "#d9622b",
    "mgl": "#b88860",
    "kmeans-concat": "#546c54",
    "spectral-concat": "#a83c9c",
    "leiden-concat": "#00a800",
    "clr": "#8430fc",
    "clr-concat": "#b074ec",
    "co-reg": "#9c9018",
    "swmc": "#cc0c3c",
    "mvgl": "#009c84",
    "mvsc": "#9c5400",
    "rdekm": "#90909c",
    "smsc": "#cc6c9c",
    "amgl": "#007800",
    "mlan": "#fc1884",
    "rmsc": "#00789c",
    "sfmc": "#6c609c",
    "csmsc": "#9c606c",
    "etlmsc": "#c000e4",
    "tbgl": "#3c9ccc",
    "fastmice": "#0054fc",
    "fpmvs-cag": "#fc0000",
    "fpmvs-cag-first": "#f85868",
    "gmc": "#707800",
    "opmc": "#8460d8",
    "snf": "#b07000",
    "udbgl": "#d800a8",
    "wnn-leiden": "#309040",
    "lmvsc": "#c050c8",
}
SPARE = (
    *("#f054cc", "#fc00fc", "#7888f8", "#808060"),
    *("#9878b8", "#5058d0", "#d04078", "#9830d0"),
)

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


def colour_of(method: str) -> str:
    """Return the colour of a method, as ``#rrggbb``; unknown names get a fixed one too.

    A method with the settings of its publication, ``"mgl (paper)"``, has a paler one.

    Examples
    --------
    >>> from mvgraph.display import colour_of
    >>> colour_of("mgl"), colour_of("mine") == colour_of("mine")
    ('#b88860', True)
    """
    name, _, more = method.partition(" ")
    spare = SPARE[sha256(name.encode()).digest()[0] % len(SPARE)]
    colour = COLOURS.get(name, spare)
    return _dull(colour) if "paper" in more else colour


def _dull(colour: str) -> str:
    """Mix a colour with as much grey."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{(part + 0x80) // 2:02x}" for part in parts)
