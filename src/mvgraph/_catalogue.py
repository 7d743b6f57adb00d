"""Data sets by name or by path, and what is in them: what commands take as DATA."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp


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
    data: str, key_map: dict[str, Any] | None = None, orientation: str | None = None
) -> Any:
    """Open a file or folder, or a built-in data set if no such file exists."""
    if not Path(data).exists() and data in BUILT_IN:
        return BUILT_IN[data].open()
    from mvgraph import datasets

    if not Path(data).exists():
        names = ", ".join(BUILT_IN)
        raise ValueError(
            f"there is no file or folder {data!r}; check the path, "
            f"or use a built-in data set: {names}"
        )
    return datasets.load(data, key_map=key_map, orientation=orientation)


def describe(dataset: Any) -> dict[str, Any]:
    """Summarise a data set: sizes, views, classes; ready for JSON."""
    views = dataset.views
    pairs = zip(views.names, views.arrays, strict=True)
    return {
        "data": dataset.name,
        "n": views.n_samples,
        "views": [_describe_view(views, v, *pair) for v, pair in enumerate(pairs)],
        "ids": dataset.ids is not None,
        "classes": _class_sizes(dataset.labels),
    }


def _describe_view(views: Any, v: int, name: str, x: Any) -> dict[str, Any]:
    nonzero = x.count_nonzero() if sp.issparse(x) else int(np.count_nonzero(x))
    return {
        "name": name,
        "features": int(x.shape[1]),
        "dtype": str(x.dtype),
        "sparse": bool(sp.issparse(x)),
        "nonzero": nonzero / (x.shape[0] * x.shape[1]),
        "absent": 0 if views.mask is None else int((~views.mask[:, v]).sum()),
    }


def _class_sizes(labels: Any) -> list[int] | None:
    if labels is None:
        return None
    return [int(n) for n in np.unique(np.asarray(labels), return_counts=True)[1]]
