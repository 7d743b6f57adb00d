"""The columns that a page shows of every sample: features that matter, and given ones.

Numbers are bytes, each the place of a value or a step of a range.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.markers import Profile
from mvgraph.ops.labels import is_missing
from mvgraph.ops.wording import cut
from mvgraph.views.beside import in_order_of
from mvgraph.views.casting import is_annotated, is_frame
from mvgraph.views.container import Views
from mvgraph.views.frames import columns_of

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
#: Code of a cell without a value, in a byte.
MISSING = 255
#: Share of the values below and above the range that is drawn: one value far away
#: would leave the others a single colour.
TAIL = 0.001


class Quantised(NamedTuple):
    """Numbers as bytes: code c is ``values[c]``, or ``low + c (high - low) / 254``."""

    codes: np.ndarray  # uint8, MISSING without a value
    low: float
    high: float
    values: list[float] | None  # exact, where there are few of them


def quantise(x: np.ndarray) -> Quantised:
    """Write numbers as bytes, exactly where they have at most 254 values.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.page.columns import quantise
    >>> found = quantise(np.array([2.0, np.nan, 7.0]))
    >>> found.codes.tolist(), found.values
    ([0, 255, 1], [2.0, 7.0])
    """
    x = np.asarray(x, dtype=np.float64)
    known = np.isfinite(x)
    codes = np.full(len(x), MISSING, dtype=np.uint8)
    if not known.any():
        return Quantised(codes, 0.0, 0.0, [])
    values, places = np.unique(x[known], return_inverse=True)
    if len(values) < MISSING:
        codes[known] = places
        return Quantised(codes, values[0], values[-1], values.tolist())
    low, high = np.quantile(x[known], (TAIL, 1 - TAIL))
    if low == high:
        low, high = values[0], values[-1]
    part = np.clip((x[known] - low) / (high - low), 0, 1)
    codes[known] = np.round(part * (MISSING - 1))
    return Quantised(codes, float(low), float(high), None)


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


def _words(name: str, cells: np.ndarray) -> Column:
    """Give words codes, the most frequent first; rare ones share one."""
    words = np.array(
        ["" if is_missing(c) else cut(str(c), LONGEST) for c in cells.tolist()],
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


def columns_given(metadata: Any, views: Views) -> dict[str, np.ndarray]:
    """Return columns by name, one value for every sample.

    Parameters
    ----------
    metadata : DataFrame, mapping of str to sequence, or None
        In the order of the samples. Frames and series of pandas whose index holds the
        names of the samples are put into that order.
    views : Views

    Raises
    ------
    ValueError
        A column has another number of values, or a sample has no row.
    """
    if metadata is None:
        return {}
    if is_frame(metadata):
        found = _of_frame(in_order_of(metadata, views.ids, "metadata"))
    elif isinstance(metadata, Mapping):
        found = {
            str(name): np.asarray(in_order_of(x, views.ids, f"metadata {name!r}"))
            for name, x in metadata.items()
        }
    else:
        raise TypeError(
            "metadata must be a DataFrame, or a mapping of names to columns; got "
            f"{type(metadata).__name__}."
        )
    for name, x in found.items():
        if x.shape != (len(views),):
            raise ValueError(
                f"metadata: column {name!r} has shape {x.shape}; it needs one value "
                f"for each of {len(views)} samples."
            )
    return found


def columns_of_input(X: Any, views: Views) -> dict[str, np.ndarray]:
    """Return the columns of a frame that its views do not hold as they are.

    Of an AnnData or a MuData, those of ``obs``. Several frames may name their rows in
    other orders, and are left to `metadata`.
    """
    if is_annotated(X):
        if views.ids is None or len(X.obs) != len(views):
            return {}
        return _of_frame(X.obs.loc[list(views.ids)])
    if not is_frame(X) or hasattr(X, "collect") or len(X) != len(views):
        return {}
    held = {c for own in views.feature_names for c in own or ()}
    plain = views.encoders is None
    found = _of_frame(X)
    return {k: x for k, x in found.items() if not (plain and k in held)}


def _of_frame(frame: Any) -> dict[str, np.ndarray]:
    columns = columns_of(frame, "metadata")
    return {name: columns.one(i) for i, name in enumerate(columns.header)}
