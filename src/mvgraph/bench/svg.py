"""Charts as inline SVG: no script and no network; colours follow the page's theme.

Marks with a description carry it in ``data-tip``; the page shows it on hover, or when
the mark is reached with the arrow keys.
"""

from __future__ import annotations

import math
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import numpy as np

__all__ = ["Frame", "chart", "mark", "png", "text"]

WIDTH = 460


def chart(title: str, about: str, height: float, body: Iterable[str]) -> str:
    """Wrap marks into an image with a name and a description for screen readers."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" tabindex="0" '
        f'aria-label="{escape(title)}. {escape(about)}">{"".join(body)}</svg>'
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Write words at a point."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">'
        f"{escape(words)}</text>"
    )


def mark(
    shape: str, x: float, y: float, size: float, colour: str, tip: str, extra: str = ""
) -> str:
    """Draw a dot, ring, square, diamond or triangle with a description."""
    style = f'data-tip="{escape(tip)}" {extra}' if tip else extra
    fill = f'fill="{colour}"'
    if shape == "ring":
        fill = f'fill="none" stroke="{colour}" stroke-width="2"'
    if shape in ("dot", "ring"):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {fill} {style}/>'
    corners = {
        "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        "triangle": ((0, -1.3), (1.2, 1), (-1.2, 1)),
        "down": ((0, 1.3), (1.2, -1), (-1.2, -1)),
        "bar": ((-1.4, -0.6), (1.4, -0.6), (1.4, 0.6), (-1.4, 0.6)),
    }[shape]
    points = " ".join(f"{x + size * a:.1f},{y + size * b:.1f}" for a, b in corners)
    return f'<polygon points="{points}" {fill} {style}/>'


def line(points: Iterable[tuple[float, float]], colour: str, extra: str = "") -> str:
    """Draw a line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
        f"{extra}/>"
    )


class Frame:
    """Axes: map numbers to positions in the picture.

    Parameters
    ----------
    x, y : (low, high)
    height : float
    left : float
        Space for the labels of the y axis.
    logx, logy : bool
    below : float
        Space for the labels of the x axis.
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        height: float = 280,
        left: float = 52,
        logx: bool = False,
        logy: bool = False,
        below: float = 44,
    ) -> None:
        self.height, self.left = height, left
        self.right, self.top, self.bottom = WIDTH - 12.0, 12.0, height - below
        self.logx, self.logy = logx, logy
        self.xs = _scale(x, (left, self.right), logx)
        self.ys = _scale(y, (self.bottom, self.top), logy)
        self.xticks = _log_ticks(*x) if logx else _ticks(*x)
        self.yticks = _log_ticks(*y) if logy else _ticks(*y)

    def axes(self, xlabel: str, ylabel: str = "", rows: bool = True) -> list[str]:
        """Draw grid, ticks and labels."""
        out = []
        for value in self.xticks:
            x = self.xs(value)
            out.append(_rule(x, self.top, x, self.bottom))
            out.append(text(x, self.bottom + 18, tick(value), "tick", "middle"))
        for value in self.yticks if rows else ():
            y = self.ys(value)
            out.append(_rule(self.left, y, self.right, y))
            out.append(text(self.left - 6, y + 4, tick(value), "tick", "end"))
        middle = (self.left + self.right) / 2
        out.append(text(middle, self.height - 6, xlabel, "label", "middle"))
        if ylabel:
            y = (self.top + self.bottom) / 2
            out.append(
                f'<text transform="translate(13 {y:.0f}) rotate(-90)" class="label" '
                f'text-anchor="middle">{escape(ylabel)}</text>'
            )
        return out


def tick(value: float) -> str:
    """Format a number of an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1e5 or abs(value) < 1e-3:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e\N{MINUS SIGN}")
    return f"{value:g}"


def png(image: np.ndarray, colour: str) -> str:
    """Encode grey levels as a data URI: one colour, with the level as its opacity.

    The picture is then visible on light and on dark backgrounds.
    """
    levels, index = np.unique(image, return_inverse=True)
    rgb = bytes.fromhex(colour[1:])
    rows = index.reshape(image.shape).astype(np.uint8)
    lines = np.hstack([np.zeros((len(rows), 1), np.uint8), rows])
    head = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 3, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            _part(b"IHDR", head),
            _part(b"PLTE", rgb * len(levels)),
            _part(b"tRNS", levels.astype(np.uint8).tobytes()),
            _part(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _part(b"IEND", b""),
        ]
    )
    return "data:image/png;base64," + b64encode(data).decode()


def _part(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="grid"/>'
    )


def _scale(
    domain: tuple[float, float], place: tuple[float, float], log: bool
) -> Callable[[float], float]:
    low, high = (math.log10(v) for v in domain) if log else domain
    width = (high - low) or 1.0

    def to_place(value: Any) -> float:
        v = math.log10(value) if log else value
        return place[0] + (v - low) / width * (place[1] - place[0])

    return to_place


def _ticks(low: float, high: float) -> list[float]:
    span = (high - low) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 4))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= 6)
    first = math.ceil(low / step - 1e-9)
    count = math.floor((high - first * step) / step + 1e-9)
    return [round((first + i) * step, 10) for i in range(count + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    step = max(1, math.ceil(len(powers) / 7))
    found = [10.0**p for p in powers if low * 0.999 <= 10.0**p <= high * 1.001][::step]
    if len(found) >= 3:
        return found
    more = [m * 10.0**p for p in powers for m in (1, 2, 5)]
    return [v for v in more if low * 0.999 <= v <= high * 1.001] or [low, high]
