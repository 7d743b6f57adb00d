"""Tables that name their samples: which way they lie, and which row is who."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.table import Table
from mvgraph.datasets.layout.labels import WITHOUT
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import Reading
from mvgraph.views.alignment import joint_rows, take_rows


def turn(
    path: Path, tables: dict[str, Table], labels: Any, reading: Reading
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
    return {k: t._replace(ids=_as_text(t.ids)) for k, t in done.items()}


def match(
    tables: dict[str, Table], join: str
) -> tuple[dict[str, Table], np.ndarray | None, bool]:
    """Bring all tables into the order of the first view; also say if a row moved.

    Raises
    ------
    ValueError
        As :func:`mvgraph.views.alignment.align`; no table, not even a single one, may
        hold an identifier twice, and labels must be known for every sample.
    """
    # the views first: theirs is the order of the samples
    names = sorted(tables, key=lambda name: tables[name].only_labels)
    kinds = {t.ids.dtype.kind for t in tables.values() if t.ids is not None}
    if kinds & set("iuf") and kinds - set("iuf"):  # Parquet has numbers, CSV has text
        tables = {k: t._replace(ids=_as_text(t.ids)) for k, t in tables.items()}
    for name in names:
        refuse_duplicates(f"table {name!r}", tables[name].ids)
    nameless = [name for name in names if tables[name].ids is None]
    if all(tables[name].only_labels or name in nameless for name in names):
        return tables, None, False
    views = [name for name in names if not tables[name].only_labels]
    joined = views if join == "outer" else names  # labels alone add no sample
    rows, ids = joint_rows([tables[name].ids for name in joined], joined, join)
    moves = dict(zip(joined, rows, strict=True))
    for name in set(names) - set(joined) - set(nameless):
        moves[name] = _places_in(tables[name], ids)
    moved = any(own is not None for own in moves.values())
    if moved and nameless:
        odd = nameless[0]
        raise ValueError(
            f"table {odd!r} does not name its samples, but the others had to be put"
            " into another order. Remedy: give it a column of identifiers, called id"
        )
    return {k: _take(k, t, moves.get(k)) for k, t in tables.items()}, ids, moved


def refuse_duplicates(where: str, ids: np.ndarray | None) -> None:
    """Refuse identifiers that occur more than once in one table."""
    counts = Counter([] if ids is None else ids.tolist())
    double = [name for name, count in counts.items() if count > 1]
    if double:
        raise ValueError(
            f"{where} has {len(double)} duplicated identifiers, such as"
            f" {str(double[0])!r} ({counts[double[0]]} rows). Remedy: give every sample"
            " an identifier of its own; if the column holds classes, name it with"
            ' key_map={"labels": ...} (on the command line --labels)'
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
            ' if the header names the samples, pass orientation="columns" (on the'
            " command line --orientation columns); if these are parts of one table,"
            " join the files"
        )


def _names(ids: Any) -> set[str]:
    return set(_as_text(ids))


def _as_text(ids: Any) -> Any:
    """Write identifiers as a header would: 3 and not 3.0."""
    if ids is None or ids.dtype.kind not in "iuf":
        return ids
    whole = ids.dtype.kind in "iu"  # 15 digits are all that a float has for sure
    return np.array([str(i) if whole else f"{i:.15g}" for i in ids], dtype=object)
