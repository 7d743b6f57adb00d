"""Orient tables that name their samples, and match their rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.table import Table
from mvgraph.datasets.layout.labels import WITHOUT, is_label_name
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted
from mvgraph.tables.filling import complete_samples
from mvgraph.views.identifiers import FEWEST, as_text
from mvgraph.views.joining import refuse_repeated
from mvgraph.views.pairing import ARRAY, LABELS, TABLE, Named, pair_rows


def turn(
    path: Path, tables: dict[str, Table], labels: Any, reading: ReadOptions
) -> dict[str, Table]:
    """Return the tables with samples in rows.

    Without `orientation`, samples are in columns only if the labels show it: their
    identifiers are in the header and not in the first column, or their number matches
    the columns alone.

    Raises
    ------
    ValueError
        If no labels decide it, and tables share their header but not their first
        column.
    """
    flat = {k: t for k, t in tables.items() if not t.only_labels}
    if reading.orientation is not None:
        columns = set(flat) if reading.orientation == COLUMNS else set()
    else:
        columns = _by_labels(tables, flat, labels)
        rest = [t for k, t in flat.items() if k not in columns]
        _refuse_shared_header(path, rest, reading.join)
    if not columns:
        return tables
    odd = next((k for k in sorted(columns) if tables[k].encoder is not None), None)
    if odd is not None:
        raise ValueError(
            f"{path}: table {odd!r} has its samples in columns, and columns that"
            " are not numbers. Remove the other columns, or transpose it"
        )
    done = {k: t.turned() if k in columns else t for k, t in tables.items()}
    # a header gives names as text, a column of numbers does not
    texts = {k: None if t.ids is None else as_text(t.ids) for k, t in done.items()}
    return {k: t._replace(ids=texts[k]) for k, t in done.items()}


def match(
    tables: dict[str, Table], reading: ReadOptions, arrays: Collection[str] = ()
) -> tuple[dict[str, Table], np.ndarray | None]:
    """Put all tables into the order of the first view; drop-rows drops samples of all.

    Arrays have no row names; they are accepted if no row moves.

    Raises
    ------
    ValueError
        As :func:`mvgraph.views.pairing.pair_rows`; also if a table contains a name
        twice, or labels are missing for a sample.
    """
    if len(tables) + len(arrays) == 1:
        tables = {k: complete_table(t, reading) for k, t in tables.items()}
    # views come first: they set the order of the samples
    names = sorted(tables, key=lambda name: tables[name].only_labels)
    for name in names:
        refuse_duplicates(f"table {name!r}", tables[name])
    _refuse_names_in_headers([tables[name] for name in names])
    _refuse_one_in_columns({name: tables[name] for name in names})
    parts = [_named(name, tables[name]) for name in names]
    parts += [Named(a, kind=LABELS if is_label_name(a) else ARRAY) for a in arrays]
    joint = pair_rows(parts, reading.join, reading.said, "table")
    _report(tables, [part.name for part in parts if part.ids is None], reading)
    flags = {k: t.complete for k, t in tables.items()}
    some_empty = any(own is not None and not own.all() for own in flags.values())
    if some_empty:
        _refuse_nameless(parts)
    if joint is None:
        return tables, None
    for note in joint.notes:
        reading.log.note(note)
    moves: dict[str, Any] = dict(zip((p.name for p in parts), joint.rows, strict=True))
    ids = joint.ids
    if some_empty:
        kept, moves = complete_samples(len(ids), moves, flags)
        _note_dropped(kept, reading)
        ids = ids[kept]
    return {k: _take(k, t, moves[k]) for k, t in tables.items()}, ids


def complete_table(table: Table, reading: ReadOptions) -> Table:
    """Drop the rows of the only table that have empty cells, and note it."""
    if table.complete is None or table.complete.all():
        return table
    rows = np.flatnonzero(table.complete)
    _note_dropped(table.complete, reading)
    taken = table.take(rows)
    if table.ids is None:  # else labels could not be matched with the file
        return taken._replace(ids=rows, id_name="the number of the row")
    return taken._replace(ids=table.ids[rows])


def _note_dropped(kept: np.ndarray, reading: ReadOptions) -> None:
    n = int((~kept).sum())
    reading.log.note(f"{counted(n, 'sample')} with empty cells dropped")


def _refuse_nameless(parts: Sequence[Named]) -> None:
    """Reject dropped samples where a table does not name its samples."""
    nameless = next((part.name for part in parts if part.ids is None), None)
    if nameless is not None:
        raise ValueError(
            f"table {nameless!r} does not name its samples, so those with empty cells"
            " cannot be dropped from the other tables. Choose another way to impute, or"
            " give it a column of names"
        )


def _named(name: str, table: Table) -> Named:
    kind = LABELS if table.only_labels or is_label_name(name) else TABLE
    found = table.names
    unnamed = None if table.unnamed is None or not found.rest else table.unnamed
    return Named(name, table.ids, kind, found.first, found.suspected, unnamed)


def _report(
    tables: dict[str, Table], nameless: list[str], reading: ReadOptions
) -> None:
    """Report which columns the rows were matched by."""
    columns = {
        t.id_name or "the first column" for t in tables.values() if t.ids is not None
    }
    reading.log.id_column = ", ".join(sorted(columns)) or None
    if len(tables) + len(nameless) < 2:
        return
    if not columns:
        how = "rows are paired by position, no table names them"
    elif nameless:
        unnamed = ", ".join(map(repr, sorted(nameless)))
        how = (
            f"rows are matched by id; those of {unnamed}, which have none, by position"
        )
    else:
        how = "rows are matched by id"
    reading.log.matched = how


def refuse_duplicates(where: str, table: Table) -> None:
    """Reject identifiers that occur more than once in a table."""
    name = table.id_name
    remedy = "Give every sample its own identifier"
    if name:
        remedy += (
            f". If column {name!r} names something else, --column {name} makes it a"
            f" feature, --labels {name} the classes, and --ids OTHER names the samples"
            ' by another column (in Python column=, key_map={"labels": ...}, ids=)'
        )
    refuse_repeated(table.ids, where, remedy)


def _take(name: str, table: Table, rows: np.ndarray | None) -> Table:
    if rows is None:
        return table
    labelled = table.only_labels or table.labels is not None
    if labelled and (rows < 0).any():
        raise ValueError(
            f"table {name!r} has no class for {int((rows < 0).sum())} of"
            f" {len(rows)} samples. Pass join='inner' (on the command line --join"
            f" inner) to drop them, or {WITHOUT}"
        )
    return table.take(rows)


def _by_labels(
    tables: dict[str, Table], flat: dict[str, Table], labels: Any
) -> set[str]:
    """Return the tables whose header names the labelled samples."""
    label_table = next((t for t in tables.values() if t.only_labels), None)
    if label_table is not None and label_table.ids is not None:
        label_ids = _names(label_table.ids)
        return {
            name
            for name, table in flat.items()
            if table.headed
            and label_ids & set(table.header)
            and not (table.ids is not None and label_ids & _names(table.ids))
        }
    if label_table is None and labels is None:
        return set()
    n = len(label_table.values) if label_table is not None else np.size(labels)
    fits = {
        name: t.headed and t.ids is not None and t.values.shape[1] == n
        for name, t in flat.items()
    }
    return {k for k, ok in fits.items() if ok and len(flat[k].values) != n}


def _refuse_shared_header(path: Path, tables: list[Table], join: str) -> None:
    """Reject tables with the same header but different row names."""
    named = [t for t in tables if t.headed and t.ids is not None]
    rows = [_names(t.ids) for t in named]
    if len(named) < 2 or len({frozenset(t.header) for t in named}) > 1:
        return
    differ = any(own != rows[0] for own in rows)
    if not set.intersection(*rows) or (differ and join == "strict"):
        raise ValueError(
            f"{path}: the tables have the same header, but their first columns name"
            f" different rows ({len(set.intersection(*rows))} in all tables). If"
            " these are parts of one table, join the files, or (Parquet only) let"
            f" the name of the folder end in .parquet: {path.name}.parquet; if the"
            ' header names the samples, pass orientation="columns" (on the command'
            " line --orientation columns)"
        )


def _refuse_names_in_headers(tables: Sequence[Table]) -> None:
    """Reject tables that share names in their headers and none in their rows."""
    named = [t for t in tables if t.headed and t.ids is not None and not t.only_labels]
    rows, headers = [_names(t.ids) for t in named], [set(t.header) for t in named]
    if len(named) < 2 or set.intersection(*rows):
        return
    shared = set.intersection(*headers)
    # half: as for a column that may name the rows
    if 2 * len(shared) > min(map(len, headers)) and len(shared) >= FEWEST:
        raise ValueError(
            f"the headers of all tables share {len(shared)} names, such as"
            f" {min(shared)!r}, and their first columns none. If the samples are"
            ' in columns, pass orientation="columns" (on the command line'
            " --orientation columns)"
        )


def _refuse_one_in_columns(tables: Mapping[str, Table]) -> None:
    """Reject a table whose header has the samples that other tables have in rows."""
    named = {k: t for k, t in tables.items() if t.ids is not None and t.headed}
    rows = {name: _names(table.ids) for name, table in named.items()}
    for name, table in named.items():
        others = set[str]().union(*(own for k, own in rows.items() if k != name))
        shared = others & {*table.header}
        if rows[name] & others or 2 * len(shared) <= len(table.header):
            continue
        if len(shared) >= FEWEST:
            raise ValueError(
                f"table {name!r} has its samples in columns, such as"
                f" {min(shared)!r}, and other tables have them in rows. Transpose it"
            )


def _names(ids: Any) -> set[str]:
    return set(as_text(ids))
