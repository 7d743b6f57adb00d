"""Text tables (CSV, TSV, compressed or not), through the reader of pyarrow."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.limits import check_size, readable
from mvgraph.datasets.formats.sniff import SPACES, Dialect, is_number, sniff
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns
from mvgraph.views.frames import matrix_of
from mvgraph.views.identifiers import MISSING, is_id_name

__all__ = ["COMPRESSED", "open_text", "parse_text"]

COMPRESSED = (".gz", ".zst", ".bz2")
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
_PEEK = 100  # rows that tell how the table is written
_CHUNK, _MOST = 1 << 18, 1 << 26  # bytes read at a time, and at most, for these
_BOOLEANS = {"true", "false", "True", "False", "TRUE", "FALSE"}


def open_text(path: Path, options: ReadOptions) -> Columns:
    """Open a text table; its identifiers are kept as they are written.

    Raises
    ------
    ImportError
        pyarrow is not installed.
    ValueError
        The file is no text in UTF-8 (or UTF-16 with a mark), the table is empty, rows
        have different lengths, or it would not fit into memory.
    """
    arrow(path)
    with readable(path, "table of text"):
        check_size(path.name, path.stat().st_size, options)
        content = None
        head = _head(path)
        codec = next((c for mark, c in _CODECS.items() if head.startswith(mark)), None)
        if codec is not None:
            head = content = _unpacked(path, codec, options)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # Excel writes "Unicode text" so
            content = path.read_bytes() if content is None else content
            content = content.decode("utf-16").encode()
            head = content
        return parse_text(path, head, content, options)


def parse_text(
    path: Path, head: bytes, content: bytes | None, options: ReadOptions
) -> Columns:
    """Read a table from its bytes, or from its path where they are None."""
    whole = content is not None or len(head) == path.stat().st_size
    dialect = sniff(path.name, _lines(path, head, whole), ".tsv" in path.suffixes)
    if dialect.delimiter == SPACES:
        content = path.read_bytes() if content is None else content
        content = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", content)
        content = re.sub(rb"[ \t]+", b" ", content)
    table = _read(path, dialect, content, options.said.ids)
    notes = () if dialect.decimal == "." else (f"{path.name} has decimal commas",)
    return _columns(path, table, dialect, notes)


def arrow(path: Path) -> Any:
    """Import pyarrow, or say which extra has it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
    except ImportError as error:
        raise ImportError(
            f"{path.name} is a table, which needs pyarrow: pip install 'mvgraph[files]'"
        ) from error
    return pyarrow


def _unpacked(path: Path, codec: str, options: ReadOptions) -> bytes:
    """Unpack a compressed file, not more of it than the limit allows."""
    pieces, total = [], 0
    with arrow(path).input_stream(str(path), compression=codec) as stream:
        while piece := stream.read(1 << 22):
            total += len(piece)
            check_size(path.name, total, options)
            pieces.append(piece)
    return b"".join(pieces)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        head = stream.read(_CHUNK)
        while head.count(b"\n") < 3 and len(head) < _MOST:
            more = stream.read(len(head))
            if not more:
                break
            head += more
    return head


def _lines(path: Path, head: bytes, whole: bool) -> list[str]:
    """Return the first lines; the last one is cut unless the file ends with it."""
    if not whole:
        head = head[: head.rfind(b"\n") + 1] or head
    position = -1
    for _ in range(_PEEK + 20):
        position = head.find(b"\n", position + 1)
        if position < 0:
            break
    else:
        head = head[:position]
    try:
        return head.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise _no_text(path, error) from error


def _no_text(path: Path, error: Any) -> ValueError:
    return ValueError(
        f"{path.name}: not a text in UTF-8 ({error}). Remedy: save it as UTF-8"
    )


def _read(
    path: Path, dialect: Dialect, content: bytes | None, ids: Sequence[str]
) -> Any:
    """Read the table; types that the first rows promise and others break are text."""
    pa = arrow(path)
    types = _types(pa, dialect, ids)
    try:
        return _parse(path, dialect, content, types)
    except pa.ArrowInvalid as error:
        problem = error
    if "conversion error" in str(problem):
        try:
            everything = {name: pa.string() for name in _names(dialect)}
            return _parse(path, dialect, content, everything)
        except pa.ArrowInvalid as error:
            problem = error
    if "UTF8" in str(problem):
        raise _no_text(path, problem)
    _refuse_uneven(path, dialect, content)
    raise ValueError(
        f"{path.name}: not a table of text ({problem}). Remedy: check that the file is"
        " complete and that quotes are closed"
    ) from problem


