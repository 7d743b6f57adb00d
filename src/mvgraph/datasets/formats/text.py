"""Text tables (CSV, TSV, compressed or not), read by pyarrow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.limits import check_size, read_unpacked, readable
from mvgraph.datasets.formats.rows import (
    TextTable,
    arrow,
    count_lines,
    no_text,
    read_rows,
)
from mvgraph.datasets.formats.sniff import SPACES, Dialect, sniff
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns
from mvgraph.views.frames import matrix_of
from mvgraph.views.identifiers import MISSING

COMPRESSED = (".gz", ".zst", ".bz2")
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
_PEEK = 100  # rows from which the dialect is detected
_CHUNK, _MOST = 1 << 18, 1 << 26  # bytes read at a time and in all for this


def open_text(path: Path, options: ReadOptions) -> Columns:
    """Open a text table; identifiers stay exactly as written.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ValueError
        If the file is not UTF-8 (or UTF-16 with a byte order mark), the table is empty,
        rows have different lengths, or it would not fit into memory.
    """
    arrow(path)
    with readable(path, "table of text"):
        check_size(path.name, path.stat().st_size, options)
        content = None
        head = _head(path)
        codec = next((c for mark, c in _CODECS.items() if head.startswith(mark)), None)
        if codec is not None:
            stream = arrow(path).input_stream(str(path), compression=codec)
            head = content = read_unpacked(path, stream, options)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # Excel's "Unicode text"
            content = path.read_bytes() if content is None else content
            content = content.decode("utf-16").encode()
            head = content
        return parse_text(path, head, content, options)


def parse_text(
    path: Path, head: bytes, content: bytes | None, options: ReadOptions
) -> Columns:
    """Read a table from its bytes, or from its path if `content` is None."""
    is_whole = content is not None or len(head) == path.stat().st_size
    dialect = sniff(path.name, _lines(path, head, is_whole), ".tsv" in path.suffixes)
    found = count_lines(path, content)
    # short lines take more in memory than in the file: a table of Arrow, and a matrix
    check_size(path.name, 2 * 8 * found.lines * len(dialect.header), options)
    if not found.quotes:  # else a row may be several lines
        options.admit_rows(found.lines - dialect.skip)
    if dialect.delimiter == SPACES:
        content = path.read_bytes() if content is None else content
        content = re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", content)
        content = re.sub(rb"[ \t]+", b" ", content)
    text = TextTable(path, dialect, content, options.said.ids)
    table, notes = read_rows(text, found)
    return _columns(path, table, dialect, notes)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        head = stream.read(_CHUNK)
        while head.count(b"\n") < 3 and len(head) < _MOST:
            piece = stream.read(len(head))
            if not piece:
                break
            head += piece
    return head


def _lines(path: Path, head: bytes, is_whole: bool) -> list[str]:
    """Return the first whole lines."""
    if not is_whole:
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
        raise no_text(path, error) from error


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

    @lru_cache(maxsize=1)  # it is looked at before it is used
    def matrix(which: tuple[int, ...]) -> np.ndarray:
        return matrix_of([_to_numpy(values[i]) for i in which], table.num_rows)

    def numbers(which: Sequence[int]) -> np.ndarray:
        return matrix(tuple(which))

    def one(i: int) -> np.ndarray:
        if values[i] is not None:
            return _to_numpy(values[i])
        cells = _known(pa, texts[i].cast(pa.string())).to_pylist()
        return np.array(cells, dtype=object)

    def written(i: int) -> np.ndarray:
        cells = texts[i].cast(pa.string()).fill_null("").to_pylist()
        return np.array(cells, dtype=object)

    header = dialect.header
    return Columns(
        header,
        kinds,
        one,
        numbers,
        written,
        headed=dialect.headed,
        notes=notes,
        where=path.name,
    )


def _to_numpy(column: Any) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False)


def _as_numbers(pa: Any, column: Any, decimal: str) -> Any:
    """Return a column as numbers, None if it contains anything else."""
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
    """Return a text column with the marks of missing values as null."""
    marks = pa.compute.is_in(
        pa.compute.utf8_trim_whitespace(column), pa.array(MISSING, pa.string())
    )
    return pa.compute.if_else(marks, pa.scalar(None, pa.string()), column)
