"""One table (CSV, Parquet, Arrow, a sheet): features, identifiers, classes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mvgraph.datasets.formats.header import FEATURE_NAMES
from mvgraph.datasets.formats.text import COMPRESSED
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted
from mvgraph.views.columns import (
    NUMBER,
    TEXT,
    Columns,
    RowNames,
    find_names,
    refuse_no_numbers,
    rows_with_names,
)
from mvgraph.views.identifiers import is_id_name

TEXTS = (".csv", ".tsv", ".tab", ".txt")
PARQUET = (".parquet", ".pq")
ARROW = (".feather", ".arrow", ".ipc")
TABLES = (*TEXTS, *PARQUET, *ARROW)
NOT_NAMED = "not one of the views that were named"
AS_LABELS = (
    '; if it holds the classes, pass key_map={{"labels": {name!r}}} (on the command'
    " line --labels {name!r})"
)


class Table(NamedTuple):
    """Numeric columns of a table, and what stood beside them."""

    header: list[str]
    values: Any
    ids: np.ndarray | None = None
    label_name: str = ""
    labels: np.ndarray | None = None
    headed: bool = True
    only_labels: bool = False
    vectors: Mapping[str, np.ndarray] = MappingProxyType({})  # cells are vectors
    id_name: str = ""
    names: RowNames = RowNames()
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def turned(self) -> Table:
        """Return the table with samples in rows, if it had them in columns."""
        if self.ids is None:
            header = [f"row_{i}" for i in range(len(self.values))]
        else:
            header = [str(name) for name in self.ids]
        ids = np.array(self.header, dtype=object) if self.headed else None
        named = self.ids is not None
        return Table(header, self.values[:].T, ids, headed=named, id_name="header")


def is_table(path: Path) -> bool:
    """Tell a table by the ending of its name, compressed or not."""
    return kind_of(path) in TABLES


def kind_of(path: Path) -> str:
    """Return the ending that tells the format: ``.csv`` for ``a.csv.gz``."""
    suffix = path.suffix.lower()
    if suffix in COMPRESSED:
        inner = Path(path.stem).suffix.lower()
        return inner if inner in TEXTS else suffix
    return suffix


def stem_of(path: Path) -> str:
    """Return the name of a file without its endings."""
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSED else path.stem


def read_table(
    path: Path, options: ReadOptions, *, samples_in_columns: bool = False
) -> Table:
    """Read a table with or without a header.

    Which column names the rows: see `mvgraph.views.columns`. A column called as the
    options say, or ``label``, ``class``, ``y`` or similar, holds classes.
    With `samples_in_columns` the table is as stored, its header names samples and its
    first column features: see :meth:`Table.turned`.

    Raises
    ------
    ValueError
        If another column is no numbers, or if rows have different lengths.
    """
    return table_of(_open(path, options), path.name, options, samples_in_columns)


def table_of(
    columns: Columns, where: str, options: ReadOptions, samples_in_columns: bool = False
) -> Table:
    """Tell ids, classes and features of opened columns apart; see `read_table`."""
    header, notes = columns.header, list(columns.notes)
    options.log.columns.update(header)
    label = None if samples_in_columns else _label_column(columns, options, notes)
    found = _names(columns, where, options, label, samples_in_columns)
    at = found.at
    known = {label, at, *(i for i, _ in found.aside)}
    features = [i for i in range(len(header)) if i not in known]
    left_out = [(header[i] or "the first column", why) for i, why in found.aside]
    if len(header) == 1 and columns.kinds[0] == TEXT and not columns.vectors:
        # classes in words and nothing else
        return Table(header, columns.one(0)[:, None], only_labels=True)
    wanted = options.names_of_views()
    if wanted and set(wanted) <= set(columns.vectors):
        left_out += [(header[i], NOT_NAMED) for i in features]
        features = []
    if not columns.headed:
        notes.append("no header; the first line is a sample")
    refuse_no_numbers(columns, features, where, AS_LABELS)
    if label is not None and options.without_labels:
        left_out.append((header[label], "it holds labels, which are not read"))
    table = Table(
        [header[i] for i in features],
        columns.numbers(features),
        found.ids,
        "" if label is None else header[label],
        None if label is None else columns.one(label),
        columns.headed,
        vectors=columns.vectors,
        id_name="" if at is None else header[at],
        names=found,
        left_out=tuple(left_out),
        notes=tuple(notes),
    )
    table = _without_blank_lines(table, where)
    if table.labels is not None and not features and not columns.vectors:
        return table._replace(
            header=[table.label_name], values=table.labels[:, None], labels=None,
            label_name="", only_labels=True, left_out=(),
        )  # fmt: skip
    return table


def _names(
    columns: Columns, where: str, options: ReadOptions, label: int | None, turned: bool
) -> RowNames:
    if not turned:
        return find_names(columns, where, options.said, {label})
    first = columns.header[0]  # the rows are features
    known = first.lower() in FEATURE_NAMES or is_id_name(first)
    if columns.kinds[0] == TEXT or (columns.headed and known):
        return RowNames(0, columns.ids(0))
    return RowNames()


def _without_blank_lines(table: Table, where: str) -> Table:
    """Drop the lines in which nothing stands, names included, and say how many."""
    if table.ids is None:
        return table
    blocks = [table.values, *table.vectors.values()]
    blocks += [] if table.labels is None else [table.labels]
    kept = rows_with_names(table.ids, blocks, where, table.id_name)
    if kept is None:
        return table
    told = f"{counted(int((~kept).sum()), 'blank line')} left out"
    return table._replace(
        values=table.values[kept],
        ids=table.ids[kept],
        labels=None if table.labels is None else table.labels[kept],
        vectors={name: block[kept] for name, block in table.vectors.items()},
        notes=(*table.notes, told),
    )


def _open(path: Path, options: ReadOptions) -> Columns:
    kind = kind_of(path)
    if path.is_file():  # what it holds goes before what it is called
        with path.open("rb") as stream:
            head = stream.read(4)
        kind = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"FEA1": ".arrow"}.get(
            head, kind
        )
    if kind in PARQUET:
        from mvgraph.datasets.formats.arrow import open_parquet

        return open_parquet(path, options)
    if kind in ARROW:
        from mvgraph.datasets.formats.arrow import open_feather

        return open_feather(path, options)
    from mvgraph.datasets.formats.text import open_text

    return open_text(path, options)


def _label_column(
    columns: Columns, options: ReadOptions, notes: list[str]
) -> int | None:
    """Find the classes: asked for by name, or called so and whole numbers or text."""
    if options.label_name in columns.header:
        return columns.header.index(options.label_name)
    named = [i for i, name in enumerate(columns.header) if is_label_name(name.strip())]
    if not named:
        return None
    last = named[-1]
    others = [columns.header[i] for i in named[:-1]]
    notes += [f"column {n!r} is called like labels and is a feature" for n in others]
    if columns.kinds[last] == NUMBER and len(columns.header) > 1:
        values = np.asarray(columns.one(last))
        known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        if not np.array_equal(known, np.rint(known)):
            notes.append(
                f"column {columns.header[last]!r} is a feature and no labels: it holds"
                " fractions"
            )
            return None
    return last
