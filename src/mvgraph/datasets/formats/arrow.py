"""Parquet files and folders, Feather and Arrow IPC files, through pyarrow."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.arrow_sizes import (
    byte_columns,
    decoded_bytes,
    nested_bytes,
    unpacked,
)
from mvgraph.datasets.formats.limits import check_size, output_of, readable
from mvgraph.datasets.formats.parts import Part, refuse_other_columns
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import extra
from mvgraph.views.columns import DATE, NUMBER, OTHER, TEXT, Columns, refuse_twice
from mvgraph.views.frames import columns_of
from mvgraph.views.lazy import ParquetArray


def open_parquet(path: Path, options: ReadOptions) -> Columns:
    """Open a Parquet file, or those of one table (`options.parts`).

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If a file is damaged, there are no rows, they would not fit into memory, the
        files have other columns, or the vectors of a column have different lengths.
    """
    pq = _import(path, "parquet")
    parts = options.parts or (Part(path),)
    with readable(path, "Parquet file"):
        metas = [_metadata(part.path, pq) for part in parts]
        _refuse_differences(path, parts, metas)
        options.admit_rows(sum(meta.num_rows for meta in metas))
        large = _open_large(path, parts, metas, options)
        if large is not None:
            return large
        nested = [
            nested_bytes(part.path, meta, options)
            for part, meta in zip(parts, metas, strict=True)
        ]
        check_size(path.name, sum(map(decoded_bytes, metas)) + sum(nested), options)
        # repeated texts stay one until it is known what all of them take
        texts = byte_columns(metas[0])
        return _columns(path, _read_parts(parts, None, texts), options)


def _metadata(path: Path, pq: Any) -> Any:
    with readable(path, "Parquet file"):
        meta = pq.read_metadata(path)
        refuse_twice(path.name, meta.schema.to_arrow_schema().names)
    return meta


def _refuse_differences(
    path: Path, parts: Sequence[Part], metas: Sequence[Any]
) -> None:
    schemas = [meta.schema.to_arrow_schema() for meta in metas]
    of = [{field.name: _kind(field.type) for field in schema} for schema in schemas]
    known = {name: kind for own in reversed(of) for name, kind in own.items() if kind}
    for part, own in zip(parts[1:], of[1:], strict=True):
        first, second = (
            {name: kind or known.get(name, TEXT) for name, kind in one.items()}
            for one in (of[0], own)
        )
        refuse_other_columns(path, parts[0].name, first, part.name, second)


def _kind(of: Any) -> str:
    """Return the kind of a column by its type; empty text where all is missing."""
    import pyarrow.types as kinds

    if kinds.is_null(of):
        return ""
    if kinds.is_nested(of):
        return OTHER
    number = kinds.is_integer(of) or kinds.is_floating(of) or kinds.is_boolean(of)
    if number or _is_converted(of):
        return NUMBER
    return DATE if kinds.is_temporal(of) else TEXT


def _is_converted(of: Any) -> bool:
    """Return whether a type is made numbers in memory alone: decimals, durations."""
    import pyarrow.types as kinds

    return bool(kinds.is_decimal(of) or kinds.is_duration(of))


def _needs_memory(schema: Any) -> bool:
    """Return whether a table has columns that cannot be read in place."""
    return any(_kind(f.type) == OTHER or _is_converted(f.type) for f in schema)


def _read_parts(
    parts: Sequence[Part], columns: list[str] | None, texts: Sequence[str]
) -> Any:
    """Read the rows of all files, with the columns that their folders stand for."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for part in parts:
        stored = None
        if columns is not None:
            stored = [name for name in columns if name not in part.values]
        table = pq.read_table(
            part.path, columns=stored, read_dictionary=texts, partitioning=None
        )
        n_rows = pq.read_metadata(part.path).num_rows
        for name, value in part.values.items():
            if columns is None or name in columns:
                is_text = value is None or isinstance(value, str)
                cell = pa.scalar(value, pa.string() if is_text else None)
                made = pa.repeat(cell, n_rows)
                there = name in table.column_names
                table = table.drop_columns(name) if there else table
                table = table.append_column(name, made)
        tables.append(table)
    if len(tables) == 1:
        return tables[0]
    return pa.concat_tables(tables, promote_options="permissive")


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
        check_size(path.name, int(output_of("arrow", path, options)), options)
        reader = ipc.open_file if head == b"ARROW1" else ipc.open_stream
        with (
            _import(path, "lib").OSFile(str(path)) as stream,
            reader(stream) as batches,
        ):
            table = batches.read_all()
        return _columns(path, table, options)


