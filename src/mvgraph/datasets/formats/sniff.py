"""Detect how a text table is written: separator, decimal mark, quotes, header."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from mvgraph.datasets.formats.header import find_header, is_numeric
from mvgraph.views.identifiers import is_id_name

_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
_SEPARATORS = ("\t", ",", ";", "|", None)  # None: any run of blanks, for str.split
SPACES = " "  # any run of blanks, as NumPy writes


class Dialect(NamedTuple):
    """How a text table is written."""

    delimiter: str
    decimal: str
    skip: int  # lines above the first row of values
    header: list[str]
    headed: bool
    rows: list[list[str]]  # the first rows of values
    comments: bool
    quotes: bool = True  # False: a quote is a character like any other


def sniff(name: str, lines: list[str], tabs: bool = False) -> Dialect:
    """Detect how a table is written from its first lines.

    Parameters
    ----------
    name : str
        Name of the file, for error messages.
    lines : list of str
        Whole lines, without their ends.
    tabs : bool
        Whether the file name implies tabs.

    Raises
    ------
    ValueError
        If there are no rows, every row ends with a delimiter, or commas could be
        either decimal marks or thousands separators.
    """
    start, delimiter = _first_line(lines)
    body = lines[start:]
    quotes = not _has_stray_quotes(body)
    delimiter = delimiter or _delimiter(body, tabs, quotes)
    numbered = _split(body, delimiter, quotes)
    if not numbered:
        raise ValueError(
            f"{name}: an empty table: it has no rows. Write one row per sample"
        )
    rows = [row for _, row in numbered]
    decimal = _decimal(name, rows, delimiter)
    _refuse_trailing(name, rows, delimiter)
    headed, header = find_header(name, rows, decimal)
    skip = start + numbered[0][0] if headed else start
    comments = any(line.startswith("#") for line in lines)
    below = rows[1:] if headed else rows
    return Dialect(delimiter, decimal, skip, header, headed, below, comments, quotes)


def _has_stray_quotes(lines: list[str]) -> bool:
    """Return whether quotes do not close in lines that are whole without them."""
    rows = [line for line in lines if line.strip() and not line.startswith("#")]
    if not any(line.count('"') % 2 for line in rows):
        return False
    for mark in _SEPARATORS:
        first, *below = (len(line.split(mark)) for line in rows)
        # the header may lack the corner; texts with line ends have a width by chance
        if len({*below}) == 1 and below[0] > 1 < first >= below[0] - 1:
            return True
    return False


def _first_line(lines: list[str]) -> tuple[int, str | None]:
    """Return where the table begins, and the separator given by a line ``sep=;``."""
    start = 0
    named = re.fullmatch(r'"?sep=(.)"?[\s,;]*', lines[0]) if lines else None
    if named:
        start = 1
    while start < len(lines) and (
        not lines[start].strip() or lines[start].startswith("#")
    ):
        start += 1
    if start and _is_hashed_header(lines[start - 1], lines[start:]):
        start -= 1
    return start, named[1] if named else None


def _is_hashed_header(line: str, below: list[str]) -> bool:
    """Return whether ``#id,a,b`` names the columns below it and is not a comment."""
    if not line.startswith("#") or not below:
        return False
    marks = [mark for mark in _SEPARATORS if mark and mark in below[0]]
    for mark in marks or _SEPARATORS[-1:]:
        widths = [len(row.split(mark)) for row in (line[1:], *below[:2])]
        if widths[0] > 1 and len({*widths}) == 1:
            names = line[1:].split(mark)
            named = is_id_name(names[0].strip(), first=False)
            return named or any(map(is_numeric, below[0].split(mark)))
    return False


def _split(
    lines: Sequence[str], delimiter: str, quotes: bool = True
) -> list[tuple[int, list[str]]]:
    """Return the non-empty rows, each with the number of its last line."""
    if delimiter == SPACES:
        lines = [re.sub(r"[ \t]+", " ", line.strip()) for line in lines]
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    rows: list[tuple[int, list[str]]] = []
    for row in reader:
        if row and not (row[0].startswith("#") and rows):
            rows.append((reader.line_num, row))
    return rows


def _delimiter(lines: list[str], tabs: bool, quotes: bool) -> str:
    """Return the separator that gives all lines the same number of fields."""
    lines_with_text = [line for line in lines if line.strip()]
    if tabs and any("\t" in line for line in lines_with_text[:1]):
        return "\t"
    parts = lines_with_text[0].split(";") if lines_with_text else []
    if len(parts) > 1 and all("," not in p or _COMMA.fullmatch(p) for p in parts):
        return ";"
    for delimiter in ("\t", ",", ";", "|"):
        if _is_even(lines_with_text, delimiter, quotes):
            return delimiter
    if (
        lines_with_text
        and not any("," in line for line in lines_with_text)
        and _is_even(lines_with_text, SPACES, quotes)
    ):
        return SPACES
    return "\t" if tabs else ","


def _is_even(lines: list[str], delimiter: str, quotes: bool) -> bool:
    counts = [len(row) for _, row in _split(lines, delimiter, quotes)] or [0]
    below = set(counts[1:]) or set(counts)
    return len(below) == 1 and below != {1} and counts[0] > 1


def _decimal(name: str, rows: list[list[str]], delimiter: str) -> str:
    cells = [cell for row in rows for cell in row if "," in cell]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    if not commas or any(_POINT.fullmatch(cell) for row in rows for cell in row):
        return "."
    if all(_THOUSANDS.fullmatch(cell) for cell in commas):
        raise ValueError(
            f"{name}: {commas[0].strip()!r} could have a decimal comma or a"
            " thousands separator. Write numbers with a decimal point and"
            " without thousands separators"
        )
    return ","


def _refuse_trailing(name: str, rows: list[list[str]], delimiter: str) -> None:
    """Reject rows that all end with a delimiter, which adds an empty column."""
    below = rows[1:]
    if not below or any(len(row) < 2 or row[-1].strip() for row in below):
        return
    widths = {len(row) for row in below}
    named = len(rows[0]) in widths and rows[0][-1].strip()
    if len(widths) == 1 and not named and len(rows[0]) in (*widths, min(widths) - 1):
        shown = {"\t": "tab"}.get(delimiter, repr(delimiter))
        raise ValueError(
            f"{name}: every row ends with a {shown}, so the last column, number"
            f" {min(widths)}, is empty and has no name. Remove it from every"
            " row"
        )
