"""What columns of Arrow and Parquet take once every cell is a value of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.limits import check_size, output_of
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.views.frames import refuse_lengths

#: Bytes of a value by the physical type of Parquet. Of texts only the index is counted
#: here: a dictionary keeps repeated ones once, and `unpacked` knows their lengths.
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
TEXT = "BYTE_ARRAY"
#: Bytes of a text as a Python object, beside its characters.
OBJECT = 57
#: A cell of numbers becomes eight bytes of the matrix of features.
CELL = 8


def byte_columns(meta: Any) -> list[str]:
    """Return the columns of a Parquet file that hold texts, by path."""
    columns = [meta.schema.column(i) for i in range(len(meta.schema))]
    return [c.path for c in columns if c.physical_type == TEXT and "." not in c.path]


def decoded_bytes(meta: Any, group: int | None = None) -> int:
    """Return the bytes of all values of a Parquet file, or of one of its row groups.

    Runs and dictionaries are counted as the values that they stand for, of which every
    plain column has one per row. Nested columns have more: `nested_bytes`.
    """
    groups = range(meta.num_row_groups) if group is None else [group]
    columns = [meta.schema.column(i) for i in range(len(meta.schema))]
    row = sum(max(WIDTHS.get(c.physical_type, c.length), CELL) for c in columns)
    found = [meta.row_group(g) for g in groups]
    return sum(max(row * g.num_rows, g.total_byte_size) for g in found)


def nested_bytes(path: Path, meta: Any, options: ReadOptions) -> int:
    """Return the bytes of the values of nested columns, 0 if there are none.

    pyarrow ends the process if it reads the metadata of a column that are damaged, so
    another process does.
    """
    columns = [meta.schema.column(i) for i in range(len(meta.schema))]
    if all(c.max_repetition_level == 0 for c in columns):
        return 0
    return CELL * int(output_of("values", path, options))


def unpacked(
    table: Any, where: str, options: ReadOptions
) -> tuple[Any, dict[str, np.ndarray]]:
    """Return a table with plain columns, and its columns of vectors as matrices.

    Dictionaries and runs are replaced by their values once these are known to fit.

    Raises
    ------
    TooLargeError
        If the values would not fit.
    ValueError
        If the vectors of a column have different lengths.
    """
    import pyarrow as pa

    check_size(where, CELL * table.num_rows * table.num_columns, options)
    vectors = {}
    for name in table.column_names:
        column, at = table.column(name), table.column_names.index(name)
        kind = column.type
        if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            check_size(f"{where}: column {name!r}", _values_bytes(column), options)
            table = table.set_column(at, name, column.cast(kind.value_type))
        elif _is_list_of_numbers(kind):
            matrix = _matrix(column, where, name, options)
            if matrix is not None:
                vectors[name] = matrix
    return table.drop_columns(list(vectors)), vectors


def _is_list_of_numbers(kind: Any) -> bool:
    from pyarrow import types

    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(is_kind(kind) for is_kind in lists) and (
        types.is_integer(kind.value_type) or types.is_floating(kind.value_type)
    )


def _matrix(column: Any, where: str, name: str, options: ReadOptions) -> Any:
    """Return vectors as rows, missing ones as NaN; None if any number is missing."""
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(column).drop_null()).to_pylist()
    if not lengths:
        return None
    check_size(f"{where}: column {name!r}", CELL * len(column) * max(lengths), options)
    refuse_lengths(where, name, lengths)
    held = pc.list_flatten(column.drop_null())
    if held.null_count:
        return None
    rows = held.to_numpy().reshape(-1, lengths[0])
    if not column.null_count:
        return rows
    matrix = np.full((len(column), lengths[0]), np.nan)
    matrix[pc.is_valid(column).to_numpy()] = rows
    return matrix


def _values_bytes(column: Any) -> int:
    """Return what the values of dictionaries, or of runs, take one by one."""
    import pyarrow as pa

    total = 0
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            sizes = _sizes(chunk.dictionary)
            which = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
            total += int(np.bincount(which, minlength=len(sizes)) @ sizes)
        else:
            ends = chunk.run_ends.to_numpy()
            total += int(np.diff(ends, prepend=0) @ _sizes(chunk.values))
    return total


def _sizes(values: Any) -> np.ndarray:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if (
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
    ):
        lengths = pc.fill_null(pc.binary_length(values), 0)
        return lengths.to_numpy(zero_copy_only=False).astype(np.int64) + OBJECT
    return np.full(len(values), CELL)
