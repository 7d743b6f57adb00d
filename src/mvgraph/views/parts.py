"""One view taken apart: its values, and what names its rows and its columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.views.columns import refuse_no_numbers
from mvgraph.views.frames import columns_of, is_frame
from mvgraph.views.identifiers import is_counter, named_by_shape

__all__ = ["Part", "as_ids", "ids_of", "name_by_shape", "take_apart"]


class Part(NamedTuple):
    """One view taken apart: its values, and what names its rows and columns."""

    content: Any
    ids: np.ndarray | None = None
    index: Any = None  # the index of pandas, with its names and type
    features: list[str] | None = None
    candidate: np.ndarray | None = None  # a first column that may name the rows
    counted: bool = False  # the library numbered the rows itself: 0, 1, 2, ...
    other_ids: tuple[str, ...] = ()  # features that look like identifiers too


def take_apart(value: Any, name: str) -> Part:
    """Take a view apart; an index that only counts rows gives way to a column."""
    if is_frame(value):
        return _part_of_frame(value, name)
    if isinstance(value, Mapping) and not sp.issparse(value):
        rows = [np.atleast_1d(row) for row in value.values()]
        return Part(np.array(rows), as_ids(list(value)))
    if sp.issparse(value):
        return Part(value)
    ids = ids_of(value)
    if ids is None:
        return Part(value)
    cells = value.to_numpy()  # a series is one feature
    if cells.dtype == object and hasattr(value, "isna"):
        cells = np.where(value.isna(), np.nan, cells)  # pandas.NA is no number
    title = getattr(value, "name", None)
    features = None if title is None else [str(title)]
    return Part(cells[:, None], ids, value.index, features)


def _part_of_frame(frame: Any, name: str) -> Part:
    columns = columns_of(frame, f"view {name!r}")
    index, ids = getattr(frame, "index", None), ids_of(frame)
    numbered = ids is not None and ids.dtype.kind in "iu"
    counted = ids is not None and numbered and is_counter(ids)
    leftover = numbered and getattr(index, "name", None) is None
    chosen = columns.find_id() if ids is None or leftover or counted else None
    if chosen is not None and leftover and not counted:
        warnings.warn(
            f"View {name!r}: column {columns.header[chosen]!r} names the rows, and not "
            "the index of whole numbers, which has no name. Name the index if it holds "
            "the identifiers.",
            UserWarning,
            stacklevel=2,
        )
    width = range(len(columns.header))
    features = [i for i in width if i != chosen]
    if columns.vectors:
        odd = next(iter(columns.vectors))
        raise ValueError(
            f"View {name!r}: the cells of column {odd!r} are vectors. Remedy: pass "
            "them as a view of their own, for example numpy.stack(df[column])"
        )
    refuse_no_numbers(columns, features, f"View {name!r}")
    candidate = None
    if chosen is not None:
        ids, index, counted = columns.ids(chosen), None, False
    elif ids is None or counted:
        candidate = columns.candidate()
    header = [columns.header[i] for i in features]
    other = columns.other_ids(features) if ids is not None and not counted else ()
    values = columns.numbers(features)
    return Part(values, ids, index, header, candidate, counted, other)


def name_by_shape(parts: list[Part], names: Sequence[str]) -> list[Part]:
    """Let first columns name rows where another view holds the same values."""
    for part, name in zip(parts, names, strict=True):
        if len(parts) > 1 and part.other_ids:
            raise ValueError(
                f"View {name!r} has a column that looks like identifiers, "
                f"{part.other_ids[0]!r}, beside those that name its rows. Remedy: make "
                "the right one the index in all views, and leave the others out."
            )
    known = [None if part.counted else part.ids for part in parts]
    chosen = named_by_shape(known, [part.candidate for part in parts])
    done = []
    for part, name, named in zip(parts, names, chosen, strict=True):
        if not named or not part.features:
            done.append(part)
            continue
        warnings.warn(
            f"View {name!r}: the first column, {part.features[0]!r}, names the rows "
            "and is no feature, since another view holds the same values. Make it the "
            "index to say so.",
            UserWarning,
            stacklevel=2,
        )
        done.append(Part(part.content[:, 1:], part.candidate, None, part.features[1:]))
    return done


def ids_of(value: Any) -> np.ndarray | None:
    """Return the identifiers of the rows of a frame, series or mapping, or None."""
    if isinstance(value, Mapping) and not sp.issparse(value):
        return as_ids(list(value))
    index = getattr(value, "index", None)
    if index is None or callable(index) or not hasattr(value, "to_numpy"):
        return None  # lists and polars frames have no index of rows
    return np.asarray(index)


def as_ids(keys: list[Any], kinds: Sequence[np.dtype] = ()) -> np.ndarray:
    """Return identifiers as a 1-D array, of the views' type if they share one."""
    ids = np.empty(len(keys), dtype=object)  # tuples stay whole
    ids[:] = keys
    letters = {kind.kind for kind in kinds}
    if len(letters) != 1 or letters == {"O"}:
        return ids
    return ids.astype(np.result_type(*kinds))
