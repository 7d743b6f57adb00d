"""One colour a group, at every level."""

from __future__ import annotations

import numpy as np

from mvgraph.display._colours import CLUSTERS
from mvgraph.page.levels import Level

#: Hues of `CLUSTERS`, in degrees of OKLCH, for shades of them.
HUES = (255, 50, 150, 345, 100, 300, 200, 20, 125, 275, 75, 325)
#: Golden angle: hues of any number of groups are far apart.
GOLDEN = 137.508
#: Lightness of OKLCH: 3 to 1 against white and against near-black.
LIGHT = (0.62, 0.55, 0.65)
CHROMA = 0.15
#: Steps of lightness of the parts of a group.
SHADES = (0.0, 0.09, -0.08, 0.045, -0.04)


def colours_of(levels: list[Level], base: int) -> dict[int, str]:
    """Return the colour of every number: its own at the base, else a shade of that.

    A group that splits gives its colour to the part that keeps its number, and shades
    of it to the others.
    """
    own = levels[base]
    found = {number: _own(number) for number in own.numbers}
    parts: dict[int, int] = {}
    for level in levels:
        for g, number in enumerate(level.numbers):
            if number in found:
                continue
            inside = own.codes[level.codes == g]
            parent = own.numbers[int(np.bincount(inside).argmax())]
            parts[parent] = parts.get(parent, 0) + 1
            found[number] = _own(parent, parts[parent])
    return found


def _own(i: int, shade: int = 0) -> str:
    if i < len(CLUSTERS) and not shade:
        return CLUSTERS[i]
    hue = HUES[i] if i < len(HUES) else (HUES[0] + i * GOLDEN) % 360
    lightness = LIGHT[(i // len(HUES) + (i % 2 if i >= len(HUES) else 0)) % len(LIGHT)]
    lightness += SHADES[shade % len(SHADES)]
    return _hex(lightness, CHROMA, hue + 9 * (shade // len(SHADES)))


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour of OKLCH as #rrggbb, with less chroma where the screen ends."""
    for part in np.linspace(1, 0, 21):
        rgb = _linear(lightness, chroma * part, np.deg2rad(hue))
        if (rgb >= -1e-4).all() and (rgb <= 1 + 1e-4).all():
            break
    rgb = np.clip(rgb, 0, 1)
    rgb = np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * c):02x}" for c in rgb)


def _linear(lightness: float, chroma: float, hue: float) -> np.ndarray:
    """Ottosson, "A perceptual color space for image processing", 2020."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    to_lms = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
         [1, -0.0894841775, -1.2914855480]]
    )  # fmt: skip
    to_rgb = np.array(
        [[4.0767416621, -3.3077115913, 0.2309699292],
         [-1.2684380046, 2.6097574011, -0.3413193965],
         [-0.0041960863, -0.7034186147, 1.7076147010]]
    )  # fmt: skip
    return np.asarray(to_rgb @ (to_lms @ np.array([lightness, a, b])) ** 3)
