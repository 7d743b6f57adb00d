"""One table (CSV, TSV or Parquet): features, identifiers and classes told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mvgraph.datasets.formats.columns import FEATURE_NAMES, ID_NAMES, Columns
from mvgraph.datasets.layout.labels import is_label_name

TABLES = (".csv", ".tsv", ".parquet", ".pq")
PARQUET = (".parquet", ".pq")


class Table(NamedTuple):
    """Numeric columns of a table, and what stood beside them."""

    header: list[str]
    values: np.ndarray
    ids: np.ndarray | None = None
    label_name: str = ""
    labels: np.ndarray | None = None
    headed: bool = True
    only_labels: bool = False
    vectors: Mapping[str, np.ndarray] = MappingProxyType({})  # cells are vectors

    def turned(self) -> Table:
        """Return the table with samples in rows, if it had them in columns."""
        if self.ids is None:
            header = [f"row_{i}" for i in range(len(self.values))]
        else:
            header = [str(name) for name in self.ids]
        ids = np.array(self.header, dtype=object) if self.headed else None
        return Table(header, self.values[:].T, ids)


def read_table(
    path: Path, label_name: str | None = None, *, samples_in_columns: bool = False
) -> Table:
    """Read a table with or without a header.

    The first column holds identifiers if it is text or is called ``id`` or similar; a
    column called `label_name`, or ``label``, ``class``, ``y`` or similar, holds
    classes. With `samples_in_columns` the table is as stored, its header names samples
    and its first column features: see :meth:`Table.turned`.

    Raises
    ------
    ValueError
        If another column is text, or if rows have different lengths.
    """
    columns = _open(path)
    header, text = columns.header, columns.text
    label = None if samples_in_columns else _label_column(columns, label_name)
    ids = 0 if label != 0 and _has_ids(columns, samples_in_columns) else None
    names = None if ids is None else columns.ids()
    features = [i for i in range(len(header)) if i not in (label, ids)]
    if label is not None and not features and not columns.vectors:
        values = columns.one(label)[:, None]
        return Table(header, values, names, only_labels=True)
    if (
        len(header) == 1 and text[0] and not columns.vectors
    ):  # classes in words and nothing else
        return Table(header, columns.one(0)[:, None], only_labels=True)
    words = [header[i] for i in features if text[i]]
    if words:
        _refuse_decimal_comma(path, words[0], columns.one(header.index(words[0])))
        raise ValueError(
            f"{path.name}: column {words[0]!r} is text. Remedy: encode it as numbers;"
            f' if it holds the classes, pass key_map={{"labels": {words[0]!r}}} (on the'
            f" command line --labels {words[0]!r})"
        )
    return Table(
        [header[i] for i in features],
        columns.numbers(features),
        names,
        "" if label is None else header[label],
        None if label is None else columns.one(label),
        columns.headed,
        vectors=columns.vectors,
    )


def _refuse_decimal_comma(path: Path, name: str, cells: np.ndarray) -> None:
    found = [str(c) for c in cells if re.fullmatch(r"\s*[+-]?\d+,\d+\s*", str(c))]
    if found:
        raise ValueError(
            f"{path.name}: column {name!r} is text, with a decimal comma in"
            f" {found[0]!r}. Remedy: write numbers with a decimal point; commas,"
            " semicolons (.csv) and tabs (.tsv) are read as separators of columns"
        )


def _open(path: Path) -> Columns:
    if path.suffix.lower() not in PARQUET:
        from mvgraph.datasets.formats.text import open_text

        return open_text(path)
    from mvgraph.datasets.formats.parquet import open_parquet

    return open_parquet(path)


def _label_column(columns: Columns, label_name: str | None) -> int | None:
    if label_name in columns.header:
        return columns.header.index(label_name)
    named = [i for i, name in enumerate(columns.header) if is_label_name(name.strip())]
    return named[-1] if named else None


def _has_ids(columns: Columns, samples_in_columns: bool) -> bool:
    if len(columns.header) + len(columns.vectors) == 1:
        return False
    if columns.text[0]:
        return True
    known = ("", *ID_NAMES, *(FEATURE_NAMES if samples_in_columns else ()))
    return columns.headed and columns.header[0].lower() in known
