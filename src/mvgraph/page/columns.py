"""The columns that a page shows of every sample: features that matter, and others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.markers import Profile
from mvgraph.page.packing import MISSING, quantise
from mvgraph.views.container import Views

NUMBER, CATEGORY, TEXT = "number", "category", "text"
#: Features in the heat map, at most: more than fit beside each other on a screen.
MOST_FEATURES = 40
#: Largest difference from which a feature is worth a column, if so many others are.
SMALL, FEWEST = 0.3, 6
#: Categories that are coloured one by one; the rest are "others".
MOST_CATEGORIES = 100
#: Letters of a category or a text that are shown.
LONGEST = 160
#: Dates, which are shown as they were written and are no categories.
DAY = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4}")
#: Letters of all texts of a column, of each at least, and such columns at most.
TEXT_LETTERS, SHORTEST, MOST_TEXTS = 1_000_000, 20, 2
#: Words that are as many as this share of the samples are texts, no categories.
MOSTLY_DIFFERENT = 0.5
#: Columns that are shown beside the features, at most.
MOST_GIVEN = 24


class Column(NamedTuple):
    """One column of the drawn samples, a byte a sample."""

    name: str
    view: str  # empty: no view holds it
    kind: str
    codes: np.ndarray  # empty for texts
    low: float = 0.0
    high: float = 0.0
    values: list[Any] | None = None  # exact numbers, the categories, or the texts


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
    clear = [one for one in ranked if -one[1] >= SMALL]
    ranked = clear if len(clear) >= FEWEST else ranked
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


def given_columns(columns: Mapping[str, np.ndarray], rows: np.ndarray) -> list[Column]:
    """Take columns that are in no view: numbers, words as categories, texts."""
    found: list[Column] = []
    for name, x in list(columns.items())[:MOST_GIVEN]:
        cells = x[rows]
        if cells.dtype.kind in "iuf":
            found.append(Column(name, "", NUMBER, *quantise(cells)))
        elif cells.dtype.kind == "M":
            days = cells.astype("datetime64[D]").astype(str)
            found.append(_words(name, np.where(days == "NaT", "", days)))
        else:
            found.append(_words(name, cells))
    texts = [column for column in found if column.kind == TEXT][MOST_TEXTS:]
    return [column for column in found if not any(column is one for one in texts)]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _words(name: str, cells: np.ndarray) -> Column:
    """Give words codes, the most frequent first; rare ones share one."""
    words = np.array(
        ["" if c is None or c != c else _shortened(str(c)) for c in cells.tolist()],
        dtype=object,
    )
    known = words != ""
    values, places = np.unique(words[known].astype(str), return_inverse=True)
    dates = len(values) > MOST_CATEGORIES and all(map(DAY.match, values.tolist()))
    if dates or len(values) > max(2, MOSTLY_DIFFERENT * known.sum()):
        most = max(SHORTEST, min(LONGEST, TEXT_LETTERS // max(len(words), 1)))
        texts = [word[:most] for word in words.tolist()]
        return Column(name, "", TEXT, np.zeros(0, np.uint8), values=texts)
    order = np.argsort(-np.bincount(places, minlength=len(values)), kind="stable")
    code = np.empty(len(values), dtype=np.int64)
    code[order] = np.minimum(np.arange(len(values)), MOST_CATEGORIES)
    codes = np.full(len(words), MISSING, dtype=np.uint8)
    codes[known] = code[places]
    shown = values[order[:MOST_CATEGORIES]].tolist()
    if len(values) > MOST_CATEGORIES:
        shown.append(f"{len(values) - MOST_CATEGORIES} others")
    return Column(name, "", CATEGORY, codes, 0.0, 0.0, shown)
