"""Parquet files and folders: plain columns, and columns whose cells are vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.columns import Columns
from mvgraph.views.lazy import EAGER, ParquetArray


def open_parquet(path: Path) -> Columns:
    """Open a Parquet file, or a folder of its parts.

    Raises
    ------
    ImportError
        If pandas or pyarrow is not installed.
    ValueError
        If the file is damaged, if it has no rows, or if the vectors of a column have
        different lengths.
    """
    try:
        import pandas as pd

        large = _open_large(path)
        if large is not None:
            return large
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise ImportError(
            f"{path.name} is a Parquet file, which needs pandas and pyarrow:"
            " pip install 'mvgraph[files]'"
        ) from error
    except (ValueError, OSError) as error:  # what pyarrow raises for broken files
        raise ValueError(
            f"{path.name}: cannot be read as Parquet ({error}). Remedy: write or fetch"
            " the file again"
        ) from error
    if not len(frame):
        raise ValueError(
            f"{path.name}: a table of {len(frame.columns)} columns and no rows. Remedy:"
            " write a row a sample"
        )
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    vectors = {
        name: _stack(path, name, frame[name])
        for name in frame.columns
        if isinstance(_first(frame[name]), np.ndarray | list)
    }
    frame = frame.drop(columns=list(vectors))
    text = [not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]

    def one(i: int) -> np.ndarray:
        values = frame.iloc[:, i]
        return values.to_numpy().astype(str) if text[i] else values.to_numpy()

    def numbers(columns: Sequence[int]) -> np.ndarray:
        return frame.iloc[:, list(columns)].to_numpy()

    names = list(frame.columns)
    return Columns(names, text, True, one, numbers, lambda: one(0), vectors)


def _open_large(path: Path) -> Columns | None:
    """Open a large file of plain columns without reading it; None for any other."""
    import pyarrow.parquet as pq
    import pyarrow.types as kinds

    if path.is_dir():
        return None
    meta, schema = pq.read_metadata(path), pq.read_schema(path)
    size = sum(meta.row_group(g).total_byte_size for g in range(meta.num_row_groups))
    if size <= EAGER or any(kinds.is_nested(field.type) for field in schema):
        return None
    index = [i for i in (schema.pandas_metadata or {}).get("index_columns", ())
             if isinstance(i, str)]  # fmt: skip
    names = [*index, *(name for name in schema.names if name not in index)]
    text = [
        np.dtype(schema.field(name).type.to_pandas_dtype()).kind not in "fiub"
        for name in names
    ]

    def one(i: int) -> np.ndarray:
        values = pq.read_table(path, columns=[names[i]]).column(0).to_numpy()
        return values.astype(str) if text[i] else values

    def numbers(columns: Sequence[int]) -> ParquetArray:
        return ParquetArray(path, [names[i] for i in columns])

    shown = [re.sub(r"__index_level_\d+__", "index", name) for name in names]
    return Columns(shown, text, True, one, numbers, lambda: one(0))


def _first(cells: Any) -> Any:
    """Return the first cell of a column that holds something."""
    if cells.dtype != object:
        return None
    return next((cell for cell in cells if cell is not None), None)


def _stack(path: Path, name: str, cells: Any) -> np.ndarray:
    """Put the vectors of a column below each other; an empty cell is a row of NaN."""
    width = len(_first(cells))
    rows = [np.full(width, np.nan) if cell is None else cell for cell in cells]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ValueError(
            f"{path.name}: the vectors in column {name!r} have different lengths"
            f" ({sorted(lengths)[:3]}). Remedy: keep vectors of one length"
        )
    return np.stack(rows)
