"""Data sets by name or by path, and what is in them: what commands take as DATA."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Entry(NamedTuple):
    """A data set that comes with the package or is generated."""

    kind: str
    about: str
    open: Callable[[], Any]


def _digits() -> Any:
    from mvgraph import datasets

    return datasets.load_digits_views()


def _ambiguous() -> Any:
    from mvgraph import datasets

    return datasets.make_ambiguous_views(1000)


def _misleading() -> Any:
    from mvgraph import datasets

    return datasets.make_misleading_view(1000)


BUILT_IN = {
    "digits": Entry(
        "bundled",
        "1797 handwritten digits of scikit-learn, several descriptors, 10 classes",
        _digits,
    ),
    "ambiguous": Entry(
        "generated",
        "1000 samples; every view confuses some classes, together they tell all apart",
        _ambiguous,
    ),
    "misleading": Entry(
        "generated",
        "1000 samples; one view shows clear clusters that contradict the others",
        _misleading,
    ),
}


def open_data(
    data: str,
    key_map: dict[str, Any] | None = None,
    orientation: str | None = None,
    join: str = "strict",
) -> Any:
    """Open a file or folder, else a built-in or fetched data set of that name."""
    if is_built_in(data):
        return BUILT_IN[data].open()
    from mvgraph import datasets

    return datasets.load(_path(data), key_map, orientation=orientation, join=join)


def describe(
    data: str,
    key_map: dict[str, Any] | None = None,
    orientation: str | None = None,
    join: str = "strict",
) -> dict[str, Any]:
    """Describe a file (see `datasets.info`) or a built-in data set, ready for JSON."""
    if not is_built_in(data):
        from mvgraph import datasets

        return datasets.info(_path(data), key_map, orientation=orientation, join=join)
    views, labels, name = BUILT_IN[data].open()[:3]
    values, counts = np.unique(labels, return_counts=True)
    pairs = zip(views.names, views.arrays, strict=True)
    return {
        "name": name,
        "format": BUILT_IN[data].kind,
        "n": views.n_samples,
        "k": len(values),
        "label_counts": {str(y): int(n) for y, n in zip(values, counts, strict=True)},
        "views": [_describe_view(*pair) for pair in pairs],
    }


def is_built_in(data: str) -> bool:
    """Tell names from paths; a file of that name goes first.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if not data.strip():
        raise ValueError("DATA is empty; name a file, a folder or a built-in data set")
    if Path(data).exists():
        return False
    if data not in BUILT_IN and not _is_published(data):
        raise ValueError(
            f"there is no file or folder {data!r}; check the path, "
            f"or use a built-in data set: {', '.join(BUILT_IN)} "
            "(or one of mvgraph datasets fetch)"
        )
    return data in BUILT_IN


def _is_published(data: str) -> bool:
    from mvgraph import datasets

    return data in datasets.registry()


def _path(data: str) -> Path:
    """Return the path of a file, or of a published file in the cache."""
    if Path(data).exists():
        return Path(data)
    from mvgraph import datasets

    try:
        return datasets.fetch(data, offline=True)
    except FileNotFoundError as error:
        raise ValueError(
            f"{data} is not fetched yet: mvgraph datasets fetch {data}"
        ) from error


def _describe_view(name: str, x: np.ndarray) -> dict[str, Any]:
    return {
        "name": name,
        "shape": x.shape,
        "stored": str(x.dtype),
        "nonzero_fraction": np.count_nonzero(x) / x.size,
    }
