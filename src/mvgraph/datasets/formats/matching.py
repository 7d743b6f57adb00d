"""Tables that name their samples: which way they lie, and which row is who."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.table import Table
from mvgraph.datasets.layout.labels import WITHOUT
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.views.alignment import joint_rows, refuse_repeated, take_rows
from mvgraph.views.identifiers import (
    FEWEST_COUNTED,
    as_text,
    find_written_otherwise,
    is_counter,
    is_moved_counter,
    named_by_shape,
)


def settle_ids(tables: dict[str, Table], reading: ReadOptions) -> dict[str, Table]:
    """Let first columns name the rows that do so by what they hold.

    Distinct whole numbers under any header name the rows if another table names the
    same samples, in any order, or if they only count 0, 1, 2, ... from the first row.
    """
    known = [table.ids for table in tables.values()]
    _refuse_other_writing(tables)
    shared = named_by_shape(known, [table.candidate for table in tables.values()])
    done = {}
    for (name, table), same in zip(tables.items(), shared, strict=True):
        done[name], own = table, table.candidate
        counts = own is not None and len(own) >= FEWEST_COUNTED and is_counter(own)
        if same or counts:
            done[name] = table.with_first_as_id()
            why = "another table holds the same values" if same else "it counts them"
            reading.log.note(
                f"{name}: the first column, {table.header[0]!r}, names the rows, since"
                f" {why}"
            )
    return done


def turn(
    path: Path, tables: dict[str, Table], labels: Any, reading: ReadOptions
) -> dict[str, Table]:
    """Return the tables with samples in rows.

    Without `orientation`, a table has its samples in columns only if the labels say
    so: by their identifiers, which are in the header and not in the first column, or
    by their number.

    Raises
    ------
    ValueError
        If no labels tell, but tables share their header and not their first column.
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
    done = {k: t.turned() if k in columns else t for k, t in tables.items()}
    # names out of a header are text, those of a column of numbers are not
    return {k: t._replace(ids=_text_of(t)) for k, t in done.items()}


def match(
    tables: dict[str, Table], reading: ReadOptions
) -> tuple[dict[str, Table], np.ndarray | None, bool]:
    """Bring all tables into the order of the first view; also say if a row moved.

    Raises
    ------
    ValueError
        As :func:`mvgraph.views.alignment.align`; no table, not even a single one, may
        hold an identifier twice, and labels must be known for every sample.
    """
    tables = settle_ids(tables, reading)
    _refuse_several_ids(tables)
    # the views first: theirs is the order of the samples
    names = sorted(tables, key=lambda name: tables[name].only_labels)
    kinds = {t.ids.dtype.kind for t in tables.values() if t.ids is not None}
    if kinds & set("iuf") and kinds - set("iuf"):  # Parquet has numbers, CSV has text
        tables = {k: t._replace(ids=_text_of(t)) for k, t in tables.items()}
    for name in names:
        refuse_duplicates(f"table {name!r}", tables[name].ids)
    nameless = [name for name in names if tables[name].ids is None]
    if all(tables[name].only_labels or name in nameless for name in names):
        _report(tables, nameless, reading)
        if len(nameless) < len(names):
            _warn_of_labels(nameless[0], names[-1])
        return tables, None, False
    join = reading.join
    views = [name for name in names if not tables[name].only_labels]
    joined = views if join == "outer" else names  # labels alone add no sample
    rows, ids = joint_rows([tables[name].ids for name in joined], joined, join)
    moves = dict(zip(joined, rows, strict=True))
    for name in set(names) - set(joined) - set(nameless):
        moves[name] = _places_in(tables[name], ids)
    moved = any(own is not None for own in moves.values())
    moved = moved or is_moved_counter(ids)
    if nameless and (moved or not is_counter(ids)):
        _refuse_nameless(tables, nameless, moved)
    _report(tables, nameless, reading)
    return {k: _take(k, t, moves.get(k)) for k, t in tables.items()}, ids, moved


def _refuse_nameless(
    tables: dict[str, Table], nameless: list[str], moved: bool
) -> None:
    """Refuse a table that names no samples beside tables that do; warn of labels.

    Only numbers 0, 1, 2, ... of the rows say no more than the rows themselves.
    """
    odd = nameless[0]
    named = next(name for name, table in tables.items() if table.ids is not None)
    if tables[odd].only_labels and not moved:
        _warn_of_labels(named, odd)
        return
    raise ValueError(
        f"table {odd!r} does not name its samples, but table {named!r} does"
        f" ({tables[named].id_name or 'the first column'!r}), so that it is not known"
        f" which row of {odd!r} is which sample. Remedy: give {odd!r} the column of"
        " identifiers, or name the tables to read without it with key_map"
        ' {"views": [...]} (on the command line --views A,B)'
    )


def _warn_of_labels(views: str, labels: str) -> None:
    """Say that only one of views and labels names the samples."""
    warnings.warn(
        f"the rows of table {labels!r} are paired with those of the views by position:"
        f" only one of {views!r} and {labels!r} names the samples; give both the column"
        " of identifiers",
        UserWarning,
        stacklevel=2,
    )


