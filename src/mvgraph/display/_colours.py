"""One colour per method, fixed by its name, the same in every picture."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

EXTRA = "drawing needs matplotlib: pip install 'mvgraph[plots]'"

#: Visible on white and on near-black; the two methods of this library stand out.
COLOURS = {
    "graph-consensus": "#2f7de1",
    "mgl": "#d9622b",
    "kmeans-concat": "#7f8790",
    "spectral-concat": "#a08c72",
    "leiden-concat": "#8f7fb5",
    "clr": "#a57c1b",
    "clr-concat": "#c29a2e",
    "co-reg": "#3f9b8c",
    "swmc": "#b05fb0",
    "mvgl": "#7a9a3a",
    "mvsc": "#4f9f5b",
    "rdekm": "#b5697f",
    "smsc": "#5f8fb0",
    "amgl": "#9a6f4e",
    "mlan": "#cf5f86",
    "rmsc": "#6c7fd0",
    "sfmc": "#1f9e9e",
    "csmsc": "#b0773f",
    "etlmsc": "#8a6bd1",
    "tbgl": "#c4554d",
    "gmc": "#4d7c8a",
    "snf": "#8c8f3f",
    "wnn-leiden": "#5d5fa8",
    "fpmvs-cag": "#4a7f9e",
    "fpmvs-cag-first": "#77a3bc",
    "opmc": "#6f8f4a",
    "udbgl": "#b08a5a",
    "fastmice": "#4a86a8",
    "lmvsc": "#8c8a3a",
}
SPARE = ("#4c8c4a", "#b4623f", "#5a76c4", "#a8568f", "#8a8a2e", "#3c93a6")

#: Twelve clusters differ in colour; for more, colours repeat with other marks.
CLUSTERS = (
    *("#2f7de1", "#d9622b", "#4f9f5b", "#b05fb0", "#c29a2e", "#1f9e9e"),
    *("#cf5f86", "#7a9a3a", "#6c7fd0", "#9a6f4e", "#7f8790", "#c4554d"),
)
MARKS = ("o", "s", "^", "D", "v", "P")


def colour_of(method: str) -> str:
    """Return the colour of a method, as ``#rrggbb``; unknown names get a fixed one too.

    A method with the settings of its publication, ``"mgl (paper)"``, has a paler one.

    Examples
    --------
    >>> from mvgraph.display import colour_of
    >>> colour_of("mgl"), colour_of("mine") == colour_of("mine")
    ('#d9622b', True)
    """
    name, _, more = method.partition(" ")
    spare = SPARE[sha256(name.encode()).digest()[0] % len(SPARE)]
    colour = COLOURS.get(name, spare)
    return _dull(colour) if "paper" in more else colour


def _dull(colour: str) -> str:
    """Mix a colour with as much grey."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{(part + 0x80) // 2:02x}" for part in parts)


def axes(ax: Any, **size: Any) -> Any:
    """Return the axes to draw on, new ones if none are given."""
    if ax is not None:
        return ax
    return figure(**size)[1]


def figure(*shape: int, **options: Any) -> Any:
    """Return a new figure and its axes; matplotlib is imported here only."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(EXTRA) from error
    return plt.subplots(*shape, layout="constrained", **options)
