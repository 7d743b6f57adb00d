"""One view taken apart: its values, and what names its rows and its columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import counted
from mvgraph.views.columns import refuse_no_numbers
from mvgraph.views.frames import columns_of, stack_vectors
from mvgraph.views.identifiers import (
    SAID_NOTHING,
    SaidOfNames,
    columns_called_ids,
    holes,
    is_counter,
)
from mvgraph.views.joining import as_ids, refuse_repeated
from mvgraph.views.kinds import is_frame, is_series
from mvgraph.views.pairing import ARRAY, TABLE, Named
from mvgraph.views.row_names import RowNames, find_names, rows_with_names

__all__ = ["Part", "ids_of", "take_apart"]


class Part(NamedTuple):
    """One view taken apart: its values, and what names its rows and columns."""

    content: Any
    names: Named
    index: Any = None  # the index of pandas, with its names and type
    features: list[str] | None = None


def take_apart(value: Any, name: str, said: SaidOfNames = SAID_NOTHING) -> Part:
    """Take a view apart; an index that only counts rows gives way to a column."""
    if is_frame(value):
        return _part_of_frame(value, name, said)
    if isinstance(value, Mapping) and not sp.issparse(value):
        rows = [np.atleast_1d(row) for row in value.values()]
        return Part(np.array(rows), Named(name, as_ids(list(value))))
    if sp.issparse(value):
        return Part(value, Named(name, kind=ARRAY))
    ids = ids_of(value)
    if ids is None and not is_series(value):
        return Part(value, Named(name, kind=ARRAY))
    title = getattr(value, "name", None) or None
    named = Named(name, ids, ARRAY if ids is None else TABLE)
    index = None if ids is None else value.index
    cells = value.to_numpy()
    if _holds_vectors(cells):
        return Part(stack_vectors(f"View {name!r}", title or name, list(cells)),
                    named, index)  # fmt: skip
    if cells.dtype == object and hasattr(value, "isna"):
        cells = np.where(value.isna(), np.nan, cells)  # pandas.NA is no number
    features = None if title is None else [str(title)]  # a series is one feature
    return Part(cells[:, None] if cells.ndim == 1 else cells, named, index, features)


def _holds_vectors(cells: np.ndarray) -> bool:
    first = next((cell for cell in cells if cell is not None), None)
    return cells.dtype == object and isinstance(first, np.ndarray | list | tuple)


def _part_of_frame(frame: Any, name: str, said: SaidOfNames) -> Part:
    where = f"View {name!r}"
    columns = columns_of(frame, where)
    if columns.vectors:
        odd = next(iter(columns.vectors))
        raise ValueError(
            f"{where}: the cells of column {odd!r} are vectors. Remedy: pass "
            "them as a view of their own, for example numpy.stack(df[column])"
        )
    index, ids = getattr(frame, "index", None), ids_of(frame)
    names = RowNames()
    header = columns.header
    chosen = bool(set(said.ids) & {*header})
    if ids is None or chosen or _gives_way(index, ids):
        names = find_names(columns, where, said)
        leftover = not chosen and ids is not None and not is_counter(ids)
        if names.at is not None and leftover:
            _warn_of_index(name, header[names.at])
    else:
        _refuse_two(columns, where, said, str(getattr(index, "name", "") or "index"))
    apart = {names.at, *(i for i, _ in names.aside)}
    features = [i for i in range(len(header)) if i not in apart]
    refuse_no_numbers(columns, features, where)
    values = columns.numbers(features)
    if names.at is not None and names.ids is not None:
        refuse_repeated(names.ids[~holes(names.ids)], f"{where}, {header[names.at]!r},")
        ids, index = names.ids, None
        kept = rows_with_names(names.ids, [values], where, header[names.at])
        if kept is not None:
            values, ids = values[kept], names.ids[kept]
            left = counted(int((~kept).sum()), "blank row")
            warnings.warn(f"{where}: {left} without a name left out", stacklevel=2)
    named = Named(name, ids, TABLE, names.first, names.suspected, names.values)
    return Part(values, named, index, [header[i] for i in features])


def _gives_way(index: Any, ids: np.ndarray) -> bool:
    """Tell an index of whole numbers without a name, or one that counts the rows."""
    if ids.dtype.kind not in "iu":
        return False
    return getattr(index, "name", None) is None or is_counter(ids)


def _refuse_two(columns: Any, where: str, said: SaidOfNames, index: str) -> None:
    """Refuse a column that is called like names beside an index that names the rows."""
    header = ["-", *columns.header]  # the index is the first column
    other = [header[i] for i in columns_called_ids(header, said) if i]
    if other:
        raise ValueError(
            f"{where}: the index ({index!r}) names the rows, and column {other[0]!r} is"
            f" called like names, too. Remedy: ids={other[0]!r} or column={other[0]!r}"
            " of mvgraph.as_views says whether it names the rows or is a feature"
        )


def _warn_of_index(name: str, column: str) -> None:
    warnings.warn(
        f"View {name!r}: column {column!r} names the rows, and not the index of whole"
        " numbers, which has no name. Name the index if it holds the identifiers.",
        UserWarning,
        stacklevel=2,
    )


def ids_of(value: Any) -> np.ndarray | None:
    """Return the identifiers of the rows of a frame, series or mapping, or None."""
    if isinstance(value, Mapping) and not sp.issparse(value):
        return as_ids(list(value))
    index = getattr(value, "index", None)
    if index is None or callable(index) or not hasattr(value, "to_numpy"):
        return None  # lists and polars frames have no index of rows
    return np.asarray(index)