def _parse(path: Path, dialect: Dialect, content: bytes | None, types: Any) -> Any:
    from pyarrow import csv as reader

    quoted = any('"' in cell or "\n" in cell for row in dialect.rows for cell in row)
    source: Any = str(path) if content is None else io.BytesIO(content)
    return reader.read_csv(
        source,
        reader.ReadOptions(
            column_names=_names(dialect),
            skip_rows=dialect.skip,
            block_size=_block_size(path, dialect),
        ),
        reader.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=quoted,
            invalid_row_handler=_skip_comments if dialect.comments else None,
        ),
        reader.ConvertOptions(
            column_types=types,
            null_values=list(MISSING),
            decimal_point=dialect.decimal,
        ),
    )


def _block_size(path: Path, dialect: Dialect) -> int:
    """Return bytes that hold at least a few rows; a row must fit into a block."""
    row = max((sum(map(len, cells)) + len(cells) for cells in dialect.rows), default=1)
    return max(1 << 20, 8 * row)


def _skip_comments(row: Any) -> str:
    return "skip" if row.text.startswith("#") else "error"


def _names(dialect: Dialect) -> list[str]:
    """Return names that differ, which those of the header need not do."""
    return [str(i) for i in range(len(dialect.header))]


def _types(pa: Any, dialect: Dialect, ids: Sequence[str]) -> dict[str, Any]:
    """Promise types by the first rows; what may name rows stays as it is written."""
    types = {}
    for i, name in enumerate(dialect.header):
        cells = [row[i] for row in dialect.rows if i < len(row)]
        if i == 0 or name in ids or is_id_name(name, first=False):
            types[str(i)] = pa.string()
        elif all(is_number(cell, dialect.decimal) for cell in cells):
            types[str(i)] = pa.float64()
        elif {cell.strip() for cell in cells} <= _BOOLEANS:
            types[str(i)] = pa.bool_()
    return types


def _columns(path: Path, table: Any, dialect: Dialect, notes: tuple) -> Columns:
    pa = arrow(path)
    texts = list(table.columns)
    values = [_as_numbers(pa, column, dialect.decimal) for column in texts]
    kinds = [
        NUMBER
        if number is not None
        else (DATE if pa.types.is_temporal(text.type) else TEXT)
        for text, number in zip(texts, values, strict=True)
    ]

    def numbers(which: Sequence[int]) -> np.ndarray:
        return matrix_of([_held(values[i]) for i in which], table.num_rows)

    def one(i: int) -> np.ndarray:
        if values[i] is not None:
            return _held(values[i])
        cells = _known(pa, texts[i].cast(pa.string())).to_pylist()
        return np.array(cells, dtype=object if None in cells else str)

    def written(i: int) -> np.ndarray:
        return np.array(texts[i].cast(pa.string()).fill_null("").to_pylist())

    header = dialect.header
    return Columns(
        header, kinds, one, numbers, written, headed=dialect.headed, notes=notes
    )


def _held(column: Any) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)


def _as_numbers(pa: Any, column: Any, decimal: str) -> Any:
    """Return a column as numbers, None if it holds anything else."""
    if pa.types.is_temporal(column.type):
        return None
    if pa.types.is_string(column.type):
        cut = pa.compute.utf8_trim_whitespace(column)
        if decimal == ",":
            cut = pa.compute.replace_substring(cut, ",", ".")
        column = _known(pa, cut)
    try:
        return column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _known(pa: Any, column: Any) -> Any:
    """Return a column of text in which the marks of missing values are null."""
    marks = pa.compute.is_in(
        pa.compute.utf8_trim_whitespace(column), pa.array(MISSING, pa.string())
    )
    return pa.compute.if_else(marks, pa.scalar(None, pa.string()), column)


def _refuse_uneven(path: Path, dialect: Dialect, content: bytes | None) -> None:
    """Find the first row of another length, by its line."""
    data = path.read_bytes() if content is None else content
    lines = io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    width, separator = len(dialect.header), dialect.delimiter
    try:
        for row in reader:
            passed = not row or reader.line_num <= dialect.skip
            if passed or len(row) == width or row[0].startswith("#"):
                continue
            above = "header" if dialect.headed else "first line"
            raise ValueError(
                f"{path.name}: line {reader.line_num} has {len(row)} fields separated"
                f" by {separator!r} and not {width}, as the {above} has. Remedy:"
                " correct the line; numbers need a decimal point and no decimal comma,"
                f" and text that holds {separator!r} needs quotes"
            )
    except csv.Error as error:
        raise ValueError(
            f"{path.name}: not a table of text ({error}). Remedy: check that the file"
            " is complete and that quotes are closed"
        ) from error
