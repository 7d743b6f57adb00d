"""One table (CSV, Parquet, Arrow, a sheet): features, identifiers and classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mvgraph.datasets.formats.encoded import encoded_table
from mvgraph.datasets.formats.header import FEATURE_NAMES
from mvgraph.datasets.formats.parts import stacked
from mvgraph.datasets.formats.text import COMPRESSED
from mvgraph.datasets.layout.labels import label_column
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted
from mvgraph.tables.choosing import refuse_no_view, with_features
from mvgraph.tables.encoding import PLAIN_VIEW, Encoded
from mvgraph.tables.learning import encode_again
from mvgraph.tables.options import IGNORE, LEFT_OUT
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.columns import TEXT, Columns, refuse_no_numbers
from mvgraph.views.identifiers import is_id_name
from mvgraph.views.joining import take_rows
from mvgraph.views.row_names import RowNames, find_names, without_blank_rows
from mvgraph.views.shared_columns import Unnamed

TEXTS = (".csv", ".tsv", ".tab", ".txt")
PARQUET = (".parquet", ".pq")
ARROW = (".feather", ".arrow", ".ipc")
#: Endings by the first bytes of a file.
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"FEA1": ".arrow"}
TABLES = (*TEXTS, *PARQUET, *ARROW)
AS_LABELS = (
    '; if it contains the classes, pass key_map={{"labels": {name!r}}} (on the command'
    " line --labels {name!r})"
)


class Table(NamedTuple):
    """The feature columns of a table, with its identifiers and classes."""

    header: list[str]
    values: Any
    ids: np.ndarray | None = None
    label_name: str = ""
    labels: np.ndarray | None = None
    headed: bool = True
    only_labels: bool = False
    vectors: Mapping[str, np.ndarray] = MappingProxyType({})  # cells are vectors
    id_name: str = ""
    was_turned: bool = False
    names: RowNames = RowNames()
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    encoder: TableEncoder | None = None  # None: numbers as they are
    features: Mapping[str, list[str]] = MappingProxyType({})  # of vectors with names
    complete: np.ndarray | None = None  # rows that stay, where others are dropped
    unused: bool = False  # all columns were left out on purpose
    unnamed: Unnamed | None = None  # its columns, where none is called names
    #: learns again from some rows; None: there is nothing to learn, or it was before
    again: Callable[[np.ndarray], Table] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.values.shape[0]

    def take(self, rows: np.ndarray) -> Table:
        """Return the rows of samples, -1 for NaN, encoded by what these teach."""
        used = np.unique(rows[rows >= 0])
        if self.again is not None and len(used) < self.n_rows:
            return self.again(used)._replace(again=None).take(rows)
        values = self.values
        return self._replace(
            values=values[rows] if self.only_labels else take_rows(values, rows),
            ids=None,
            unnamed=None,
            complete=None,
            labels=None if self.labels is None else self.labels[rows],
            vectors={key: take_rows(v, rows) for key, v in self.vectors.items()},
        )

    def turned(self) -> Table:
        """Return the table with samples in rows, if it had them in columns."""
        if self.ids is None:
            header = [f"row_{i}" for i in range(len(self.values))]
        else:
            header = [str(name) for name in self.ids]
        ids = np.array(self.header, dtype=object) if self.headed else None
        named = self.ids is not None
        return Table(
            header, self.values[:].T, ids, headed=named, id_name="header",
            was_turned=True,
        )  # fmt: skip


def is_table(path: Path) -> bool:
    """Return whether a file name has the ending of a table, compressed or not."""
    return kind_of(path) in TABLES


def kind_of(path: Path) -> str:
    """Return the ending that names the format: ``.csv`` for ``a.csv.gz``."""
    suffix, inner = path.suffix.lower(), Path(path.stem).suffix.lower()
    return inner if suffix in COMPRESSED and inner in TEXTS else suffix


def stem_of(path: Path) -> str:
    """Return the name of a file without its endings; of a pattern what is before it."""
    stem = Path(path.stem).stem if path.suffix.lower() in COMPRESSED else path.stem
    start = re.split(r"[*?\[]", stem)[0]
    return stem if start == stem else start.rpartition("=")[2].rstrip("-_. ") or "table"


def read_table(
    path: Path,
    options: ReadOptions,
    *,
    samples_in_columns: bool = False,
    single: bool = False,
) -> Table:
    """Read a table with or without a header.

    `mvgraph.views.row_names` decides which column names the rows. The classes are in
    the column chosen in the options, or called ``label``, ``class``, ``y`` or similar.
    In a `single` table, numbered prefixes of columns make views. With
    `samples_in_columns`, the table is returned as stored; see :meth:`Table.turned`.

    Raises
    ------
    ValueError
        If another column cannot be used, or if rows have different lengths.
    """
    columns, name = open_columns(path, options), stem_of(path)
    return table_of(columns, options, samples_in_columns, name=name, single=single)


def table_of(
    columns: Columns,
    options: ReadOptions,
    samples_in_columns: bool = False,
    *,
    name: str,
    single: bool = False,
) -> Table:
    """Separate ids, classes and features of opened columns; see `read_table`."""
    header, notes = columns.header, list(columns.notes)
    options.log.columns |= {(name, column) for column in (*header, *columns.vectors)}
    label = None if samples_in_columns else label_column(columns, name, options, notes)
    row_names = _names(columns, name, options, label, samples_in_columns)
    at = row_names.at
    not_features = {label, at, *(i for i, _ in row_names.aside)}
    features = [i for i in range(len(header)) if i not in not_features]
    left_out = [(header[i] or "the first column", why) for i, why in row_names.aside]
    if len(header) == 1 and columns.kinds[0] == TEXT and not columns.vectors:
        return Table(header, columns.one(0)[:, None], only_labels=True)
    rest = (i for i in range(len(header)) if i != at)
    columns, row_names, n_blank = without_blank_rows(columns, row_names, rest)
    notes += [f"{counted(n_blank, 'blank line')} left out"] if n_blank else []
    if not columns.headed:
        notes.append("no header; the first line is a sample")
    if label is not None and options.without_labels:
        left_out.append((header[label], "it contains labels, which are not read"))
    if samples_in_columns:
        refuse_no_numbers(columns, features, AS_LABELS)
        encoder, content = None, columns.numbers(features)
    else:
        aside = {header[i] for i in not_features if i is not None}
        encoder, content = encoded_table(
            columns, features, name, options, aside, single
        )
    table = Table(
        [header[i] for i in features],
        None,
        row_names.ids,
        "" if label is None else header[label],
        None if label is None else columns.one(label),
        columns.headed,
        id_name="" if at is None else header[at],
        names=row_names,
        left_out=tuple(left_out),
        notes=tuple(notes),
        unnamed=Unnamed(name, columns, row_names.rest) if not single else None,
    )
    if content is None:
        table = table._replace(encoder=encoder, unused=table.labels is None)
        return table if table.unused else _only_labels(table)
    if encoder is not None:
        made = _of_encoded(table, encoder, content, columns.where)
        none = table._replace(values=np.empty((made.values.shape[0], 0)))
        learn = partial(_of_rows, none, encoder, columns)
        return made._replace(again=None if options.encoders else learn)
    table = table._replace(values=content, vectors=columns.vectors)
    if table.labels is not None and not features and not columns.vectors:
        return _only_labels(table._replace(left_out=()))
    return table


def _of_rows(
    table: Table, encoder: TableEncoder, columns: Columns, rows: np.ndarray
) -> Table:
    return _of_encoded(table, *encode_again(encoder, columns, rows), columns.where)


def _only_labels(table: Table) -> Table:
    return table._replace(
        header=[table.label_name], values=np.asarray(table.labels)[:, None],
        labels=None, label_name="", only_labels=True,
    )  # fmt: skip


def _of_encoded(
    table: Table, encoder: TableEncoder, encoded: Encoded, where: str
) -> Table:
    """Put the views that the columns became into a table: the plain one, and others."""
    views, names = {**encoded.views}, {**encoded.features}
    unused = encoder.of_kinds(IGNORE)
    rest = [(c.name, c.use.removeprefix(LEFT_OUT)) for c in unused]
    if not views and table.labels is not None:
        return _only_labels(table._replace(left_out=(*table.left_out, *rest)))
    if not views:
        refuse_no_view(encoder, where)
    n_samples = next(iter(views.values())).shape[0]
    return table._replace(
        header=names.pop(PLAIN_VIEW, []),
        values=views.pop(PLAIN_VIEW, np.empty((n_samples, 0))),
        vectors=views,
        features=names,
        encoder=encoder,
        complete=encoded.complete,
        left_out=(*table.left_out, *rest),
        notes=(*table.notes, *encoded.notes),
    )


def _names(
    columns: Columns,
    name: str,
    options: ReadOptions,
    label: int | None,
    turned: bool,
) -> RowNames:
    if not turned:
        said = options.said
        wanted = options.names_of_views()
        fitted = options.encoders.of_table(name) if options.encoders else None
        said = with_features(said, columns.header, name, options.tables, wanted, fitted)
        return find_names(columns, said, {label})
    first = columns.header[0]  # the rows are features
    is_named = first.lower() in FEATURE_NAMES or is_id_name(first)
    if columns.kinds[0] == TEXT or (columns.headed and is_named):
        return RowNames(0, columns.ids(0))
    return RowNames()


def open_columns(path: Path, options: ReadOptions) -> Columns:
    """Open a table of any format, whatever it is called, or the parts of one."""
    parts, kind = options.parts, PARQUET[0] if options.parts else kind_of(path)
    if not all(kind_of(part.path) in PARQUET for part in parts):
        tables = [open_columns(part.path, replace(options, parts=())) for part in parts]
        return stacked(path, tables, [part.name for part in parts])
    if path.is_file():  # the content takes precedence over the name
        with path.open("rb") as stream:
            head = stream.read(4)
        kind = MAGIC.get(head, kind)
    if kind in PARQUET:
        from mvgraph.datasets.formats.arrow import open_parquet

        return open_parquet(path, options)
    if kind in ARROW:
        from mvgraph.datasets.formats.arrow import open_feather

        return open_feather(path, options)
    from mvgraph.datasets.formats.text import open_text

    return open_text(path, options)
