"""How a text table is written: separator, decimal mark, header, lines to skip."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.views.identifiers import MISSING, is_id_name

__all__ = ["FEATURE_NAMES", "Dialect", "is_number", "sniff"]

#: What stands above the names of features where samples are in columns.
FEATURE_NAMES = ("gene", "genes", "gene_id", "feature", "features", "probe", "entrez")
_MISSING = frozenset(MISSING)
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
SPACES = " "  # any run of blanks, as NumPy writes


class Dialect(NamedTuple):
    """What must be known to read a text table."""

    delimiter: str
    decimal: str
    skip: int  # lines above the first row of values
    header: list[str]
    headed: bool
    rows: list[list[str]]  # the first rows of values
    comments: bool


def sniff(name: str, lines: list[str], tabs: bool = False) -> Dialect:
    """Find out how a table is written, from its first lines.

    Parameters
    ----------
    name : str
        Of the file, for the errors.
    lines : list of str
        Whole lines, without their ends.
    tabs : bool
        Whether the name of the file promises tabs.

    Raises
    ------
    ValueError
        No rows; a delimiter at the end of every row; commas that could be decimal
        marks or separate thousands.
    """
    start, delimiter = _first_line(lines)
    body = lines[start:]
    delimiter = delimiter or _delimiter(body, tabs)
    numbered = _split(body, delimiter)
    if not numbered:
        raise ValueError(
            f"{name}: an empty table, it has no rows. Remedy: write a row per sample"
        )
    rows = [row for _, row in numbered]
    decimal = _decimal(name, rows, delimiter)
    _refuse_trailing(name, rows, delimiter)
    headed, header = _header(name, rows, decimal)
    skip = start + numbered[0][0] if headed else start
    comments = any(line.startswith("#") for line in lines)
    return Dialect(
        delimiter, decimal, skip, header, headed, rows[1:] if headed else rows, comments
    )


def is_number(field: str, decimal: str = ".") -> bool:
    """Tell a number, or a cell that says that there is none."""
    field = field.strip()
    if field in _MISSING:
        return True
    if decimal == ",":
        field = field.replace(",", ".")
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # Python reads 1_000


def _first_line(lines: list[str]) -> tuple[int, str | None]:
    """Return where the table begins, and the separator that the file itself names."""
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
    """Tell ``#id,a,b`` above the values from a comment."""
    if not line.startswith("#") or not below:
        return False
    for delimiter in ("\t", ",", ";"):
        width = len(line.split(delimiter))
        if width > 1 and width == len(below[0].split(delimiter)):
            return any(is_number(cell) for cell in below[0].split(delimiter))
    return False


