"""Encode data frames, and match their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph.tables.choosing import (
    NONE_CHOSEN,
    is_unused,
    refuse_all_unused,
    refuse_no_view,
    with_features,
)
from mvgraph.tables.encoding import PLAIN_VIEW, Encoded, encode_table
from mvgraph.tables.filling import complete_samples
from mvgraph.tables.learning import encode_again, learn_table
from mvgraph.tables.options import TableOptions
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.alignment import (
    NamedRows,
    Part,
    align_parts,
    named_rows,
    take_apart,
)
from mvgraph.views.casting import check_names, is_frame
from mvgraph.views.coerce import refuse_no_views
from mvgraph.views.container import Views
from mvgraph.views.frames import columns_of
from mvgraph.views.identifiers import SaidOfNames

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
    rows: NamedRows | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.parts[0].content.shape[0]

    def fit_on(self, rows: np.ndarray, single: bool) -> Table:
        """Return the same rows, encoded by what is learned from those of a fit."""
        if self.rows is None or self.encoder is None or len(rows) == self.n_rows:
            return self
        again = encode_again(self.encoder, self.rows.columns, rows)
        return _as_parts(*again, self.rows, self.columns, single)


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
    notes = [note for t in read.values() for note in t.notes]
    unused = [t.encoder for t in read.values() if not t.parts]
    read = {name: t for name, t in read.items() if t.parts}
    made, rows = _joined(read, single, join, said)
    flags = {name: t.complete for name, t in read.items()}
    kept, rows = complete_samples(len(made), rows, flags)
    again = read if fitted is not None else _fit_on(read, rows, single)
    if again is not read:
        read, (made, _) = again, _joined(again, single, join, said)
    encoders = (*(t.encoder for t in read.values()), *unused)
    learned = tuple(encoder for encoder in encoders if encoder is not None)
    names = made.names
    if views and set(views) <= set(names):
        made = made.select([names.index(name) for name in views])
    elif fitted is not None and set(names) & set(views):  # others are missing
        made = made.select([v for v, name in enumerate(names) if name in views])
    if not kept.all():
        made = made[kept]
        made.ids = np.flatnonzero(kept) if made.ids is None else made.ids
    return Read(made, learned, notes)


def _fit_on(
    tables: dict[str, Table], rows: Mapping[str, np.ndarray], single: bool
) -> dict[str, Table]:
    """Return the tables as learned from the samples that stay, the same if all do."""
    used = {name: np.unique(at[at >= 0]) for name, at in rows.items()}
    if all(len(used[name]) == table.n_rows for name, table in tables.items()):
        return tables
    return {name: table.fit_on(used[name], single) for name, table in tables.items()}


def _joined(
    tables: Mapping[str, Table], single: bool, join: str, said: SaidOfNames
) -> tuple[Views, Mapping[str, np.ndarray | None]]:
    """Match the rows; return also the row of every sample in every table, or -1."""
    parts = [part for table in tables.values() for part in table.parts]
    names = [part.names.name for part in parts]
    rows: dict[str, np.ndarray | None] = dict.fromkeys(tables)
    if single:  # its rows belong together
        first, _ = align_parts(parts[:1], join, unique=False)
        values, features = [p.content for p in parts], [p.features for p in parts]
        aligned = first._replace(values=values, features=features)
    else:
        aligned, joint = align_parts(parts, join, said=said)
        moved = dict(zip(names, joint.rows, strict=True)) if joint else {}
        rows |= {k: moved.get(t.parts[0].names.name) for k, t in tables.items()}
    return Views._from_aligned(aligned, names, True), rows


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
            rows.columns, rows.features, name, options,
            [w for w in wanted if w in held or w == name or w in options.groups],
        )  # fmt: skip
    if not single and is_unused(encoder, options, fitted is not None):
        notes = () if fitted is not None else (f"{where} is left out: {NONE_CHOSEN}",)
        return Table([], encoder, columns=held, notes=notes)
    aside = {h for i, h in enumerate(columns.header) if i not in rows.features}
    encoded = encode_table(encoder, rows.columns, aside, alone=single)
    if not encoded.views:
        refuse_no_view(encoder, where)
    return _as_parts(encoder, encoded, rows, held, single)


def _as_parts(
    encoder: TableEncoder,
    encoded: Encoded,
    rows: NamedRows,
    held: tuple[str, ...],
    single: bool,
) -> Table:
    """Return the views of a frame with the names of its rows."""
    parts = []
    for view, block in encoded.views.items():
        title = encoder.title("" if view == PLAIN_VIEW else view, single)
        names = rows.names._replace(name=title)
        parts.append(Part(block, names, rows.index, encoded.features.get(view)))
    return Table(parts, encoder, encoded.complete, held, encoded.notes, rows)


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
    if not held:
        refuse_all_unused([*tables], options, known, "the frames")
    if odd:
        raise ValueError(
            f"there is no view {odd[0]!r}. Name columns that are used, or"
            f" tables; the views are {sorted(held)}"
        )
