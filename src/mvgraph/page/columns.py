"""The columns that a page shows of every sample: features that matter, and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.markers import Profile
from mvgraph.page.packing import MISSING, quantise
from mvgraph.views.container import Views

__all__ = ["Column", "feature_columns", "given_columns", "strongest"]

NUMBER, CATEGORY = "number", "category"
#: Features in the heat map, at most: more than fit beside each other on a screen.
MOST_FEATURES = 40
#: Categories that are coloured one by one; the rest are "others".
MOST_CATEGORIES = 100
#: Letters of a category. Longer ones are texts.
LONGEST = 120


class Column(NamedTuple):
    """One column of the drawn samples, a byte a sample."""

    name: str
    view: str  # empty: no view holds it
    kind: str
    codes: np.ndarray
    low: float = 0.0
    high: float = 0.0
    values: list[Any] | None = None  # exact numbers, or the categories


def strongest(profiles: Sequence[Profile], most: int) -> list[tuple[int, int]]:
    """Return (view, feature) that differ most, the strongest of every group in turn.

    Returns
    -------
    list of (int, int)
        Sorted by view; position of the view and number of the column.
    """
    ranked = []
    for v, own in enumerate(profiles):
        size = np.abs(own.difference)
        place = np.argsort(np.argsort(-size, axis=1, kind="stable"), axis=1)
        for f, j in enumerate(own.features.tolist()):
            if size[:, f].max() > 0:
                ranked.append((place[:, f].min(), -size[:, f].max(), v, j))
    return sorted((v, j) for *_, v, j in sorted(ranked)[:most])


def feature_columns(
    sample: Views, chosen: Sequence[tuple[int, int]], names: Mapping[str, Any]
) -> list[Column]:
    """Take features of the drawn samples."""
    found = []
    for v, j in chosen:
        view, x = sample.names[v], sample.arrays[v][:, [j]]
        values = np.asarray(x.toarray() if sp.issparse(x) else x, dtype=float).ravel()
        if sample.mask is not None:
            values[~sample.mask[:, v]] = np.nan
        name = str(names[view][j]) if view in names else f"{view} {j}"
        found.append(Column(name, view, NUMBER, *quantise(values)))
    return found


def given_columns(columns: Mapping[str, Any], rows: np.ndarray) -> list[Column]:
    """Take columns that are in no view: numbers, or words as categories."""
    found = []
    for name, x in columns.items():
        cells = np.asarray(x)[rows]
        if cells.dtype.kind in "biuf" and cells.dtype.kind != "b":
            found.append(Column(str(name), "", NUMBER, *quantise(cells)))
        else:
            found.append(_categories(str(name), cells))
    return found


def _categories(name: str, cells: np.ndarray) -> Column:
    """Give words codes, the most frequent first; rare ones share one."""
    words = np.array(
        ["" if c is None or c != c else str(c)[:LONGEST] for c in cells.tolist()],
        dtype=object,
    )
    known = words != ""
    values, places = np.unique(words[known].astype(str), return_inverse=True)
    order = np.argsort(-np.bincount(places, minlength=len(values)), kind="stable")
    code = np.empty(len(values), dtype=np.int64)
    code[order] = np.minimum(np.arange(len(values)), MOST_CATEGORIES)
    codes = np.full(len(words), MISSING, dtype=np.uint8)
    codes[known] = code[places]
    shown = values[order[:MOST_CATEGORIES]].tolist()
    if len(values) > MOST_CATEGORIES:
        shown.append(f"{len(values) - MOST_CATEGORIES} others")
    return Column(name, "", CATEGORY, codes, 0.0, 0.0, shown)
