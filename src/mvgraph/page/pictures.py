"""Pictures of samples: arrays of pixels, or files that a column names."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.display._display import data_uri

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
#: Pixels of the longer side, and quality: about 2 kB each.
SIDE, QUALITY = 72, 72
#: Bytes of all pictures of a page.
MOST_BYTES = 2_500_000
#: Cells that are tried before a column counts as one of pictures.
TRIED = 20
#: Pixels of a picture that is opened, at most: more is a mistake, or an attack.
MOST_PIXELS = 50_000_000


def thumbnails(
    columns: Mapping[str, np.ndarray], folder: Path, rows: Sequence[int]
) -> tuple[str, dict[int, str]]:
    """Read small copies of the pictures that a column of the samples names.

    Parameters
    ----------
    columns : mapping of str to ndarray
    folder : Path
        Of the data. Files outside of it are not read.
    rows : sequence of int
        Samples that need a picture, most important first.

    Returns
    -------
    (str, dict of int to str)
        Name of the column, empty if there is none; by row a ``data:`` URI.
    """
    for name, cells in columns.items():
        if cells.dtype.kind in "OUS" and _names_pictures(cells, folder):
            return name, _read(cells, folder, rows)
    return "", {}


def _names_pictures(cells: np.ndarray, folder: Path) -> bool:
    filled = [str(c) for c in cells[: 10 * TRIED].tolist() if c][:TRIED]
    named = [c for c in filled if c.lower().endswith(ENDINGS)]
    return len(named) > len(filled) / 2 and any(_inside(c, folder) for c in named)


def _inside(cell: str, folder: Path) -> Path | None:
    """Return the path of a file below the folder, links followed; else None."""
    try:
        path = (folder / cell).resolve()
        inside = path.is_relative_to(folder.resolve()) and path.is_file()
        return path if inside else None
    except (OSError, ValueError):
        return None


def _read(cells: np.ndarray, folder: Path, rows: Sequence[int]) -> dict[int, str]:
    paths = ((row, _inside(str(cells[row]), folder)) for row in dict.fromkeys(rows))
    return _first((row, _small(path) if path else None) for row, path in paths)


def pictures_of_pixels(x: np.ndarray, listed: Sequence[int]) -> dict[int, str]:
    """Return small pictures of some samples, of (n, height, width) or with channels."""
    from PIL import Image

    scale = 1 if x.dtype == np.uint8 else 255 / max(float(x.max()), 1e-12)
    pixels = ((i, np.round(x[i] * scale).astype(np.uint8)) for i in listed)
    return _first((i, _encoded(Image.fromarray(own))) for i, own in pixels)


def _first(pictures: Iterable[tuple[int, str | None]]) -> dict[int, str]:
    """Keep the first pictures, as far as there is room for them."""
    found: dict[int, str] = {}
    for i, uri in pictures:
        found |= {i: uri} if uri else {}
        if sum(map(len, found.values())) > MOST_BYTES:
            break
    return found


def _small(path: Path) -> str | None:
    """Return a small copy of a picture, None if it cannot be read."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            picture.draft("RGB", (2 * SIDE, 2 * SIDE))
            return _encoded(picture)
    except Exception:  # damaged files fail in many ways
        return None


def _encoded(picture: Any) -> str:
    small = picture.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    return data_uri("image/jpeg", buffer.getvalue())
