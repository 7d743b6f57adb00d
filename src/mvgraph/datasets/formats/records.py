"""Compound data sets of HDF5 and structured arrays of NumPy, read as tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.datasets.formats.folder import combine_tables
from mvgraph.datasets.formats.table import table_of
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.source import (
    ReadOptions,
    Source,
    describe,
    is_matrix,
    strings,
)
from mvgraph.views.columns import DATE, NUMBER, OTHER, TEXT, Columns
from mvgraph.views.frames import matrix_of
from mvgraph.views.identifiers import as_text

_KINDS = dict.fromkeys("buif", NUMBER) | {"U": TEXT, "M": DATE}


def read_records(source: Source, options: ReadOptions) -> Source:
    """Read the compound arrays of a file as tables, one per view, matched by name.

    Raises
    ------
    ValueError
        As for a folder of tables.
    """
    tables, arrays = {}, {}
    for name, value in source.variables.items():
        records = _records(value)
        if records is not None:
            columns = _columns(records, f"{source.path.name}, {name}")
            tables[name] = table_of(columns, options, name=name)
        elif is_matrix(value) or is_label_name(name):
            arrays[name] = value
        else:
            options.log.leave_out(
                name, f"neither a table nor a matrix ({describe(value)})"
            )
    return combine_tables(source.path, source.kind, arrays, tables, options)


def has_records(source: Source) -> bool:
    """Return whether any variable of a file is a table."""
    return any(_records(value) is not None for value in source.variables.values())


def _records(value: Any) -> np.ndarray | None:
    """Return a table, including one that pandas stores in a group."""
    if isinstance(value, dict):
        value = value.get("table")
    table = isinstance(value, np.ndarray) and value.dtype.names and value.ndim == 1
    return value if table else None


def _columns(records: np.ndarray, where: str) -> Columns:
    arrays = {name: _plain(records[name]) for name in records.dtype.names or ()}
    flat = {name: value for name, value in arrays.items() if value.ndim == 1}
    values = list(flat.values())
    vectors = {k: v.reshape(len(v), -1) for k, v in arrays.items() if v.ndim > 1}
    return Columns(
        list(flat),
        [_KINDS.get(value.dtype.kind, OTHER) for value in values],
        values.__getitem__,
        lambda which: matrix_of([values[i] for i in which], len(records)),
        vectors=vectors,
        where=where,
    )


def _plain(column: np.ndarray) -> np.ndarray:
    """Return bytes and text of any length as str."""
    if column.dtype.kind == "S":
        return np.char.decode(column, "utf-8", "replace")
    cells = column.tolist() if column.dtype.kind == "O" else [0]
    if all(isinstance(cell, str | bytes) for cell in cells):
        return strings(as_text(column))
    return column
