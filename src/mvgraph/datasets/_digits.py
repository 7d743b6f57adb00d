"""Five views of scikit-learn's digits, computed from the pixels: no download."""

from __future__ import annotations

import math

import numpy as np

from mvgraph.datasets.layout.report import Dataset
from mvgraph.views.container import Views

_SIDE = 8
_INK = 16.0  # largest pixel value
_ORDER = 8  # of the Zernike moments
_LOW = (0, 1, 2, 3, 4, -3, -2, -1)  # vertical frequencies
_ARROWS = "→↘↓↙←↖↑↗"  # to where it gets brighter
_HEIGHTS = ("top", "middle", "bottom")


def load_digits_views() -> Dataset:
    """Describe the 1797 digits of scikit-learn by five views.

    All views are computed from the 8 x 8 images alone, labels unused: ``pixels`` (64),
    ``fourier`` (40 magnitudes of low frequencies), ``gradients`` (72: histograms of 8
    directions in 3 x 3 overlapping cells), ``zernike`` (25 magnitudes of moments up to
    order 8, which ignore rotation) and ``profiles`` (78: row, column and diagonal sums,
    and where the ink begins from each of four sides).

    Returns
    -------
    Dataset
        Views of shape (1797, d) and labels of shape (1797,), in scikit-learn's order.

    Notes
    -----
    The images are the test part of Optical Recognition of Handwritten Digits (UCI
    Machine Learning Repository), as shipped with scikit-learn.

    Examples
    --------
    >>> from mvgraph.datasets import load_digits_views
    >>> data = load_digits_views()
    >>> data.views.names
    ('pixels', 'fourier', 'gradients', 'zernike', 'profiles')
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = digits.images / _INK
    views = {
        "pixels": images.reshape(len(images), -1),
        "fourier": fourier(images),
        "gradients": gradients(images),
        "zernike": zernike(images, order=_ORDER),
        "profiles": profiles(images),
    }
    labels = digits.target.astype(np.int64)
    names = feature_names()
    made = Views(list(views.values()), list(views), None, [names[v] for v in views])
    return Dataset(made, labels, "digits")


def feature_names() -> dict[str, list[str]]:
    """Return what every feature is, by view; rows and columns count from 1."""
    places = [f"{y} {x}" for y in _HEIGHTS for x in ("left", "centre", "right")]
    numbers, diagonals = range(1, _SIDE + 1), range(1 - _SIDE, _SIDE)
    lines = [f"{line} {i}" for line in ("row", "column") for i in numbers]
    lines += [f"{line} {k:+d}" for line in ("diagonal", "antidiagonal")
              for k in diagonals]  # fmt: skip
    sides = [f"row {i} from the {side}" for side in ("left", "right") for i in numbers]
    sides += [f"column {i} from the {side}" for side in ("top", "bottom")
              for i in numbers]  # fmt: skip
    waves = [f"wave {u:+d} down, {v} across" for u in _LOW for v in range(5)]
    orders = [(n, m) for n in range(_ORDER + 1) for m in range(n % 2, n + 1, 2)]
    return {
        "pixels": [f"pixel {r}, {c}" for r in numbers for c in numbers],
        "fourier": waves,
        "gradients": [f"edge {a} {place}" for place in places for a in _ARROWS],
        "zernike": [f"zernike {n}, {m}" for n, m in orders],
        "profiles": [f"ink in {line}" for line in lines]
        + [f"depth of {side}" for side in sides],
    }


def fourier(images: np.ndarray) -> np.ndarray:
    """Return magnitudes of the low frequencies of images padded to twice their side."""
    spectrum = np.abs(np.fft.rfft2(images, s=(2 * _SIDE, 2 * _SIDE)))
    return spectrum[:, _LOW, :5].reshape(len(images), -1)


def gradients(images: np.ndarray) -> np.ndarray:
    """Return histograms of gradient directions over 3 x 3 overlapping 4 x 4 cells.

    A gradient is shared between the two nearest directions.
    """
    n_directions = len(_ARROWS)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    down = padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    right = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]
    strength = np.hypot(down, right)
    position = np.arctan2(down, right) / (2 * np.pi) * n_directions
    directions = np.arange(n_directions)
    distance = np.abs(position[..., None] - directions) % n_directions
    distance = np.minimum(distance, n_directions - distance)
    votes = strength[..., None] * np.clip(1 - distance, 0, None)
    cells = [votes[:, r : r + 4, c : c + 4] for r in (0, 2, 4) for c in (0, 2, 4)]
    return np.concatenate([cell.sum(axis=(1, 2)) for cell in cells], axis=1)


def zernike(images: np.ndarray, order: int) -> np.ndarray:
    """Return magnitudes of the Zernike moments up to `order`, centred on the ink."""
    grid = np.arange(_SIDE) - (_SIDE - 1) / 2
    mass = images.sum(axis=(1, 2))
    centre_y = (images.sum(axis=2) @ grid / mass)[:, None, None]
    centre_x = (images.sum(axis=1) @ grid / mass)[:, None, None]
    y, x = grid[:, None] - centre_y, grid[None, :] - centre_x
    radius = np.hypot(y, x) / (_SIDE / math.sqrt(2))
    angle = np.arctan2(y, x)
    inside = images * (radius <= 1) / mass[:, None, None]
    moments = []
    for n in range(order + 1):
        for m in range(n % 2, n + 1, 2):
            weights = inside * _radial(n, m, radius)
            moment = (weights * np.exp(-1j * m * angle)).sum(axis=(1, 2))
            moments.append((n + 1) / np.pi * np.abs(moment))
    return np.stack(moments, axis=1)


def profiles(images: np.ndarray) -> np.ndarray:
    """Return sums along rows, columns and both diagonals, and four contours.

    A contour is the depth, in pixels, at which the ink begins seen from one side.
    """
    sums = [images.sum(axis=2), images.sum(axis=1)]
    offsets = range(1 - _SIDE, _SIDE)
    flipped = images[:, :, ::-1]
    for turned in (images, flipped):
        traces = [np.trace(turned, k, axis1=1, axis2=2) for k in offsets]
        sums.append(np.stack(traces, axis=1))
    upright = images.transpose(0, 2, 1)
    sides = (images, flipped, upright, upright[:, :, ::-1])
    return np.concatenate([*sums, *(_depth(side) for side in sides)], axis=1)


def _depth(images: np.ndarray) -> np.ndarray:
    ink = images > 0.25
    return np.where(ink.any(axis=2), ink.argmax(axis=2), _SIDE).astype(np.float64)


def _radial(n: int, m: int, radius: np.ndarray) -> np.ndarray:
    """Return the radial polynomial of Zernike's moment of order n, repetition m."""
    total = np.zeros_like(radius)
    for s in range((n - m) // 2 + 1):
        ways = math.factorial(s)
        ways *= math.factorial((n + m) // 2 - s) * math.factorial((n - m) // 2 - s)
        total += (-1) ** s * math.factorial(n - s) / ways * radius ** (n - 2 * s)
    return total
