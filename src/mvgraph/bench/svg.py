"""Displays as SVG inside the page: small, with names, and in the colours of the theme.

Matplotlib draws; its file is then made part of the page. Inks become variables of the
style sheet, style attributes become attributes of their own (a strict policy of the
page forbids the former), and marks get their descriptions as ``data-tip``: the page
shows it on hover, or when the mark is reached with the arrow keys.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from mvgraph.display._display import Display

__all__ = ["draw"]

#: Inks that no picture uses, and what they become.
INK, SOFT, RULE = "#010203", "#010204", "#010205"
VARIABLES = {INK: "var(--ink)", SOFT: "var(--soft)", RULE: "var(--rule)"}
#: One dot of the picture is one of the screen, or a little more.
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mvgraph",
    "font.family": "DejaVu Sans",
    "text.parse_math": False,  # names of files and views are no formulas
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "text.color": INK,
    "axes.titlecolor": INK,
    "axes.labelcolor": SOFT,
    "xtick.color": RULE,
    "xtick.labelcolor": SOFT,
    "ytick.color": RULE,
    "ytick.labelcolor": INK,
    "axes.edgecolor": RULE,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
}
#: Presentation attributes worth keeping; the rest are defaults or in the style sheet.
KEPT = {
    *("fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width"),
    *("stroke-dasharray", "stroke-dashoffset", "text-anchor", "font-size"),
}
TAG = re.compile(r"\{.*?\}")
SPACE = re.compile(r"\s+")
#: Control characters, which names in files may hold and XML may not.
FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: More digits than a screen has dots.
NUMBER = re.compile(r"-?\d+\.\d{2,}")


def draw(
    display: Display,
    key: str,
    plot: Callable[[Any], Any] | None = None,
    about: str = "",
) -> str:
    """Draw a display, and return it as an element of the page.

    Parameters
    ----------
    display : Display
    key : str
        Unique on the page: prefix of the ids within the picture.
    plot : callable, optional
        Method of the display that draws another of its pictures.
    about : str, optional
        What that picture shows.

    Returns
    -------
    str
        An ``svg`` element with role, name and description.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    about = about or display.about
    with rc_context(SETTINGS):
        figure = Figure(figsize=display.size, layout="constrained")
        (plot or display.plot)(figure.subplots())
        words = _name_marks(figure)
        text = _save(figure)
        title = display.ax_.get_title(loc="left") or about
    root = ElementTree.fromstring(FORBIDDEN.sub("", text))
    return _to_page(root, key, title, about, words)


def _save(figure: Any) -> str:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # the browser has fonts for letters that matplotlib's does not know
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(buffer, format="svg", dpi=144, metadata={"Date": None})
    return buffer.getvalue().decode()


def _name_marks(figure: Any) -> dict[str, list[str]]:
    """Give artists with descriptions an id, by which their marks are found again."""
    found = {}
    artists = figure.findobj(lambda artist: "mvgraph_words" in vars(artist))
    for i, artist in enumerate(artists):
        artist.set_gid(f"marks-{i}")
        found[f"marks-{i}"] = artist.mvgraph_words
    return found


def _to_page(
    root: Any, key: str, title: str, about: str, words: dict[str, list[str]]
) -> str:
    for element in root.iter():
        element.tag = TAG.sub("", element.tag)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style", "clipPath"):
                parent.remove(child)
    for group in root.iter("g"):
        if group.get("id") in words:
            _describe(group, words[group.get("id")])
    for element in root.iter():
        _clean(element, key)
    box = root.get("viewBox")
    root.attrib.clear()
    root.set("viewBox", box)
    root.set("role", "img")
    root.set("tabindex", "0")
    root.set("aria-label", f"{title}. {about}" if title != about else about)
    return FORBIDDEN.sub("", ElementTree.tostring(root, encoding="unicode"))


def _describe(group: Any, words: list[str]) -> None:
    """Attach descriptions to the marks of an artist: its uses, or else its paths."""
    defined = {path for defs in group.iter("defs") for path in defs.iter("path")}
    paths = [path for path in group.iter("path") if path not in defined]
    for marks in (list(group.iter("use")), paths):
        if len(marks) == len(words):
            for mark, tip in zip(marks, words, strict=True):
                mark.set("data-tip", tip)
            return


def _clean(element: Any, key: str) -> None:
    """Keep the attributes that the page needs, in the form that it needs."""
    given = dict(element.attrib)
    element.attrib.clear()
    for name, value in _style(given.pop("style", "")):
        element.set(name, VARIABLES.get(value, value))
    for long, value in given.items():
        name = TAG.sub("", long)
        if name == "clip-path" or (name == "id" and element.tag in ("g", "image")):
            continue
        element.set(name, _value(name, value, key))
    if not (element.text or "").strip():
        element.text = None
    element.tail = None


def _style(text: str) -> list[tuple[str, str]]:
    found = []
    for part in filter(None, text.split(";")):
        name, value = (side.strip() for side in part.split(":", 1))
        if name == "font":
            name, value = "font-size", re.findall(r"[\d.]+px", value)[0]
        if name in KEPT:
            found.append((name, value))
    return found


def _value(name: str, value: str, key: str) -> str:
    if name == "href" and value.startswith("#"):
        return f"#{key}-{value[1:]}"
    if name == "id":
        return f"{key}-{value}"
    if name in ("d", "x", "y"):
        return SPACE.sub(" ", NUMBER.sub(_rounded, value).strip())
    return VARIABLES.get(value, value)


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
