"""Encode data frames, and match their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph.tables.choosing import with_features
from mvgraph.tables.encoding import PLAIN_VIEW, encode_table
from mvgraph.tables.filling import full_rows
from mvgraph.tables.learning import learn_table
from mvgraph.tables.options import TableOptions
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.alignment import Aligned, Part, align_parts, named_rows, take_apart
from mvgraph.views.casting import check_names, is_frame
from mvgraph.views.coerce import refuse_no_views
from mvgraph.views.container import Views
from mvgraph.views.frames import columns_of
from mvgraph.views.identifiers import SAID_NOTHING, SaidOfNames

__all__ = ["Read", "read_tables"]

#: The view of the plain columns of a frame by itself, which has no name.
TABLE = "table"


class Read(NamedTuple):
    """The views of some tables, and what was learned of their columns."""

    views: Views
    learned: tuple[TableEncoder, ...]
    notes: list[str]


class Table(NamedTuple):
    """The views of one frame, before rows are matched."""

    parts: list[Part]
    encoder: TableEncoder | None = None
    complete: np.ndarray | None = None
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_tables(
    X: Any,
    options: TableOptions,
    views: tuple[str, ...],
    said: SaidOfNames,
    join: str = "strict",
    fitted: Callable[[str], TableEncoder | None] | None = None,
) -> Read:
    """Encode every table, match the rows, and drop those that are incomplete.

    Parameters
    ----------
    X : frame, or mapping or list of frames and other views
    options, views, said, join
        What the caller specified; see `mvgraph.read_columns`.
    fitted : callable, optional
        Returns by its name what was learned of a table; without it the tables are
        those of a fit.
    """
    refuse_no_views(X)
    single = is_frame(X)
    if single:
        tables = {TABLE: X}
    elif isinstance(X, Mapping):
        tables = {str(name): value for name, value in X.items()}
    else:
        tables = dict(zip(check_names(None, len(X)), X, strict=True))
    read = {
        name: _table(value, name, single, options, views, said, fitted)
        for name, value in tables.items()
    }
    if fitted is None:
        _refuse_unknown(read, options, views, single)
    parts = [part for table in read.values() for part in table.parts]
    names = [part.names.name for part in parts]
    if single:  # its rows belong together
        first = align_parts(parts[:1], join, False, SAID_NOTHING)
        aligned = Aligned([p.content for p in parts], first.ids, first.index,
                          [p.features for p in parts])  # fmt: skip
    else:
        aligned = align_parts(parts, join, True, said)
    made = Views._from_aligned(aligned, names, True)
    learned = tuple(t.encoder for t in read.values() if t.encoder is not None)
    kept = _complete(read, made)
    if views and set(views) <= set(names):
        made = made.select([names.index(name) for name in views])
    elif fitted is not None and set(names) & set(views):  # others are missing
        made = made.select([v for v, name in enumerate(names) if name in views])
    notes = [note for t in read.values() for note in t.notes]
    if kept is not None:
        made = made[kept]
        made.ids = np.flatnonzero(kept) if made.ids is None else made.ids
    return Read(made, learned, notes)


def _table(
    value: Any,
    name: str,
    single: bool,
    options: TableOptions,
    views: tuple[str, ...],
    said: SaidOfNames,
    fitted: Callable[[str], TableEncoder | None] | None,
) -> Table:
    """Encode one frame; anything else is a view as it is."""
    encoder = None if fitted is None else fitted(name)
    if not is_frame(value) or (fitted is not None and encoder is None):
        return Table([take_apart(value, name, said)])
    where = f"table {name!r}"
    columns = columns_of(value, where)
    if columns.header and not len(columns.one(0)):
        raise ValueError(f"{where} has no rows. Pass at least one sample")
    held = (*columns.header, *columns.vectors)
    wanted = tuple(v if single else v.removeprefix(f"{name}.") for v in views)
    own = with_features(said, held, name, options, wanted, encoder)
    rows = named_rows(columns, value, name, own)
    if encoder is None:
        if single:
            options.refuse_unknown([(name, column) for column in held], where)
        encoder = learn_table(
            rows.columns, rows.features, name, where, options,
            [w for w in wanted if w in held or w == name],
        )  # fmt: skip
    aside = {h for i, h in enumerate(columns.header) if i not in rows.features}
    encoded = encode_table(encoder, rows.columns, where, aside)
    complete = encoded.complete
    if single and encoder.impute == "drop-rows" and encoded.views:
        complete = full_rows(complete, encoded.views.values())
    parts = []
    for view, block in encoded.views.items():
        title = view if single else f"{name}.{view}"
        title = encoder.plain_view if view == PLAIN_VIEW and single else title
        title = name if view == PLAIN_VIEW and not single else title
        names = rows.names._replace(name=title)
        parts.append(Part(block, names, rows.index, encoded.features.get(view)))
    if not parts:
        told = "; ".join(f"{c.name!r}: {c.use}" for c in encoder.columns[:5])
        raise ValueError(
            f"{where}: no column can be used ({told}). Choose columns, or"
            " specify their kinds with kinds="
        )
    return Table(parts, encoder, complete, held, encoded.notes)


def _complete(tables: Mapping[str, Table], views: Views) -> np.ndarray | None:
    """Return which samples no table has with empty cells, None if all."""
    held = [t for t in tables.values() if t.complete is not None]
    if all(bool(np.all(t.complete)) for t in held):
        return None
    kept = np.ones(len(views), dtype=bool)
    for table in held:
        ids, full = table.parts[0].names.ids, table.complete
        assert full is not None
        if ids is None or views.ids is None:
            kept &= full
        else:
            kept &= ~np.isin(views.ids, ids[~full])
    return kept


def _refuse_unknown(
    tables: Mapping[str, Table],
    options: TableOptions,
    views: Sequence[str],
    single: bool,
) -> None:
    """Reject names and patterns that match no column."""
    known = [(name, column) for name, t in tables.items() for column in t.columns]
    if known:
        options.refuse_unknown(known, "the frames")
    held = {p.names.name for t in tables.values() for p in t.parts}
    odd = [view for view in views if view not in held]
    if odd:
        raise ValueError(
            f"there is no view {odd[0]!r}. Name columns that are used, or"
            f" tables; the views are {sorted(held)}"
        )
