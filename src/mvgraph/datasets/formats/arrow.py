"""Parquet files and folders, Feather and Arrow IPC files, through pyarrow."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.arrow_sizes import byte_columns, decoded_bytes, unpacked
from mvgraph.datasets.formats.ipc_sizes import unpacked_bytes
from mvgraph.datasets.formats.limits import check_size, readable
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns, refuse_twice
from mvgraph.views.frames import columns_of
from mvgraph.views.lazy import ParquetArray

__all__ = ["open_feather", "open_parquet"]


def open_parquet(path: Path, options: ReadOptions) -> Columns:
    """Open a Parquet file, or a folder of its parts.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If the file is damaged, has no rows, would not fit into memory, or if the
        vectors of a column have different lengths.
    """
    pq = _import(path, "parquet")
    with readable(path, "Parquet file"):
        parts = _parts(path, pq)
        if not path.is_dir():
            refuse_twice(path.name, pq.read_schema(path).names)
            large = _open_large(path, pq, parts[0], options)
            if large is not None:
                return large
        check_size(path.name, sum(map(decoded_bytes, parts)), options)
        # repeated texts stay one until it is known what all of them take
        texts = byte_columns(parts[0])
        return _columns(path, pq.read_table(path, read_dictionary=texts), options)


def _parts(path: Path, pq: Any) -> list[Any]:
    """Return the metadata of a file, or of every file of a folder."""
    if not path.is_dir():
        return [pq.read_metadata(path)]
    parts = [one.metadata for one in pq.ParquetDataset(path).fragments]
    if not parts:
        raise ValueError(f"{path.name}: no Parquet file in this folder. Add one")
    return parts


def open_feather(path: Path, options: ReadOptions) -> Columns:
    """Open a Feather or Arrow IPC file, or a stream of it.

    Raises
    ------
    ImportError, ValueError
        As `open_parquet`.
    """
    ipc = _import(path, "ipc")
    with readable(path, "Arrow file"):
        with path.open("rb") as stream:
            head = stream.read(6)
        check_size(path.name, path.stat().st_size, options)
        if head == b"FEA1":
            import pyarrow.feather

            return _columns(path, pyarrow.feather.read_table(path), options)
        check_size(path.name, unpacked_bytes(path), options)
        reader = ipc.open_file if head == b"ARROW1" else ipc.open_stream
        with (
            _import(path, "lib").OSFile(str(path)) as stream,
            reader(stream) as batches,
        ):
            table = batches.read_all()
        table.validate(full=True)
        return _columns(path, table, options)


def _import(path: Path, module: str) -> Any:
    try:
        from importlib import import_module

        return import_module(f"pyarrow.{module}")
    except ImportError as error:
        raise ImportError(
            f"{path.name} is a {module.capitalize()} file, which needs pyarrow:"
            " pip install 'mvgraph[files]'"
        ) from error


def _columns(path: Path, table: Any, options: ReadOptions) -> Columns:
    if not table.num_rows:
        raise ValueError(
            f"{path.name}: a table with {table.num_columns} columns but no rows. "
            "Write one row per sample"
        )
    index = _index(table.schema)
    if len(index) > 1:
        table, index = _one_level(table, index)
    names = [*index, *(name for name in table.schema.names if name not in index)]
    refuse_twice(path.name, names)
    table = table.select(names)
    table = table.rename_columns([_shown(n) for n in table.column_names])
    plain, vectors = unpacked(table, path.name, options)
    columns = columns_of(plain, path.name)
    return replace(
        columns, index=_named_index(index), vectors={**columns.vectors, **vectors}
    )


def _one_level(table: Any, index: list[str]) -> tuple[Any, list[str]]:
    """Join the levels of an index: together they name the rows."""
    levels = [table.column(name).to_pylist() for name in index]
    keys = [", ".join(map(str, key)) for key in zip(*levels, strict=True)]
    joined = ", ".join(map(_shown, index))
    table = table.drop_columns(index)
    return table.add_column(0, joined, [keys]), [joined]


def _index(schema: Any) -> list[str]:
    """Return the columns that pandas stored as the index; a range is not stored.

    A default index of shuffled rows is stored too: it names the rows.
    """
    meta = (schema.metadata or {}).get(b"pandas")
    columns = json.loads(meta).get("index_columns", ()) if meta else ()
    return [name for name in columns if isinstance(name, str) and name in schema.names]


def _named_index(index: list[str]) -> int | None:
    """Return 0 if the only index column has a name, else None."""
    return 0 if len(index) == 1 and _shown(index[0]) == index[0] else None


def _shown(name: str) -> str:
    return re.sub(r"__index_level_\d+__", "index", name)


def _open_large(path: Path, pq: Any, meta: Any, options: ReadOptions) -> Columns | None:
    """Open a large file of plain columns without reading it; None for other files."""
    import pyarrow.types as kinds

    schema = pq.read_schema(path)
    is_nested = any(kinds.is_nested(field.type) for field in schema)
    if decoded_bytes(meta) <= options.eager_bytes or is_nested:
        return None
    groups = range(meta.num_row_groups)
    largest = max((decoded_bytes(meta, g) for g in groups), default=0)
    check_size(f"{path.name}: the largest row group", largest, options)
    index = _index(schema)
    if len(index) > 1:
        return None
    names = [*index, *(name for name in schema.names if name not in index)]

    def kind(name: str) -> str:
        of = schema.field(name).type
        if kinds.is_temporal(of):
            return DATE
        number = kinds.is_integer(of) or kinds.is_floating(of) or kinds.is_boolean(of)
        return NUMBER if number else TEXT

    def one(i: int) -> np.ndarray:
        check_size(f"{path.name}: column {names[i]!r}", 8 * meta.num_rows, options)
        texts = [] if kind(names[i]) == NUMBER else [names[i]]
        table = pq.read_table(path, columns=[names[i]], read_dictionary=texts)
        column = unpacked(table, path.name, options)[0].column(0)
        if kind(names[i]) == NUMBER:
            return column.to_numpy()
        return np.array(column.to_pylist(), dtype=object)

    def numbers(columns: Sequence[int]) -> ParquetArray:
        return ParquetArray(path, [names[i] for i in columns])

    return Columns(
        [_shown(n) for n in names], [kind(n) for n in names], one, numbers,
        index=_named_index(index),
    )  # fmt: skip