def _import(path: Path, module: str) -> Any:
    work = f"{path.name} is a {module.capitalize()} file, which"
    with extra(work, "pyarrow", "files"):
        return import_module(f"pyarrow.{module}")


def _columns(path: Path, table: Any, options: ReadOptions) -> Columns:
    if not table.num_rows:
        raise ValueError(
            f"{path.name}: a table with {table.num_columns} columns but no rows. "
            "Write one row per sample"
        )
    index, coded = _index(table.schema), _categories(table.schema)
    if len(index) > 1:
        table, index = _one_level(table, index)
    names = [*index, *(name for name in table.schema.names if name not in index)]
    refuse_twice(path.name, names)
    table = table.select(names)
    table = table.rename_columns([_shown(n) for n in table.column_names])
    plain, vectors = unpacked(table, path.name, options)
    columns = columns_of(plain, path.name)
    return replace(
        columns,
        index=_named_index(index),
        vectors={**columns.vectors, **vectors},
        categories={i: () for i, n in enumerate(columns.header) if n in coded},
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
    columns = _of_pandas(schema, "index_columns")
    return [name for name in columns if isinstance(name, str) and name in schema.names]


def _categories(schema: Any) -> list[str]:
    """Return the columns that were categories in pandas, whatever holds them now."""
    columns = _of_pandas(schema, "columns")
    return [c["name"] for c in columns if c.get("pandas_type") == "categorical"]


def _of_pandas(schema: Any, key: str) -> Any:
    """Return what pandas stored beside a table."""
    meta = (schema.metadata or {}).get(b"pandas")
    return json.loads(meta).get(key, ()) if meta else ()


def _named_index(index: list[str]) -> int | None:
    """Return 0 if the only index column has a name, else None."""
    return 0 if len(index) == 1 and _shown(index[0]) == index[0] else None


def _shown(name: str) -> str:
    return re.sub(r"__index_level_\d+__", "index", name)


def _kind_in_file(name: str, schema: Any, values: Sequence[Mapping[str, Any]]) -> str:
    """Return the kind of a column of files, or of the folders that they are in."""
    if name not in values[0]:
        return _kind(schema.field(name).type) or TEXT
    return TEXT if any(isinstance(v[name], str) for v in values) else NUMBER


def _open_large(
    path: Path, parts: Sequence[Part], metas: Sequence[Any], options: ReadOptions
) -> Columns | None:
    """Open large files of plain columns without reading them; None for others."""
    schema = metas[0].schema.to_arrow_schema()
    small = sum(map(decoded_bytes, metas)) <= options.eager_bytes
    if small or _needs_memory(schema):
        return None
    groups = ((meta, g) for meta in metas for g in range(meta.num_row_groups))
    largest = max((decoded_bytes(meta, g) for meta, g in groups), default=0)
    check_size(f"{path.name}: the largest row group", largest, options)
    index = _index(schema)
    if len(index) > 1:
        return None
    values = [part.values for part in parts]
    own = [name for name in schema.names if name not in (*index, *values[0])]
    names = [*index, *own, *values[0]]
    kinds = [_kind_in_file(name, schema, values) for name in names]
    n_rows = sum(meta.num_rows for meta in metas)

    def read(i: int) -> Columns:
        check_size(f"{path.name}: column {names[i]!r}", 8 * n_rows, options)
        texts = [] if kinds[i] == NUMBER else [names[i]]
        table = _read_parts(parts, [names[i]], texts)
        return columns_of(unpacked(table, path.name, options)[0], path.name)

    def one(i: int) -> np.ndarray:
        return read(i).one(0)

    def written(i: int) -> np.ndarray:
        return read(i).ids(0)

    def numbers(columns: Sequence[int]) -> ParquetArray:
        paths = [part.path for part in parts]
        return ParquetArray(paths, [names[i] for i in columns], values)

    return Columns(
        [_shown(n) for n in names], kinds, one, numbers, written,
        index=_named_index(index), where=path.name,
    )  # fmt: skip
