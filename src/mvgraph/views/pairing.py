"""Which row of one table is which row of another: by name, else with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from shlex import quote
from typing import NamedTuple

import numpy as np

from mvgraph.views.identifiers import (
    SAID_NOTHING,
    SaidOfNames,
    is_counter,
    is_moved_counter,
)
from mvgraph.views.joining import Joint, joint_rows
from mvgraph.views.shared_columns import Shared, Unnamed, moved_columns, shared_columns

#: What a part is: with columns that have names, without, or classes alone.
TABLE, ARRAY, LABELS = "table", "array", "labels"


class Named(NamedTuple):
    """What is known about the names of the rows of one table or view."""

    name: str
    ids: np.ndarray | None = None
    kind: str = TABLE
    first: str | None = None  # a first column that may name the rows, or be a feature
    suspected: bool = False  # it looks like names by itself
    unnamed: Unnamed | None = None  # its columns, where none is called names


def pair_rows(
    parts: Sequence[Named],
    join: str = "strict",
    said: SaidOfNames = SAID_NOTHING,
    what: str = "view",
) -> Joint | None:
    """Find the rows to take from every part so that those of one sample belong.

    Returns
    -------
    Joint or None
        None where no part names its rows: they are paired by position.

    Raises
    ------
    ValueError
        A column looks like names but may be a feature; a table without names
        is next to one with names; or see `mvgraph.views.joining.joint_rows`.
    """
    if len(parts) > 1:
        _ask(parts, what)
        _ask_shared(parts, what)
    named = [part for part in parts if part.ids is not None]
    nameless = [part for part in parts if part.ids is None]
    if not named:
        _tell_of_position(parts, what)
        return None
    if all(part.kind == LABELS for part in named) and nameless:
        _warn(named[0], nameless[0], what)
        return None
    # classes alone add no sample to an outer join
    joined = [p for p in parts if join != "outer" or p.kind != LABELS]
    joint = joint_rows(
        [part.ids for part in joined], [part.name for part in joined], join,
        what=what, normalise=said.normalise,
    )  # fmt: skip
    moves = dict(zip((p.name for p in joined), joint.rows, strict=True))
    for part in parts:
        if part.name not in moves and part.ids is not None:
            moves[part.name] = _places_in(part, named[0], joint.ids, said)
    rows = [moves.get(part.name) for part in parts]
    moved = any(own is not None for own in rows) or is_moved_counter(joint.ids)
    if nameless and (moved or not is_counter(joint.ids)):
        _refuse_or_warn(named[0], nameless, moved, what)
    return joint._replace(rows=rows)


def _ask(parts: Sequence[Named], what: str) -> None:
    """Reject a first column that may name the samples where rows are paired."""
    for part in parts:
        if part.first is None or not part.suspected:
            continue
        name, option = part.first, quote(part.first)
        raise ValueError(
            f"{what} {part.name!r}: the first column, {name!r}, looks like names of the"
            f" samples, but may be a feature. Pass --ids {option} if it names"
            f" the samples, or --column {option} if it is a feature (in Python"
            f" mvgraph.as_views or mvgraph.datasets.load with ids={name!r} or"
            f" column={name!r})"
        )


def _ask_shared(parts: Sequence[Named], what: str) -> None:
    """Reject rows paired by position where a column of both tables may name them."""
    tables: dict[str, Unnamed] = {}
    held = [part.ids for part in parts if part.ids is not None]
    moved = not all(map(is_counter, held))  # else numbers of rows pair by position
    for part in parts:
        own = part.unnamed
        if part.ids is not None and (own is None or moved):
            own = Unnamed(part.name, ids=part.ids)
        if own is not None:  # several views of one table count once
            tables.setdefault(own.table, own)
    if len(tables) < 2 or all(t.columns is None for t in tables.values()):
        return
    found = shared_columns([*tables.values()])
    if found is None:
        _refuse_moved([*tables.values()], what)
        return
    raise ValueError(_question(found, what))


def _question(found: Shared, what: str) -> str:
    """Ask whether a column names the samples, and tell how to answer."""
    column, other = found.column, found.other_column
    names = [*dict.fromkeys(name for name in (column, other) if name)]
    features = [*dict.fromkeys((*names, *found.more))]
    theirs = f"column {other!r} of" if other else "names of"
    where, ids = f"{what} {found.other!r}", _options("--ids", names)
    if other is None:
        ids += f" and add the names to {where}"
        also = f", as names are, and {where} has no column of distinct words"
    elif found.n_shared:
        also = f", and {found.n_shared} of them are also in {theirs} {where}"
    else:
        also = f", as are the values of {theirs} {where}, but not the same"
    return (
        f"{what} {found.table!r}: no column is called names of the samples, but the"
        f" values of column {column!r} are distinct{also}. Pass {ids} if it names the"
        f" samples, or {_options('--column', features)} if the rows of both are in the"
        " same order (in Python mvgraph.as_views, mvgraph.read_columns or"
        f" mvgraph.datasets.load with ids={_value(names)} or"
        f" column={_value(features)})"
    )


def _options(option: str, names: Sequence[str]) -> str:
    return " ".join(f"{option} {quote(name)}" for name in names)


def _value(names: Sequence[str]) -> str:
    return repr(names[0] if len(names) == 1 else [*names])


def _refuse_moved(tables: Sequence[Unnamed], what: str) -> None:
    """Reject rows paired by position where a column shows that they moved."""
    moved = moved_columns(tables)
    if moved is None:
        return
    option = quote(moved.column)
    raise ValueError(
        f"{what} {moved.table!r}: no column names the samples, and column"
        f" {moved.column!r} has the same values as in {what} {moved.other!r} in"
        " another order, so the rows are not in the same order. Add a column of names"
        " (id) to every table; several columns that identify a sample together can be"
        f" joined into one. Or pass --column {option} (in Python"
        f" column={moved.column!r}) if it is a feature and the rows belong together"
    )


def _tell_of_position(parts: Sequence[Named], what: str) -> None:
    """Warn that frames in memory without an index are paired by position."""
    frames = [part.name for part in parts if part.kind == TABLE]
    if what == "view" and len(parts) > 1 and frames:
        warnings.warn(
            f"the rows of all views are paired by position: neither view {frames[0]!r}"
            " nor any other has a column with a name for identifiers; see ids of"
            " mvgraph.as_views",
            UserWarning,
            stacklevel=2,
        )


def _places_in(
    part: Named, first: Named, ids: np.ndarray, said: SaidOfNames
) -> np.ndarray:
    """Return the row of every sample in a table of classes, -1 where there is none."""
    own = joint_rows(
        [ids, part.ids], [first.name, part.name], "outer",
        what="table", normalise=said.normalise,
    ).rows[1]  # fmt: skip
    return np.arange(len(ids)) if own is None else own[: len(ids)]


def _refuse_or_warn(
    named: Named, nameless: Sequence[Named], moved: bool, what: str
) -> None:
    """Reject a table without names next to one with names; warn of an array."""
    tables = [p for p in nameless if p.kind == TABLE or moved]
    if not tables:
        _warn(named, nameless[0], what)
        return
    odd = tables[0].name
    why = " in another order" if moved else ""
    raise ValueError(
        f"{what} {odd!r} does not name its samples, but {what} {named.name!r} does"
        f"{why}, so it is not known which row of {odd!r} is which sample."
        f" Add the names to {odd!r} (a column called id, or --ids COLUMN), put all"
        " rows into one order and leave the names out, or read"
        ' without it: key_map {"views": [...]} (on the command line --views A,B)'
    )


def _warn(named: Named, nameless: Named, what: str) -> None:
    """Warn that only one of two parts names the samples."""
    warnings.warn(
        f"the rows of {what} {nameless.name!r} are paired with those of {named.name!r}"
        f" by position: only one of the two names the samples, {named.name!r}; make"
        " sure that both have the same order, or name the samples in both",
        UserWarning,
        stacklevel=2,
    )
