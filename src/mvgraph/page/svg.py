"""Displays as SVG inside the page: small, with names, and in the colours of the theme.

Matplotlib draws; its file is then made part of the page. Inks become variables of the
style sheet, style attributes become separate attributes (the policy of the page forbids
the former), and marks get their descriptions as ``data-tip``: the page shows it on
hover, or when the mark is reached with the arrow keys.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from mvgraph.display._display import EDITABLE, STYLE, Display
from mvgraph.ops.escaping import visible

#: Inks that no picture uses, and what they become.
INK, SOFT, RULE = "#010203", "#010204", "#010205"
VARIABLES = {INK: "var(--ink)", SOFT: "var(--soft)", RULE: "var(--rule)"}
#: A dot of the picture is one of the screen, or a little more.
SETTINGS: Any = {
    **STYLE,
    **EDITABLE,
    **dict.fromkeys(("text.color", "axes.titlecolor", "ytick.labelcolor"), INK),
    "legend.labelcolor": INK,
    **dict.fromkeys(("axes.labelcolor", "xtick.labelcolor"), SOFT),
    **dict.fromkeys(("xtick.color", "ytick.color"), RULE),
    **dict.fromkeys(("axes.edgecolor", "grid.color"), RULE),
    **{f"{part}.facecolor": "none" for part in ("axes", "figure", "savefig")},
}
#: Presentation attributes worth keeping; the rest are defaults or in the style sheet.
KEPT = {
    *("fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width"),
    *("stroke-dasharray", "stroke-dashoffset", "text-anchor", "font-size"),
    "font-weight",
}
NAMESPACE = re.compile(r"\{.*?\}")
DECLARATION = re.compile(r"([\w-]+): *([^;]+)")
#: More digits than a screen has dots.
NUMBER = re.compile(r"-?\d+\.\d{2,}")


def draw(
    display: Display,
    key: str,
    plot: Callable[[Any], Any] | None = None,
    about: str = "",
    size: tuple[float, float] | None = None,
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
    size : (float, float), optional
        Width and height of that picture, in inches.

    Returns
    -------
    str
        An ``svg`` element with role, name and description.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    about = about or display.about
    # the salt makes the ids within the picture unique on the page
    with rc_context({**SETTINGS, "svg.hashsalt": key}):
        figure = Figure(figsize=size or display.size, layout="constrained")
        if plot is None:
            display.plot(display._panels(figure))
        else:
            plot(figure.subplots())
        words = _name_marks(figure)
        root = ElementTree.fromstring(visible(_save(figure)))
    for element in list(root.iter()):
        element.tag = NAMESPACE.sub("", element.tag)
        for child in list(element):
            if NAMESPACE.sub("", child.tag) in ("metadata", "style", "clipPath"):
                element.remove(child)
    for group in root.iter("g"):
        if group.get("id") in words:
            _describe(group, words[group.get("id", "")])
    for element in root.iter():
        _clean(element)
    title = display.ax_.get_title(loc="left")
    label = f"{title}. {about}" if title else about
    shown = {"role": "img", "tabindex": "0", "aria-label": label}
    width = 1.45 * float(root.attrib["viewBox"].split()[2])  # of points in pixels
    root.attrib = {"viewBox": root.attrib["viewBox"], "width": f"{width:.0f}", **shown}
    return visible(ElementTree.tostring(root, encoding="unicode"))


def _save(figure: Any) -> str:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # the browser has fonts for letters that matplotlib's does not have
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(buffer, format="svg", dpi=144, metadata={"Date": None})
    return buffer.getvalue().decode()


def _name_marks(figure: Any) -> dict[str, list[str]]:
    """Give artists with descriptions an id, by which their marks are found again."""
    artists = figure.findobj(lambda artist: "mvgraph_words" in vars(artist))
    for i, artist in enumerate(artists):
        artist.set_gid(f"marks-{i}")
    return {artist.get_gid(): artist.mvgraph_words for artist in artists}


def _describe(group: Any, words: list[str]) -> None:
    """Attach descriptions to the marks of an artist: its uses, or else its paths."""
    defined = {path for defs in group.iter("defs") for path in defs.iter("path")}
    paths = [path for path in group.iter("path") if path not in defined]
    for marks in (list(group.iter("use")), paths):
        if len(marks) == len(words):
            for mark, tip in zip(marks, words, strict=True):
                mark.set("data-tip", tip)
            return


def _clean(element: Any) -> None:
    """Keep the attributes that the page needs, in the form that it needs."""
    attributes = {NAMESPACE.sub("", k): v for k, v in element.attrib.items()}
    for name, value in DECLARATION.findall(attributes.pop("style", "")):
        if name == "font":
            if value.startswith(("bold", "700")):
                attributes["font-weight"] = "bold"
            name, value = "font-size", re.findall(r"[\d.]+px", value)[0]
        if name in KEPT:
            attributes.setdefault(name, value.strip())
    attributes.pop("clip-path", None)
    if element.tag in ("g", "image"):
        attributes.pop("id", None)
    for name in attributes.keys() & {"d", "x", "y"}:
        short = NUMBER.sub(lambda m: f"{float(m[0]):.2f}", attributes[name])
        attributes[name] = " ".join(short.split())
    element.attrib = {k: VARIABLES.get(v, v) for k, v in attributes.items()}
    element.text = element.text if (element.text or "").strip() else None
    element.tail = None