def _split(lines: Sequence[str], delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the number of its last line."""
    if delimiter == SPACES:
        lines = [re.sub(r"[ \t]+", " ", line.strip()) for line in lines]
    reader = csv.reader(lines, delimiter=delimiter)
    found: list[tuple[int, list[str]]] = []
    for row in reader:
        if row and not (row[0].startswith("#") and found):
            found.append((reader.line_num, row))
    return found


def _delimiter(lines: list[str], tabs: bool) -> str:
    """Return the separator that gives all lines the same number of fields."""
    full = [line for line in lines if line.strip()]
    if tabs and any("\t" in line for line in full[:1]):
        return "\t"
    parts = full[0].split(";") if full else []
    if len(parts) > 1 and all("," not in p or _COMMA.fullmatch(p) for p in parts):
        return ";"
    for delimiter in ("\t", ",", ";", "|"):
        if _is_even(full, delimiter):
            return delimiter
    if full and not any("," in line for line in full) and _is_even(full, SPACES):
        return SPACES
    return "\t" if tabs else ","


def _is_even(lines: list[str], delimiter: str) -> bool:
    counts = [len(row) for _, row in _split(lines, delimiter)]
    below = set(counts[1:]) or set(counts)
    return len(below) == 1 and below != {1} and counts[0] > 1


def _decimal(name: str, rows: list[list[str]], delimiter: str) -> str:
    cells = [cell for row in rows for cell in row if "," in cell]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    if not commas or any(_POINT.fullmatch(cell) for row in rows for cell in row):
        return "."
    if all(_THOUSANDS.fullmatch(cell) for cell in commas):
        raise ValueError(
            f"{name}: {commas[0].strip()!r} may have a decimal comma or separate"
            " thousands. Remedy: write numbers with a decimal point, and thousands"
            " without a separator"
        )
    return ","


def _refuse_trailing(name: str, rows: list[list[str]], delimiter: str) -> None:
    """Refuse rows that all end with a delimiter: an empty column too much."""
    below = rows[1:]
    if not below or any(len(row) < 2 or row[-1].strip() for row in below):
        return
    widths = {len(row) for row in below}
    named = len(rows[0]) in widths and rows[0][-1].strip()
    if len(widths) == 1 and not named and len(rows[0]) in (*widths, min(widths) - 1):
        shown = {"\t": "tab"}.get(delimiter, repr(delimiter))
        raise ValueError(
            f"{name}: every row ends with a {shown}, so that its last column, number"
            f" {min(widths)}, is empty and has no name. Remedy: write the rows without"
            " it"
        )


def _header(name: str, rows: list[list[str]], decimal: str) -> tuple[bool, list[str]]:
    """Return whether the first row is a header, and the names of the columns."""
    text = [not is_number(field, decimal) for field in rows[min(1, len(rows) - 1)]]
    headed = len(rows) > 1 and _is_header(rows[0], text, rows[1:], decimal)
    if len(rows) == 1 and _is_header(rows[0], [False] * len(text), [], decimal):
        raise ValueError(
            f"{name}: a header and no rows. Remedy: write a row per sample below it"
        )
    if not headed:
        return False, [f"column_{i}" for i in range(len(rows[0]))]
    header = [cell.strip().removeprefix("#").strip() for cell in rows[0]]
    if _lacks_corner(header, rows[1:]):
        header = ["", *header]
    return True, header


def _lacks_corner(header: list[str], below: list[list[str]]) -> bool:
    """Tell a table written by R: its header has no name above the identifiers."""
    if header[0] and (is_id_name(header[0]) or header[0].lower() in FEATURE_NAMES):
        return False
    return {len(row) for row in below} == {len(header) + 1}


def _is_header(
    first: list[str], text: list[bool], below: list[list[str]], decimal: str
) -> bool:
    """Tell a header: a word above numbers, a known name, or pandas' 0, 1, 2, ..."""
    if any(
        not is_number(name, decimal) and not is_text
        for name, is_text in zip(first, text, strict=False)
    ):
        return True
    if any(is_label_name(name) or (name and is_id_name(name)) for name in first):
        return True
    if _lacks_name(first, below, decimal):
        return True
    if text[0] and first[0].strip().lower() in FEATURE_NAMES:
        return True
    numbered = first[1:] if first[0] == "" else first
    if len(numbered) > 2 and numbered == [str(i) for i in range(len(numbered))]:
        return True
    if _is_numbered_beside_words(first, below, decimal):
        return True
    if _are_words_above_values(first, below):
        return True
    word = first[0].strip() == "" or (text[0] and not is_number(first[0], decimal))
    return word and _is_numbered(first, below, text[0], decimal)


def _lacks_name(first: list[str], below: list[list[str]], decimal: str) -> bool:
    """Tell wavelengths above named rows: an empty corner, or one field less."""
    if not all(is_number(cell, decimal) for cell in first):
        return False
    short = {len(row) for row in below} == {len(first) + 1}
    return (short or not first[0].strip()) and not any(
        is_number(row[0], decimal) for row in below
    )


def _are_words_above_values(first: list[str], below: list[list[str]]) -> bool:
    """Tell ``sku,title,vector`` where all cells are text: other words than below.

    Every column must have cells of other kinds of characters than its name.
    """
    rows = [row for row in below if len(row) == len(first)]
    if not rows or any("0" in _shape(cell) for cell in first):
        return False
    return all(
        name.strip() and all("0" in _shape(row[i]) for row in rows)
        for i, name in enumerate(first)
    )


def _is_numbered(
    first: list[str], below: list[list[str]], named: bool, decimal: str
) -> bool:
    """Tell whether a word and distinct numbers name columns and are no sample.

    They do if the word does not look like the names below it. If it does, the
    numbers decide: no integer below them, or an even sequence above rows that are not
    integers. Else the row is a sample of a table without a header.
    """
    names = first[1:]
    if not all(is_number(n, decimal) for n in names) or len({*names}) < max(
        2, len(names)
    ):
        return False
    shapes = {_shape(row[0]) for row in below}
    whole_names = all(map(_is_integer, names))
    other = named and "0" not in _shape(first[0]) and _shape(first[0]) not in shapes
    if other and (whole_names or _is_rising(names, decimal)):
        return True
    if not whole_names:
        return False
    whole = [[_is_integer(field) for field in row[1:]] for row in below]
    if len(names) < 3 or any(map(all, whole)):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(names)}
    return len(steps) == 1 or not any(map(any, whole))


def _is_rising(names: list[str], decimal: str) -> bool:
    """Tell wavelengths: at least three numbers that all rise, or all fall."""
    numbers = [float(name.replace(decimal, ".")) for name in names]
    steps = {b > a for a, b in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1


def _is_numbered_beside_words(
    first: list[str], below: list[list[str]], decimal: str
) -> bool:
    """Tell ``0,1,2,sex``: numbers in even steps, and words that are no values below.

    A sample could look so, too: if the numbers are not 0, 1, 2, ... or the words below
    are all different, the numbers below must not be whole.
    """
    rows = [row for row in below if len(row) == len(first)]
    words = [i for i, cell in enumerate(first) if not is_number(cell, decimal)]
    rest = [i for i in range(len(first)) if i not in words]
    rest = [i for i in rest if i > 0 or first[0].strip()]  # an index has no name
    names = [first[i].strip() for i in rest]
    if not (words and rows and len(names) > 2 and all(map(_is_integer, names))):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(names)}
    under = [[row[i].strip() for row in rows] for i in words]
    own = [first[i].strip() for i in words]
    fresh = not any(word in held for word, held in zip(own, under, strict=True))
    if len(steps) != 1 or steps == {0} or not fresh:
        return False
    kinds = all(len(set(held)) < len(held) for held in under)
    if kinds and names == [str(i) for i in range(len(names))]:
        return True
    return not any(_is_integer(row[i]) for row in rows for i in rest if row[i].strip())


def _shape(name: str) -> str:
    """Write a name by kinds of characters: ``Gene12_a`` is ``Aa0_a``."""
    name = re.sub(r"[^\W\d_]+", _letters, name.strip())
    return re.sub(r"\d+", "0", name)


def _letters(found: re.Match[str]) -> str:
    word = found[0]
    if word.isupper():
        return "A"
    return "Aa" if word[0].isupper() else "a"


def _is_integer(field: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", field) is not None
