"""Tables: one file for all views, or a folder with one file per view."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.market import MARKET, read_market
from mvgraph.datasets.formats.matching import match, refuse_duplicates, turn
from mvgraph.datasets.formats.npz import read_numpy
from mvgraph.datasets.formats.table import TABLES, Table, read_table
from mvgraph.datasets.layout.find_views import natural_key
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import Reading, Source, is_matrix
from mvgraph.views.lazy import ParquetArray

ARRAYS = (".npy", ".npz")


def read_folder(path: Path, reading: Reading) -> Source:
    """Read a folder with one table or array per view, classes in ``labels.csv``.

    Classes may also be a column of each table. Tables that name their samples are
    matched by these names.

    Raises
    ------
    ValueError
        If there is no table, or if the tables name different samples.
    """
    arrays, tables = _read_files(path, reading)
    if reading.without_labels:
        tables = {
            k: t._replace(labels=None) for k, t in tables.items() if not t.only_labels
        }
    known = {k: v for k, v in arrays.items() if is_label_name(k)}
    tables = turn(path, tables, next(iter(known.values()), None), reading)
    settled = reading.orientation is not None
    if reading.orientation == COLUMNS:
        arrays |= {k: v.T for k, v in arrays.items() if k not in known and is_matrix(v)}
    tables, ids, moved = match(tables, reading.join)
    if moved and arrays:
        raise ValueError(
            f"{path}: the tables had to be put into another order, but {min(arrays)!r}"
            " does not name its samples. Remedy: sort the tables by identifier first"
        )
    variables: dict[str, Any] = {}
    for name in sorted(arrays | tables, key=natural_key):
        if name in arrays:
            variables[name] = arrays[name]
            continue
        table = tables[name]
        if table.values.shape[1] or not table.vectors:
            variables[name] = table.values
        variables |= {f"{name}.{key}": value for key, value in table.vectors.items()}
        _add_labels(path, variables, table)
    views = _views(path, variables, reading)
    market = any(_is_market(file) for file in path.iterdir()) and not settled
    return Source(
        path, "folder of tables", variables, ids, views,
        rows_first=not market, settled=settled,
    )  # fmt: skip


def read_table_file(path: Path, reading: Reading) -> Source:
    """Read one table; columns named like ``v1_...``, ``v2_...`` make several views.

    So does every column whose cells are vectors (Parquet).
    """
    turned = reading.orientation == COLUMNS
    table = read_table(path, reading.label_name, samples_in_columns=turned)
    table = table.turned() if turned else table
    refuse_duplicates(path.name, table.ids)
    groups = _groups(path.stem, table.header) if table.header else {}
    variables: dict[str, Any] = {
        k: _columns(table.values, v) for k, v in groups.items()
    }
    variables |= table.vectors
    views = tuple(variables)
    _add_labels(path, variables, table)
    return Source(
        path, "table", variables, table.ids, views, rows_first=True, settled=turned
    )


def _columns(values: Any, which: list[int]) -> Any:
    lazy = isinstance(values, ParquetArray)
    return values.select(which) if lazy else values[:, which]


def read_parquet_folder(path: Path, reading: Reading) -> Source:
    """Read a folder called ``*.parquet``, which holds the parts of one table."""
    return replace(read_table_file(path, reading), kind="Parquet folder")


def _read_files(
    path: Path, reading: Reading
) -> tuple[dict[str, Any], dict[str, Table]]:
    """Read every array and every table of a folder by the name of its file."""
    kinds = (*TABLES, *ARRAYS)
    files = [p for p in path.iterdir() if p.suffix.lower() in kinds or _is_market(p)]
    stems = [_stem(file) for file in files]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        raise ValueError(f"{path}: two files are called {twice[0]!r}")
    arrays: dict[str, Any] = {}
    tables: dict[str, Table] = {}
    turned = reading.orientation == COLUMNS
    for file in sorted(files, key=lambda file: natural_key(file.name)):
        if reading.without_labels and is_label_name(_stem(file)):
            continue  # also a broken one is no obstacle then
        if _is_market(file):
            arrays |= read_market(file).variables
        elif file.suffix.lower() in ARRAYS:
            arrays |= read_numpy(file).variables
        else:
            in_columns = turned and not is_label_name(file.stem)
            tables[file.stem] = read_table(
                file, reading.label_name, samples_in_columns=in_columns
            )
    return arrays, tables


def _views(path: Path, variables: dict[str, Any], reading: Reading) -> tuple[str, ...]:
    no_views = {k for k in variables if k == reading.label_name or is_label_name(k)}
    views = tuple(k for k in variables if k not in no_views)
    if not views:
        raise ValueError(
            f"{path}: no table of a view in this folder. Remedy: one .csv, .tsv,"
            " .parquet, .npy, .npz or .mtx per view, and labels.csv for the classes"
        )
    return views


def _is_market(file: Path) -> bool:
    return file.name.lower().endswith(MARKET)


def _stem(file: Path) -> str:
    return file.name.split(".mtx")[0] if _is_market(file) else file.stem


def _add_labels(path: Path, variables: dict[str, Any], table: Table) -> None:
    """Put the classes of a table beside the views; tables must agree on them."""
    if table.labels is None:
        return
    known = variables.setdefault(table.label_name, table.labels)
    if not np.array_equal(known.ravel(), table.labels):
        raise ValueError(
            f"{path}: the tables disagree in column {table.label_name!r}. Remedy: keep"
            " the classes in one file, labels.csv"
        )


def _groups(stem: str, header: list[str]) -> dict[str, list[int]]:
    """Group columns by a numbered prefix that all of them have; else one group."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(header):
        match = re.match(r"([A-Za-z]+\d+)[_.:]", name)
        groups.setdefault(match[1] if match else "", []).append(i)
    if "" in groups or len(groups) < 2:
        return {stem: list(range(len(header)))}
    return {name: groups[name] for name in sorted(groups, key=natural_key)}
