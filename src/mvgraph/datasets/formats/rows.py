"""Read the rows of a text table with pyarrow; every omitted line is counted."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mvgraph.datasets.formats.header import is_numeric
from mvgraph.datasets.formats.sniff import Dialect
from mvgraph.ops.wording import counted, extra
from mvgraph.views.identifiers import MISSING, is_id_name

_BOOLEANS = {"true", "false", "True", "False", "TRUE", "FALSE"}
_PIECE = 1 << 20  # bytes in which line ends are counted at a time
_TAIL = 4096  # bytes in which the blank lines at the end of a file are looked for


class TextTable(NamedTuple):
    """A table of text: where it is, how it is written, and what stays so."""

    path: Path
    dialect: Dialect
    content: bytes | None  # None: that of the path
    ids: Sequence[str]  # further columns to keep exactly as written

    @property
    def data(self) -> bytes:
        """All bytes of the table."""
        return self.path.read_bytes() if self.content is None else self.content

    def unquoted(self) -> TextTable:
        """Return the table with quotes as plain characters."""
        return self._replace(dialect=self.dialect._replace(quotes=False))


def read_rows(text: TextTable, found: Counted) -> tuple[Any, tuple[str, ...]]:
    """Read the rows as an Arrow table; every line is a row or is counted in a note.

    Parameters
    ----------
    text : TextTable
    found : Counted
        Lines of the file.

    Returns
    -------
    table : pyarrow.Table
    notes : tuple of str
        How the table was read, and how many lines were left out.

    Raises
    ------
    ValueError
        If rows have different lengths, or the file is not UTF-8.
    """
    try:
        table = _read(text)
    except ValueError:
        table = _with_stray_quotes(text)
        if table is None:
            raise
        text = text.unquoted()
    name, dialect = text.path.name, text.dialect
    notes = [] if dialect.decimal == "." else [f"{name} has decimal commas"]
    if found.lines - found.blank + 1 - dialect.skip > table.num_rows:
        lines = text.data.rstrip().splitlines()[dialect.skip :]
        written = [line for line in lines if line.strip() and not line.startswith(b"#")]
        if len(written) < len(lines):
            of = "line that is blank or a comment" if dialect.comments else "blank line"
            omitted = counted(
                len(lines) - len(written), of, of.replace("line", "lines")
            )
            notes.append(f"{omitted} left out")
        plain = _with_stray_quotes(text) if len(written) > table.num_rows else None
        if plain is not None:
            table, text = plain, text.unquoted()
    if not text.dialect.quotes:
        notes.append(f"{name}: some quotes do not close, so all are kept as characters")
    return table, tuple(notes)


def _with_stray_quotes(text: TextTable) -> Any:
    """Read again with quotes as plain characters; None if that does not work."""
    if not text.dialect.quotes or b'"' not in text.data:
        return None
    plain = text.unquoted()
    try:
        return _parse(plain, _types(plain))
    except arrow(text.path).ArrowInvalid:
        return None


class Counted(NamedTuple):
    """What a pass over the bytes of a table counts."""

    lines: int  # line feeds
    quotes: int
    blank: int  # line feeds after the last line with something in it


def count_lines(path: Path, content: bytes | None) -> Counted:
    """Count lines and quotes of a table, piece by piece."""
    lines, quotes, tail = 0, 0, b""
    source: Any = path.open("rb") if content is None else io.BytesIO(content)
    with source as stream:
        while piece := stream.read(_PIECE):
            lines += piece.count(b"\n")
            quotes += piece.count(b'"')
            tail = (tail + piece[-_TAIL:])[-_TAIL:]
    return Counted(lines, quotes, tail[len(tail.rstrip()) :].count(b"\n"))


def arrow(path: Path) -> Any:
    """Import pyarrow, or name the extra that installs it."""
    with extra(f"{path.name} is a table, which", "pyarrow", "files"):
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
    return pyarrow


def no_text(path: Path, error: Any) -> ValueError:
    """Return the error for a file that is not text."""
    return ValueError(f"{path.name}: not UTF-8 text ({error}). Save it as UTF-8")


def _read(text: TextTable) -> Any:
    """Read the table; columns whose later rows contradict the first ones are text."""
    pa = arrow(text.path)
    try:
        return _parse(text, _types(text))
    except pa.ArrowInvalid as error:
        problem = error
    if "conversion error" in str(problem):
        try:
            return _parse(text, {name: pa.string() for name in _names(text.dialect)})
        except pa.ArrowInvalid as error:
            problem = error
    if "UTF8" in str(problem):
        raise no_text(text.path, problem)
    _refuse_uneven(text)
    raise ValueError(
        f"{text.path.name}: not a table of text ({problem}). Check that the file is"
        " complete and that quotes are closed"
    ) from problem


def _parse(text: TextTable, types: Any) -> Any:
    """Parse the table; again without lines that are blank or comments if it fails."""
    dialect = text.dialect
    if not dialect.comments:
        try:
            return _parsed(text, text.content, types, _is_quoted(dialect))
        except arrow(text.path).ArrowInvalid as error:
            if "Expected" not in str(error):
                raise
    data = _without_comments(text.data, dialect)
    return _parsed(text, data, types, dialect.quotes and b'"' in data)


def _parsed(text: TextTable, content: bytes | None, types: Any, quoted: bool) -> Any:
    """Parse with nothing of Python in the reader.

    Its threads let go of it after the table is there; if they then wait for an
    interpreter that is ending, they abort the process.
    """
    pa, dialect = arrow(text.path), text.dialect
    source: Any = str(text.path)
    if content is not None:
        stream = pa.BufferOutputStream()
        stream.write(content)
        source = pa.BufferReader(stream.getvalue())
    return pa.csv.read_csv(
        source,
        pa.csv.ReadOptions(
            column_names=_names(dialect),
            skip_rows=dialect.skip,
            block_size=_block_size(dialect),
        ),
        pa.csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char='"' if dialect.quotes else False,
            newlines_in_values=quoted,
        ),
        pa.csv.ConvertOptions(
            column_types=types,
            null_values=list(MISSING),
            decimal_point=dialect.decimal,
        ),
    )


def _is_quoted(dialect: Dialect) -> bool:
    """Return whether the first cells show that a text may contain line ends."""
    cells = (cell for row in dialect.rows for cell in row)
    return dialect.quotes and any('"' in cell or "\n" in cell for cell in cells)


def _without_comments(data: bytes, dialect: Dialect) -> bytes:
    """Leave out lines that are blank, or comments with another number of fields.

    A text in quotes stays, and so do the lines above the first row of values.
    """
    head = re.match(rb"(?:[^\n]*\n){%d}" % dialect.skip, data)
    start = head.end() if head else 0
    fields, mark = len(dialect.header), dialect.delimiter.encode()

    def kept(found: re.Match[bytes]) -> bytes:
        line = found[0]
        row = line.startswith(b'"') or line.count(mark) == fields - 1
        return line if row else b""

    quoted = rb'"(?:[^"]|"")*"|' if dialect.quotes else b""
    comment = rb"#[^\n]*|" if dialect.comments else b""
    lines = re.compile(rb"(?m)%s^(?:%s[ \t\r]*)(?:\n|\Z)" % (quoted, comment))
    return data[:start] + lines.sub(kept, data[start:])


def _block_size(dialect: Dialect) -> int:
    """Return a block size for at least a few rows; a row must fit into a block."""
    row = max((sum(map(len, cells)) + len(cells) for cells in dialect.rows), default=1)
    return max(1 << 20, 8 * row)


def _names(dialect: Dialect) -> list[str]:
    """Return unique names; those of the header may repeat."""
    return [str(i) for i in range(len(dialect.header))]


def _types(text: TextTable) -> dict[str, Any]:
    """Guess types from the first rows.

    Columns that may name rows stay text, and so do those with zeros before a number,
    which the owner is told of.
    """
    pa, dialect, types = arrow(text.path), text.dialect, {}
    for i, name in enumerate(dialect.header):
        cells = [row[i] for row in dialect.rows if i < len(row)]
        coded = any(re.fullmatch(r"0\d+", cell.strip()) for cell in cells)
        if i == 0 or coded or name in text.ids or is_id_name(name, first=False):
            types[str(i)] = pa.string()
        elif all(is_numeric(cell, dialect.decimal) for cell in cells):
            types[str(i)] = pa.float64()
        elif {cell.strip() for cell in cells} <= _BOOLEANS:
            types[str(i)] = pa.bool_()
    return types


def _refuse_uneven(text: TextTable) -> None:
    """Name the line of the first row of another length."""
    path, dialect = text.path, text.dialect
    lines = io.StringIO(text.data.decode("utf-8-sig", errors="replace"), newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    width, separator = len(dialect.header), dialect.delimiter
    end = 0
    try:
        for row in reader:
            begin, end = end + 1, reader.line_num
            skipped = not row or end <= dialect.skip
            if skipped or len(row) == width or row[0].startswith("#"):
                continue
            if end > begin:
                raise ValueError(
                    f"{path.name}: line {begin} has a quote that is not closed before"
                    f" line {end}. Close or remove it"
                )
            above = "header" if dialect.headed else "first line"
            raise ValueError(
                f"{path.name}: line {reader.line_num} has {len(row)} fields separated"
                f" by {separator!r} and not {width}, as the {above} has. "
                "Correct the line; numbers need a decimal point, not a decimal comma,"
                f" and text that contains {separator!r} needs quotes"
            )
    except csv.Error as error:
        raise ValueError(
            f"{path.name}: not a table of text ({error}). Check that the file"
            " is complete and that quotes are closed"
        ) from error