def _refuse_other_writing(tables: dict[str, Table]) -> None:
    """Refuse columns that hold the same numbers, written otherwise."""
    held = {k: t.candidate if t.ids is None else t.ids for k, t in tables.items()}
    named = [(name, ids) for name, ids in held.items() if ids is not None and len(ids)]
    pair = find_written_otherwise([ids for _, ids in named])
    if pair is not None:
        (other, values), (name, ids) = (named[i] for i in pair)
        raise ValueError(
            f"the first columns of tables {other!r} and {name!r} hold the same"
            f" numbers, written otherwise: {str(values[0])!r} and"
            f" {str(ids[0])!r}. Remedy: write them alike if they name the"
            " samples, else leave them out"
        )


def _refuse_several_ids(tables: dict[str, Table]) -> None:
    """Refuse to choose between columns of identifiers where rows are to be matched."""
    if sum(not table.only_labels for table in tables.values()) < 2:
        return
    for name, table in tables.items():
        if table.other_ids and table.ids is not None:
            raise ValueError(
                f"table {name!r} has several columns that look like identifiers:"
                f" {table.id_name!r} and {table.other_ids[0]!r}. Remedy: keep the one"
                " that names the samples in all tables, and leave the others out"
            )


def _report(
    tables: dict[str, Table], nameless: list[str], reading: ReadOptions
) -> None:
    """Report by which columns the rows of the tables were matched."""
    columns = {
        t.id_name or "the first column" for t in tables.values() if t.ids is not None
    }
    reading.log.id_column = ", ".join(sorted(columns)) or None
    if len(tables) < 2:
        return
    if not columns or len(nameless) == len(tables):
        how = "rows are paired by position, no table names them"
    elif nameless:
        odd = ", ".join(map(repr, sorted(nameless)))
        how = f"rows are matched by id; those of {odd}, which have none, by position"
    else:
        how = "rows are matched by id"
    reading.log.matched = how


def refuse_duplicates(where: str, ids: np.ndarray | None) -> None:
    """Refuse identifiers that occur more than once in one table."""
    refuse_repeated(
        ids,
        where,
        "give every sample an identifier of its own; if the column holds classes, name"
        ' it with key_map={"labels": ...} (on the command line --labels)',
    )


def _places_in(table: Table, ids: np.ndarray) -> np.ndarray:
    """Return the row of every sample in a table of labels, -1 where there is none."""
    own = {} if table.ids is None else {key: i for i, key in enumerate(table.ids)}
    return np.array([own.get(key, -1) for key in ids], dtype=np.intp)


def _take(name: str, table: Table, rows: np.ndarray | None) -> Table:
    if rows is None:
        return table
    labelled = table.only_labels or table.labels is not None
    if labelled and (rows < 0).any():
        raise ValueError(
            f"table {name!r} has no class for {int((rows < 0).sum())} of"
            f" {len(rows)} samples. Remedy: join='inner' (on the command line --join"
            f" inner) drops them; or {WITHOUT}"
        )
    values = table.values[rows] if table.only_labels else take_rows(table.values, rows)
    return table._replace(
        values=values,
        ids=None,
        labels=None if table.labels is None else table.labels[rows],
        vectors={key: take_rows(v, rows) for key, v in table.vectors.items()},
    )


def _by_labels(
    tables: dict[str, Table], flat: dict[str, Table], labels: Any
) -> set[str]:
    """Find the tables whose header names the samples that have labels."""
    known = next((t for t in tables.values() if t.only_labels), None)
    if known is not None and known.ids is not None:
        wanted = _names(known.ids)
        return {
            name
            for name, table in flat.items()
            if table.headed
            and wanted & set(table.header)
            and not (table.ids is not None and wanted & _names(table.ids))
        }
    if known is None and labels is None:
        return set()
    n = len(known.values) if known is not None else np.size(labels)
    fits = {
        name: t.headed and t.ids is not None and t.values.shape[1] == n
        for name, t in flat.items()
    }
    return {k for k, ok in fits.items() if ok and len(flat[k].values) != n}


def _refuse_shared_header(path: Path, tables: list[Table], join: str) -> None:
    """Refuse tables that name other samples in rows but the same in columns."""
    named = [t for t in tables if t.headed and t.ids is not None]
    rows = [_names(t.ids) for t in named]
    if len(named) < 2 or len({frozenset(t.header) for t in named}) > 1:
        return
    differ = any(own != rows[0] for own in rows)
    if not set.intersection(*rows) or (differ and join == "strict"):
        raise ValueError(
            f"{path}: the tables have the same header, but their first columns name"
            f" different rows ({len(set.intersection(*rows))} in all tables). Remedy:"
            " if these are parts of one table, join the files, or (Parquet only) let"
            f" the name of the folder end in .parquet: {path.name}.parquet; if the"
            ' header names the samples, pass orientation="columns" (on the command'
            " line --orientation columns)"
        )


def _text_of(table: Table) -> np.ndarray | None:
    return None if table.ids is None else as_text(table.ids)


def _names(ids: Any) -> set[str]:
    return set(as_text(ids))
