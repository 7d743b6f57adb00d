"""Tables: one file for all views, or a folder with one file per view."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.arrays import read_numpy
from mvgraph.datasets.formats.encoded import prefix_views
from mvgraph.datasets.formats.excel import EXCEL, read_only_sheet, read_sheets
from mvgraph.datasets.formats.learned import encoders_of, used_tables
from mvgraph.datasets.formats.limits import named
from mvgraph.datasets.formats.market import is_market, read_market
from mvgraph.datasets.formats.matching import (
    complete_table,
    match,
    refuse_duplicates,
    turn,
)
from mvgraph.datasets.formats.parts import TableFiles
from mvgraph.datasets.formats.table import Table, is_table, read_table, stem_of
from mvgraph.datasets.layout.find_views import natural_key
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.names import is_called_names
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import ReadOptions, Source, is_matrix, is_strings
from mvgraph.views.lazy import ParquetArray

ARRAYS = (".npy", ".npz")


def read_folder(path: Path, reading: ReadOptions) -> Source:
    """Read a folder with one table or array per view, classes in ``labels.csv``.

    Classes may also be a column of each table. Tables are matched by the names of their
    samples. Hidden files, other formats and files not named are left out.

    Raises
    ------
    ValueError
        If there is no table, or if the tables name different samples.
    """
    arrays, tables = _read_files(path, reading)
    return combine_tables(path, "folder of tables", arrays, tables, reading)


def read_workbook(path: Path, reading: ReadOptions) -> Source:
    """Read a workbook: every sheet is a table, as every file of a folder is."""
    tables = read_sheets(path, reading)
    if len(tables) == 1 and not tables.keys() & {*reading.names_of_views()}:
        return _one_table(path, "workbook", next(iter(tables.values())), reading)
    return combine_tables(path, "workbook", {}, tables, reading)


def read_table_file(path: Path, reading: ReadOptions) -> Source:
    """Read one table; columns named like ``v1_...``, ``v2_...`` make several views.

    So does every column whose cells are vectors (Parquet).
    """
    turned = reading.orientation == COLUMNS
    table = read_table(path, reading, samples_in_columns=turned, single=True)
    return _one_table(path, "table", table, reading)


def read_files(files: TableFiles, reading: ReadOptions, kind: str) -> Source:
    """Read several files as one table."""
    reading.log.note(files.note())
    source = read_table_file(files.path, replace(reading, parts=files.files))
    return replace(source, kind=kind)


def _one_table(path: Path, kind: str, table: Table, reading: ReadOptions) -> Source:
    turned = reading.orientation == COLUMNS
    stem = stem_of(path) if table.encoder is None else table.encoder.plain_view
    stem = f"{stem}_table" if stem in table.vectors else stem
    table = table.turned() if turned else table
    table = complete_table(table, reading)
    refuse_duplicates(path.name, table)
    if table.only_labels:
        raise ValueError(
            f"{path.name}: there is no view: apart from {table.header[-1]!r},"
            " which is text or contains classes, there is no column of numbers. Add"
            " columns that describe the samples, and check the column separator"
        )
    _log_table(table, reading)
    if table.ids is None:
        reading.log.matched = "rows as they lie in the file"
    reading.log.id_column = (
        None if table.ids is None else table.id_name or "the first column"
    )
    groups = _groups(stem, table, reading)
    variables: dict[str, Any] = {
        k: _columns(table.values, v) for k, v in groups.items()
    }
    named = groups if table.headed else {}
    features = {k: [table.header[i] for i in v] for k, v in named.items()}
    features |= table.features
    variables |= table.vectors
    views = tuple(variables)
    if not reading.without_labels:
        _add_labels(path, variables, table)
    return Source(
        path, kind, variables, reading, table.ids, views, rows_first=True,
        settled=turned, features=features,
        encoders=encoders_of({stem: table}, reading, groups),
    )  # fmt: skip


def combine_tables(
    path: Path,
    kind: str,
    arrays: dict[str, Any],
    tables: dict[str, Table],
    reading: ReadOptions,
) -> Source:
    """Match tables by their identifiers, and add the arrays."""
    if reading.without_labels:
        tables = {
            k: t._replace(labels=None) for k, t in tables.items() if not t.only_labels
        }
    tables, unused = used_tables(path, arrays, tables, reading)
    label_arrays = {k: v for k, v in arrays.items() if is_label_name(k)}
    tables = turn(path, tables, next(iter(label_arrays.values()), None), reading)
    settled = reading.orientation is not None
    if reading.orientation == COLUMNS:
        arrays |= {
            k: v.T for k, v in arrays.items() if k not in label_arrays and is_matrix(v)
        }
    tables, ids = match(tables, reading, arrays)
    variables: dict[str, Any] = {}
    features: dict[str, list[str]] = {}
    names = tables if kind == "workbook" else sorted(arrays | tables, key=natural_key)
    for name in names:
        if name in arrays:
            variables[name] = arrays[name]
            continue
        table = tables[name]
        _log_table(table, reading, name)
        if table.only_labels and not _holds_labels(name, reading):
            variables[table.header[-1]] = table.values  # the column, not the file
        elif table.values.shape[1] or not table.vectors:
            variables[name] = table.values
            if table.headed:  # else its names are made up
                features[name] = table.header
        variables |= {f"{name}.{key}": value for key, value in table.vectors.items()}
        features |= {f"{name}.{key}": own for key, own in table.features.items()}
        _add_labels(path, variables, table)
    views = _views(path, variables, reading)
    market = kind.startswith("folder") and any(map(is_market, path.iterdir()))
    return Source(
        path, kind, variables, reading, ids, views, rows_first=settled or not market,
        settled=settled, features=features,
        encoders=encoders_of(tables, reading, unused=unused),
    )  # fmt: skip


def _log_table(table: Table, reading: ReadOptions, name: str = "") -> None:
    for column, why in table.left_out:
        where = f"{name}: column" if name else "column"
        reading.log.leave_out(f"{where} {column!r}", why)
    for note in (*table.notes, *_of_first_column(table)):
        reading.log.note(f"{name}: {note}" if name else note)


def _of_first_column(table: Table) -> list[str]:
    """Note how a first column is used that may be row names or a feature."""
    name, names = table.names.first, table.names
    if not names.suspected:
        return []
    if names.at is None:
        note = f"looks like names but is a feature; --ids {name} if it names the rows"
    else:
        note = f"names the rows; --column {name} if it is a feature"
    return [f"the first column, {name!r}, {note}"]


def _columns(values: Any, which: list[int]) -> Any:
    if which == list(range(values.shape[1])):
        return values
    return (
        values.select(which) if isinstance(values, ParquetArray) else values[:, which]
    )


def _read_files(
    path: Path, reading: ReadOptions
) -> tuple[dict[str, Any], dict[str, Table]]:
    """Read every array and every table of a folder by the name of its file."""
    files = _chosen(path, reading)
    stems = [_stem(file) for file in files]
    twice = sorted({s for s in stems if stems.count(s) > 1})
    if twice:
        raise ValueError(f"{path}: two files are called {twice[0]!r}. Rename one")
    arrays: dict[str, Any] = {}
    tables: dict[str, Table] = {}
    turned = reading.orientation == COLUMNS
    for file in sorted(files, key=lambda file: natural_key(file.name)):
        with named(file):
            if is_market(file):
                arrays |= read_market(file, reading).variables
            elif file.suffix.lower() in ARRAYS:
                arrays |= read_numpy(file, reading).variables
            elif file.suffix.lower() in EXCEL:
                tables |= read_only_sheet(file, reading, _stem(file))
            else:
                stem = _stem(file)
                in_columns = turned and not is_label_name(stem)
                tables[stem] = read_table(file, reading, samples_in_columns=in_columns)
    return arrays, tables


def _chosen(path: Path, reading: ReadOptions) -> list[Path]:
    """Return the files to read; report the others."""
    files = []
    for file in sorted(path.iterdir()):
        why = _why_not(file, reading)
        if why is None:
            files.append(file)
        else:
            reading.log.leave_out(file.name, why)
    return files


def _why_not(file: Path, reading: ReadOptions) -> str | None:
    """Return why a file of a folder is not read; None if it is read."""
    if file.name.startswith("."):
        return "a hidden file"
    if not file.is_file():
        return "a folder" if file.is_dir() else "not a regular file"
    other = file.suffix.lower() in (*ARRAYS, *EXCEL) or is_market(file)
    if not (other or is_table(file)):
        return "not a table or an array"
    stem = _stem(file)
    if is_label_name(stem):
        # so that even a broken one does no harm
        return "labels are not read" if reading.without_labels else None
    names = reading.names_of_views()
    if not names or file.suffix.lower() == ".npz" or stem == reading.label_name:
        return None
    asked = any(name == stem or name.startswith(f"{stem}.") for name in names)
    return None if asked else "not one of the views that were named"


def _views(
    path: Path, variables: dict[str, Any], reading: ReadOptions
) -> tuple[str, ...]:
    views = tuple(
        k
        for k, v in variables.items()
        if not (_holds_labels(k, reading) or is_strings(v))
        and (is_matrix(v) or not is_called_names(k))
    )
    if not views:
        raise ValueError(
            f"{path}: this folder contains no table for a view. Add one .csv, .tsv,"
            " .xlsx, .parquet, .npy, .npz or .mtx per view, and labels.csv for the"
            " classes"
        )
    return views


def _holds_labels(name: str, reading: ReadOptions) -> bool:
    return name == reading.label_name or is_label_name(name)


def _stem(file: Path) -> str:
    return file.name.split(".mtx")[0] if is_market(file) else stem_of(file)


def _add_labels(path: Path, variables: dict[str, Any], table: Table) -> None:
    """Add the classes of a table to the variables; all tables must agree on them."""
    if table.labels is None:
        return
    labels = variables.setdefault(table.label_name, table.labels)
    if labels is not table.labels and not np.array_equal(labels.ravel(), table.labels):
        raise ValueError(
            f"{path}: the tables disagree in column {table.label_name!r}. Keep"
            " the classes in one file, labels.csv"
        )


def _groups(stem: str, table: Table, reading: ReadOptions) -> dict[str, list[int]]:
    """Group columns of numbers by the numbered prefixes of views."""
    whole = {stem: list(range(len(table.header)))}
    if not table.header or table.encoder is not None:
        return whole if table.header else {}
    views = prefix_views(table.header)
    if not views:
        return whole
    reading.log.note(
        f"the columns are {len(views)} views, by their numbered prefix:"
        f" {', '.join(views)}"
    )
    at = {name: i for i, name in enumerate(table.header)}
    return {view: [at[name] for name in names] for view, names in views.items()}
