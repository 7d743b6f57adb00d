"""Tables: one file for all views, or a folder with one file per view."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets._labels import is_label_name
from mvgraph.datasets._layout import natural_key
from mvgraph.datasets._npz import read_numpy
from mvgraph.datasets._source import Source
from mvgraph.datasets._table import TABLES, Table, read_table

ARRAYS = (".npy", ".npz")


def read_folder(path: Path, label_name: str | None = None) -> Source:
    """Read a folder with one table or array per view, classes in ``labels.csv``.

    Classes may also be a column of each table.

    Raises
    ------
    ValueError
        If there is no table, or if the tables name different samples.
    """
    files = [p for p in path.iterdir() if p.suffix.lower() in (*TABLES, *ARRAYS)]
    stems = [file.stem for file in files]
    twice = sorted({stem for stem in stems if stems.count(stem) > 1})
    if twice:
        raise ValueError(f"{path}: two files are called {twice[0]!r}")
    variables: dict[str, Any] = {}
    ids: dict[str, np.ndarray] = {}
    for file in sorted(files, key=lambda file: natural_key(file.name)):
        if file.suffix.lower() in ARRAYS:
            variables |= read_numpy(file).variables
            continue
        table = read_table(file, label_name)
        variables[file.stem] = table.values
        _add_labels(path, variables, table)
        if table.ids is not None:
            ids[file.stem] = table.ids
    views = tuple(k for k in variables if k != label_name and not is_label_name(k))
    if not views:
        raise ValueError(
            f"{path}: no table of a view in this folder. Remedy: one .csv, .tsv,"
            " .parquet or .npy per view, and labels.csv for the classes"
        )
    _check_same_ids(path, ids)
    common = next(iter(ids.values()), None)
    return Source(path, "folder of tables", variables, common, views, rows_first=True)


def read_table_file(path: Path, label_name: str | None = None) -> Source:
    """Read one table; columns named like ``v1_...``, ``v2_...`` make several views."""
    table = read_table(path, label_name)
    groups = _groups(path.stem, table.header)
    variables: dict[str, Any] = {k: table.values[:, v] for k, v in groups.items()}
    _add_labels(path, variables, table)
    return Source(path, "table", variables, table.ids, tuple(groups), rows_first=True)


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


def _check_same_ids(path: Path, ids: dict[str, np.ndarray]) -> None:
    first = next(iter(ids), "")
    for name, own in ids.items():
        if not np.array_equal(own, ids[first]):
            raise ValueError(
                f"{path}: tables {first!r} and {name!r} do not name the same samples"
                " in the same order. Remedy: sort both by identifier, keep common ones"
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
