"""The rows of a text table, through the reader of pyarrow; no line vanishes unsaid."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mvgraph.datasets.formats.header import is_number
from mvgraph.datasets.formats.sniff import Dialect
from mvgraph.ops.wording import counted, extra
from mvgraph.views.identifiers import MISSING, is_id_name

__all__ = ["arrow", "no_text", "read_rows"]

_BOOLEANS = {"true", "false", "True", "False", "TRUE", "FALSE"}
_PIECE = 1 << 26  # bytes in which line ends are counted at a time
_TAIL = 4096  # bytes in which the blank lines at the end of a file are looked for


def read_rows(
    path: Path, dialect: Dialect, content: bytes | None, ids: Sequence[str]
) -> tuple[Any, tuple[str, ...]]:
    """Read the rows as a table of Arrow; lines in are rows and what is said.

    Parameters
    ----------
    path : Path
    dialect : Dialect
    content : bytes or None
        Of the table; None: read the path.
    ids : sequence of str
        Columns that are kept as they are spelled, beside those called like names.

    Returns
    -------
    table : pyarrow.Table
    notes : tuple of str
        How it was read, and how many lines were left out.

    Raises
    ------
    ValueError
        Rows have different lengths, or the file is no text in UTF-8.
    """
    try:
        table = _read(path, dialect, content, ids)
    except ValueError:
        table = _with_stray_quotes(path, dialect, content, ids)
        if table is None:
            raise
        dialect = dialect._replace(quotes=False)
    notes = [] if dialect.decimal == "." else [f"{path.name} has decimal commas"]
    if _count_lines(path, dialect, content) > table.num_rows:
        data = path.read_bytes() if content is None else content
        lines = data.rstrip().splitlines()[dialect.skip :]
        full = [line for line in lines if line.strip() and not line.startswith(b"#")]
        if len(full) < len(lines):
            of = "line that is blank or a comment" if dialect.comments else "blank line"
            left = counted(len(lines) - len(full), of, of.replace("line", "lines"))
            notes.append(f"{left} left out")
        plain = None
        if len(full) > table.num_rows:
            plain = _with_stray_quotes(path, dialect, content, ids)
        if plain is not None:
            table, dialect = plain, dialect._replace(quotes=False)
    if not dialect.quotes:
        notes.append(f"{path.name}: quotes are characters, some do not close")
    return table, tuple(notes)


def _with_stray_quotes(
    path: Path, dialect: Dialect, content: bytes | None, ids: Sequence[str]
) -> Any:
    """Read quotes as characters; None if they are not, or if the rows are uneven."""
    data = path.read_bytes() if content is None else content
    if not dialect.quotes or b'"' not in data:
        return None
    plain = dialect._replace(quotes=False)
    try:
        return _parse(path, plain, content, _types(arrow(path), plain, ids))
    except arrow(path).ArrowInvalid:
        return None


def _count_lines(path: Path, dialect: Dialect, content: bytes | None) -> int:
    """Return the number of lines of values, with blank ones but those at the end."""
    total, tail = 0, b""
    source: Any = path.open("rb") if content is None else io.BytesIO(content)
    with source as stream:
        while piece := stream.read(_PIECE):
            total += piece.count(b"\n")
            tail = (tail + piece)[-_TAIL:]
    trailing = tail[len(tail.rstrip()) :].count(b"\n")
    return total - trailing + 1 - dialect.skip


def arrow(path: Path) -> Any:
    """Import pyarrow, or say which extra has it."""
    with extra(f"{path.name} is a table, which", "pyarrow", "files"):
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
    return pyarrow


def no_text(path: Path, error: Any) -> ValueError:
    """Build the error of a file that is no text."""
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
        raise no_text(path, problem)
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
            quote_char='"' if dialect.quotes else False,
            newlines_in_values=quoted and dialect.quotes,
            invalid_row_handler=_skip_comments if dialect.comments else _skip_blanks,
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
    return "skip" if row.text.startswith("#") else _skip_blanks(row)


def _skip_blanks(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


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


def _refuse_uneven(path: Path, dialect: Dialect, content: bytes | None) -> None:
    """Find the first row of another length, by its line."""
    data = path.read_bytes() if content is None else content
    lines = io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    width, separator = len(dialect.header), dialect.delimiter
    end = 0
    try:
        for row in reader:
            begin, end = end + 1, reader.line_num
            passed = not row or end <= dialect.skip
            if passed or len(row) == width or row[0].startswith("#"):
                continue
            if end > begin:
                raise ValueError(
                    f"{path.name}: line {begin} has a quote that does not close before"
                    f" line {end}. Remedy: close it or leave it out"
                )
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
