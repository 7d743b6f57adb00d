"""One table (CSV, Parquet, Arrow, a sheet): features, identifiers, classes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mvgraph.datasets.formats.sniff import FEATURE_NAMES
from mvgraph.datasets.formats.text import COMPRESSED
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted
from mvgraph.views.columns import NUMBER, TEXT, Columns, refuse_no_numbers
from mvgraph.views.identifiers import is_counter, is_index_name
from mvgraph.views.lazy import ParquetArray

TEXTS = (".csv", ".tsv", ".tab", ".txt")
PARQUET = (".parquet", ".pq")
ARROW = (".feather", ".arrow", ".ipc")
TABLES = (*TEXTS, *PARQUET, *ARROW)
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
    candidate: np.ndarray | None = None  # a first column that may name the rows
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    other_ids: tuple[str, ...] = ()  # features that look like identifiers too

    def turned(self) -> Table:
        """Return the table with samples in rows, if it had them in columns."""
        if self.ids is None:
            header = [f"row_{i}" for i in range(len(self.values))]
        else:
            header = [str(name) for name in self.ids]
        ids = np.array(self.header, dtype=object) if self.headed else None
        named = self.ids is not None
        return Table(header, self.values[:].T, ids, headed=named, id_name="header")

    def with_first_as_id(self) -> Table:
        """Return the table with its first column as identifiers."""
        values, header = self.values, self.header[1:]
        if not header and self.labels is not None and not self.vectors:
            classes = self.labels[:, None]
            return Table([self.label_name], classes, self.candidate, only_labels=True,
                         id_name=self.header[0])  # fmt: skip
        lazy = isinstance(values, ParquetArray)
        rest = values.select(range(1, len(self.header))) if lazy else values[:, 1:]
        return self._replace(
            header=header,
            values=rest,
            ids=self.candidate,
            id_name=self.header[0],
            candidate=None,
        )


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

    Which column holds identifiers: see `mvgraph.views.identifiers.find_id`. A column
    called as the options say, or ``label``, ``class``, ``y`` or similar, holds classes.
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
    label = None if samples_in_columns else _label_column(columns, options, notes)
    ids = _id_column(columns, label, samples_in_columns)
    names = None if ids is None else _whole_ids(columns, ids, where)
    features = [i for i in range(len(header)) if i not in (label, ids)]
    if label is not None and not features and not columns.vectors:
        values = columns.one(label)[:, None]
        return Table(
            header, values, names, only_labels=True,
            id_name="" if ids is None else header[ids],
        )  # fmt: skip
    if len(header) == 1 and columns.kinds[0] == TEXT and not columns.vectors:
        # classes in words and nothing else
        return Table(header, columns.one(0)[:, None], only_labels=True)
    left_out: list[tuple[str, str]] = []
    if ids not in (None, 0) and features[:1] == [0] and _is_index(columns):
        left_out.append((header[0] or "the first column", "it numbers the rows"))
        features = features[1:]
    other = columns.other_ids(features)
    notes += [f"column {n!r} looks like identifiers and is a feature" for n in other]
    if not columns.headed:
        notes.append("no header; the first line is a sample")
    refuse_no_numbers(columns, features, where, AS_LABELS)
    named = label is not None and options.without_labels
    if named:
        left_out.append((header[label], "it holds labels, which are not read"))  # type: ignore[index]
    rest = len(features) + len(columns.vectors) + (label is not None)
    may_name = ids is None and features[:1] == [0] and rest > 1
    return Table(
        [header[i] for i in features],
        columns.numbers(features),
        names,
        "" if label is None else header[label],
        None if label is None else columns.one(label),
        columns.headed,
        vectors=columns.vectors,
        id_name="" if ids is None else header[ids],
        candidate=columns.candidate() if may_name else None,
        left_out=tuple(left_out),
        notes=tuple(notes),
        other_ids=other,
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


def _id_column(columns: Columns, label: int | None, turned: bool) -> int | None:
    if turned and columns.headed and columns.header[0].lower() in FEATURE_NAMES:
        return 0
    found = columns.find_id()
    return None if found == label else found


def _is_index(columns: Columns) -> bool:
    """Return True if the first column is an index that a program wrote: numbers."""
    numbers = columns.kinds[0] == NUMBER and columns.candidate() is not None
    return numbers and (is_index_name(columns.header[0]) or is_counter(columns.ids(0)))


def _whole_ids(columns: Columns, i: int, where: str) -> np.ndarray:
    """Return identifiers; every row must have one."""
    ids = columns.ids(i)
    if ids.dtype != object and ids.dtype.kind != "f":
        return ids
    lacking = [row for row, value in enumerate(ids) if value is None or value != value]
    if lacking:
        raise ValueError(
            f"{where}: column {columns.header[i]!r} names the rows, but row"
            f" {lacking[0]} has no name ({counted(len(lacking), 'such row')}). "
            "Remedy: name every row, or leave the column out"
        )
    return ids
