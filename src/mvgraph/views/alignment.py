"""Views taken apart, and their rows put into one order: by identifier, not position."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import counted
from mvgraph.views.casting import is_frame, is_series
from mvgraph.views.columns import Columns, refuse_no_numbers
from mvgraph.views.frames import columns_of
from mvgraph.views.identifiers import (
    SAID_NOTHING,
    SaidOfNames,
    columns_called_ids,
    holes,
    is_counter,
)
from mvgraph.views.joining import Joint, as_ids, refuse_repeated, take_rows
from mvgraph.views.pairing import ARRAY, TABLE, Named, pair_rows
from mvgraph.views.row_names import RowNames, find_names, without_blank_rows
from mvgraph.views.shared_columns import Unnamed


class Aligned(NamedTuple):
    """Views in one order of rows."""

    values: list[Any]
    ids: np.ndarray | None
    index: Any
    features: Sequence[Sequence[str] | None]


class Part(NamedTuple):
    """One view split into its values and the names of its rows and columns."""

    content: Any
    names: Named
    index: Any = None  # the index of pandas, with its names and type
    features: list[str] | None = None


class NamedRows(NamedTuple):
    """The columns of a frame, which of them are features, and the names of its rows."""

    columns: Columns
    features: list[int]
    names: Named
    index: Any = None


def align(
    values: Sequence[Any],
    names: Sequence[str],
    join: str = "strict",
    unique: bool = True,
    said: SaidOfNames = SAID_NOTHING,
) -> Aligned:
    """Order the rows of all views as in the first view that names its rows.

    Parameters
    ----------
    values : sequence of DataFrame, Series, mapping of id to row, array or sparse matrix
        One per view. An index, or keys, name the rows; where an index only counts them,
        or there is none, the column that :mod:`mvgraph.views.columns` finds.
    names : sequence of str
        Names of the views, for the errors.
    join : {"strict", "inner", "outer"}
        strict: every view has the same identifiers, in any order; inner: keep those
        that all views have; outer: keep all, rows that a view lacks become NaN.
    unique : bool, default=True
        Reject duplicate identifiers even where only one view names its rows.
    said : SaidOfNames
        What the caller specified about the names.

    Returns
    -------
    Aligned
        ``values``, the same objects where no row had to move; ``ids`` of shape
        (n_samples,) or None if no view names its rows; ``index``, the same as an index
        of pandas if the views had one; ``features``, the names of columns by view.

    Raises
    ------
    ValueError
        Names that are missing, occur twice or do not match under strict, nothing in
        common, or a view without names where rows would have to move.

    Examples
    --------
    >>> from mvgraph.views.alignment import align
    >>> views = [{"ann": [1.0], "bob": [2.0]}, {"bob": [4.0], "ann": [3.0]}]
    >>> [v.tolist() for v in align(views, ["a", "b"]).values]
    [[[1.0], [2.0]], [[3.0], [4.0]]]
    """
    parts = [
        take_apart(value, name, said) for value, name in zip(values, names, strict=True)
    ]
    return align_parts(parts, join, unique, said)[0]


def align_parts(
    parts: Sequence[Part],
    join: str = "strict",
    unique: bool = True,
    said: SaidOfNames = SAID_NOTHING,
) -> tuple[Aligned, Joint | None]:
    """Order the rows of views that were taken apart; see `align` and `pair_rows`."""
    features = [part.features for part in parts]
    for part in parts:
        _refuse_holes(part.names)
    named = [part.names for part in parts if part.names.ids is not None]
    if unique and len({own.name for own in named}) == 1:
        refuse_repeated(named[0].ids, f"View {named[0].name!r}")
    joint = pair_rows([part.names for part in parts], join, said)
    if joint is None:
        return Aligned([part.content for part in parts], None, None, features), None
    for note in joint.notes:
        logging.getLogger("mvgraph").info(note)
    taken = [
        part.content if rows is None else take_rows(part.content, rows)
        for part, rows in zip(parts, joint.rows, strict=True)
    ]
    index = _joint_index(parts, joint)
    return Aligned(taken, joint.ids, index, features), joint


def _refuse_holes(names: Named) -> None:
    """Reject an index that does not name every row."""
    if names.ids is not None and holes(names.ids).any():
        row = int(np.flatnonzero(holes(names.ids))[0])
        raise ValueError(
            f"View {names.name!r} has rows whose id is missing (NaN), such as row"
            f" {row}; name or drop them."
        )


def _joint_index(parts: Sequence[Part], joint: Joint) -> Any:
    """Return the index of pandas of the joint order, None where a view has none."""
    indices = [part.index for part in parts if part.names.ids is not None]
    if any(index is None for index in indices):
        return None
    first, ids = indices[0], joint.ids
    if len(first) == len(ids) and np.array_equal(np.asarray(first), ids):
        return first
    whole = first.append(indices[1:])
    places = {key: i for i, key in reversed([*enumerate(whole)])}
    wanted = [places.get(key) for key in ids.tolist()]
    return None if None in wanted else whole.take(wanted)


def take_apart(value: Any, name: str, said: SaidOfNames = SAID_NOTHING) -> Part:
    """Split a view into values and names; a counting index gives way to a column."""
    if is_frame(value):
        return _part_of_frame(value, name, said)
    if isinstance(value, Mapping) and not sp.issparse(value):
        rows = [np.atleast_1d(row) for row in value.values()]
        return Part(np.array(rows), Named(name, as_ids(list(value))))
    if is_series(value):
        return _part_of_series(value, name)
    return Part(value, Named(name, kind=ARRAY))


def _part_of_series(series: Any, name: str) -> Part:
    """Split a series into values and names: one feature, or vectors."""
    title, ids = series.name or None, ids_of(series)
    columns = columns_of(series.to_frame(name=title or name), f"View {name!r}")
    named = Named(name, ids, ARRAY if ids is None else TABLE)
    index = None if ids is None else series.index
    if columns.vectors:
        (content,) = columns.vectors.values()
        return Part(content, named, index)
    refuse_no_numbers(columns, [0])
    features = None if title is None else [str(title)]
    return Part(columns.numbers([0]), named, index, features)


def _part_of_frame(frame: Any, name: str, said: SaidOfNames) -> Part:
    rows = named_rows(columns_of(frame, f"View {name!r}"), frame, name, said)
    columns = rows.columns
    if columns.vectors:
        raise ValueError(
            f"{columns.where}: the cells of column {next(iter(columns.vectors))!r} are"
            " vectors. Let mvgraph.read_columns make a view of them, or pass them as a"
            " separate view, for example numpy.stack(df[column])"
        )
    refuse_no_numbers(columns, rows.features)
    header = [columns.header[i] for i in rows.features]
    return Part(columns.numbers(rows.features), rows.names, rows.index, header)


def named_rows(
    columns: Columns, frame: Any, name: str, said: SaidOfNames = SAID_NOTHING
) -> NamedRows:
    """Separate what names the rows of a frame from its features; drop blank rows.

    Raises
    ------
    ValueError
        As `mvgraph.views.row_names.find_names`.
    """
    where, ids = columns.where, ids_of(frame)
    index: Any = None if ids is None else frame.index
    names = RowNames()
    header = columns.header
    chosen = bool(set(said.ids) & {*header})
    if ids is None or chosen or _gives_way(index, ids):
        names = find_names(columns, said)
        leftover = not chosen and ids is not None and not is_counter(ids)
        if names.at is not None and leftover:
            _warn_of_index(name, header[names.at])
    else:
        _refuse_two(header, where, said, str(index.name or "index"))
    apart = {names.at, *(i for i, _ in names.aside)}
    features = [i for i in range(len(header)) if i not in apart]
    if names.at is not None and names.ids is not None:
        title = header[names.at]
        remedy = f"Give every sample a unique name, or pass column={title!r} if it is"
        held = names.ids[~holes(names.ids)]
        refuse_repeated(held, f"{where}, {title!r},", f"{remedy} a feature")
        columns, names, n_blank = without_blank_rows(columns, names, features)
        ids, index = names.ids, None
        if n_blank:
            left = counted(n_blank, "blank row")
            warnings.warn(f"{where}: {left} without a name left out", stacklevel=2)
    unnamed = Unnamed(name, columns, names.rest) if names.rest else None
    named = Named(name, ids, TABLE, names.first, names.suspected, unnamed)
    return NamedRows(columns, features, named, index)


def _gives_way(index: Any, ids: np.ndarray) -> bool:
    """Return whether an index is unnamed whole numbers, or only counts the rows."""
    return ids.dtype.kind in "iu" and (index.name is None or is_counter(ids))


def _refuse_two(
    header: Sequence[str], where: str, said: SaidOfNames, index: str
) -> None:
    """Reject a column with a name for identifiers if the index names the rows."""
    columns = ["-", *header]  # the index is the first column
    other = [columns[i] for i in columns_called_ids(columns, said) if i]
    if other:
        raise ValueError(
            f"{where}: the index ({index!r}) names the rows, and column {other[0]!r} is"
            f" also called like names. Pass ids={other[0]!r} to mvgraph.as_views if the"
            f" column names the rows, or column={other[0]!r} if it is a feature"
        )


def _warn_of_index(name: str, column: str) -> None:
    warnings.warn(
        f"View {name!r}: the rows are named by column {column!r}, not by the index of"
        " whole numbers, which has no name. Name the index if it has the identifiers.",
        UserWarning,
        stacklevel=2,
    )


def ids_of(value: Any) -> np.ndarray | None:
    """Return the identifiers of the rows of a frame, series or mapping, or None."""
    if isinstance(value, Mapping) and not sp.issparse(value):
        return as_ids(list(value))
    if not (is_frame(value) or is_series(value)) or not hasattr(value, "iloc"):
        return None  # only pandas has an index of rows
    return np.asarray(value.index)
