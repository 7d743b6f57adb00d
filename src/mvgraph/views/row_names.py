"""Which column of a table names its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import counted
from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns, refuse_twice
from mvgraph.views.identifiers import (
    SAID_NOTHING,
    SaidOfNames,
    are_dates,
    as_text,
    columns_called_ids,
    holes,
    is_counter,
    is_index_name,
    looks_like_names,
)
from mvgraph.views.spelling import is_feature

#: A first column of 0, 1, 2, ... of at least so many rows numbers the rows.
FEWEST_COUNTED = 10


class RowNames(NamedTuple):
    """Which column of a table names its rows, and which only looks as if it did."""

    at: int | None = None
    ids: np.ndarray | None = None
    aside: tuple[tuple[int, str], ...] = ()  # no names and no features, and why
    first: str | None = None  # a first column that may name the rows, or be a feature
    suspected: bool = False
    rest: tuple[int, ...] = ()  # where no column is called names: those that may be


def find_names(
    columns: Columns,
    said: SaidOfNames = SAID_NOTHING,
    skip: Collection[int | None] = (),
) -> RowNames:
    """Find the column that names the rows of a table.

    Parameters
    ----------
    columns : Columns
    said : SaidOfNames
        What the caller says.
    skip : collection of int
        Columns that hold classes.

    Raises
    ------
    ValueError
        Two columns have the same name, or are called like names of the samples and have
        different values.
    """
    refuse_twice(columns.where, columns.header)
    found = _names_of(columns, said, skip)
    named = found.ids is not None and not is_counter(found.ids)
    if named or set(said.ids) & {*columns.header}:
        return found
    apart = {found.at, *skip, *(i for i, _ in found.aside)}
    return found._replace(
        rest=tuple(
            i
            for i, name in enumerate(columns.header)
            if i not in apart and name not in said.column
        )
    )


def _names_of(
    columns: Columns, said: SaidOfNames, skip: Collection[int | None]
) -> RowNames:
    header = columns.header
    if len(header) + len(columns.vectors) < 2 or not header:
        return RowNames()
    called = [i for i in columns_called_ids(header, said) if i not in skip]
    own = columns.index
    if own is not None and own not in called and not set(said.ids) & {*header}:
        called = [own, *called] if header[own] not in said.column else called
    if not called:
        return _by_first_column(columns, said, skip)
    aside: list[tuple[int, str]] = []
    if set(said.ids) & {*header}:
        others = columns_called_ids(header, said._replace(ids=()))
        aside = [(i, "another column was said to name the samples")
                 for i in others if i not in called and i not in skip]  # fmt: skip
    elif len(called) > 1 and called[0] == 0 and _numbers_rows(columns):
        aside, called = [(0, "it numbers the rows")], called[1:]
    at, ids = called[0], columns.ids(called[0])
    for other in called[1:]:
        if not np.array_equal(as_text(ids), as_text(columns.ids(other))):
            raise ValueError(
                f"{columns.where}: columns {header[at]!r} and {header[other]!r} are"
                " both called like names of the samples, but their values differ. Pass"
                f" --ids {header[at]} or --ids {header[other]} to choose one of them,"
                f" or --column {header[other]} to make one a feature (in Python ids="
                " and column=)"
            )
        aside.append((other, f"it repeats {header[at]!r}"))
    return RowNames(at, ids, tuple(aside))


def _by_first_column(
    columns: Columns, said: SaidOfNames, skip: Collection[int | None]
) -> RowNames:
    """Take a first column of words; tell one that may name the rows.

    Dates cannot be features, and 0, 1, 2, ... only numbers the rows: either names them
    where there is no other table.
    """
    if 0 in skip or columns.header[0] in said.column:
        return RowNames()
    name, kind = columns.header[0], columns.kinds[0]
    if kind in (TEXT, DATE):
        ids = columns.ids(0)
        if columns.headed and is_feature(ids):
            return RowNames()
        dates = kind == DATE or are_dates(ids)
        return RowNames(0, ids, first=name if dates else None, suspected=dates)
    if kind != NUMBER:
        return RowNames()
    values = np.asarray(columns.one(0))
    if values.dtype.kind not in "iuf" or len(np.unique(values)) < len(values):
        return RowNames()
    suspected = looks_like_names(values)
    if suspected and len(values) >= FEWEST_COUNTED and is_counter(values):
        return RowNames(0, columns.ids(0), first=name, suspected=True)
    return RowNames(first=name, suspected=suspected)


def _numbers_rows(columns: Columns) -> bool:
    """Return whether the first column is an index that a program wrote: 0, 1, 2, ..."""
    if columns.kinds[0] != NUMBER or columns.index == 0:
        return False
    values = np.asarray(columns.one(0))
    whole = values.dtype.kind in "iu" or np.array_equal(values, np.rint(values))
    return whole and (is_index_name(columns.header[0]) or is_counter(values))


def without_blank_rows(
    columns: Columns, names: RowNames, others: Iterable[int]
) -> tuple[Columns, RowNames, int]:
    """Drop rows without a name and a value in some columns; return how many there are.

    Raises
    ------
    ValueError
        A row has values and no name.
    """
    at, ids = names.at, names.ids
    nameless = np.zeros(0, dtype=bool) if ids is None else holes(ids)
    if at is None or ids is None or not nameless.any():
        return columns, names, 0
    rows = np.flatnonzero(nameless)
    blocks = columns.blocks(others)
    full = np.any([_any_value(block[rows]) for block in blocks], axis=0)
    if full.any():
        row, column = int(rows[full][0]), columns.header[at]
        mark = ids[row] if isinstance(ids[row], str) and ids[row].strip() else ""
        meant = f": {mark!r} among numbers is how a missing value is written"
        units = (
            " This is the line under the header: if it holds units, delete it."
            if row == 0 and full.sum() == 1
            else ""
        )
        raise ValueError(
            f"{columns.where}: column {column!r} names the rows, but row {row} has no"
            f" name{meant if mark else ''} ({counted(int(full.sum()), 'such row')})."
            f"{units} Name every row, or declare {column!r} a feature (--column, in"
            " Python column=), or choose the column that names the samples (--ids,"
            " ids=)"
        )
    named = names._replace(ids=ids[~nameless])
    return columns.take(~nameless), named, len(rows)


def _any_value(block: Any) -> np.ndarray:
    """Return which rows have a value in any of some columns."""
    if sp.issparse(block):
        return np.diff(block.tocsr().indptr) > 0
    block = np.asarray(block).reshape(len(block), -1)
    if block.dtype.kind == "f":
        return ~np.isnan(block).all(axis=1)
    if block.dtype.kind == "O":
        return np.array([any(c is not None and c == c for c in row) for row in block])
    return np.full(len(block), block.shape[1] > 0)
