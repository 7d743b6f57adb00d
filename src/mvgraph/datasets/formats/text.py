"""Text tables (CSV, TSV): separator, header, identifiers, cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.columns import FEATURE_NAMES, ID_NAMES, Columns
from mvgraph.datasets.layout.labels import is_label_name

_EMPTY = ("", "na", "nan", "null", "none")
_PEEK = 100  # rows below the first one that tell whether it is a header


def open_text(path: Path) -> Columns:
    """Open a text table; its identifiers are kept as they are written.

    Raises
    ------
    ValueError
        If the file is no UTF-8 text, if the table is empty, or if its rows have
        different lengths.
    """
    try:
        return _open(path)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name}: not a text in UTF-8 ({error}). Remedy: save it as UTF-8"
        ) from error
    except csv.Error as error:
        raise ValueError(
            f"{path.name}: not a table of text ({error}). Remedy: check that the file"
            " is complete and that quotes are closed"
        ) from error


def _open(path: Path) -> Columns:
    delimiter = _delimiter(path)
    head = list(islice(_rows(path, delimiter), _PEEK + 1))
    if not head:
        raise ValueError(
            f"{path.name}: an empty table, it has no rows. Remedy: write a row a sample"
        )
    rows = [row for _, row in head]
    text = [not _is_number(field) for field in rows[min(1, len(rows) - 1)]]
    headed = len(rows) > 1 and _is_header(rows[0], text, rows[1:])
    if len(rows) == 1 and _is_header(rows[0], [False] * len(text), []):
        raise ValueError(
            f"{path.name}: a header and no rows. Remedy: write a row a sample below it"
        )
    header = rows[0] if headed else [f"column_{i}" for i in range(len(text))]
    if headed and _lacks_corner(header, rows[1:]):
        header = ["", *header]
    first_cells = _first_cells(path, delimiter, len(header), headed)
    options = {
        "delimiter": delimiter, "skiprows": head[0][0] if headed else 0, "ndmin": 2,
        "comments": None, "quotechar": '"', "encoding": "utf-8-sig",
    }  # fmt: skip

    def one(i: int) -> np.ndarray:
        kind = str if text[i] else float
        return _read_cells(path, kind, [i], options).ravel()

    def numbers(columns: Sequence[int]) -> np.ndarray:
        return _read_cells(path, float, columns, options)

    def ids() -> np.ndarray:
        return np.array(first_cells)

    return Columns([name.strip() for name in header], text, headed, one, numbers, ids)


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its last line."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        lines = csv.reader(stream, delimiter=delimiter)
        for row in lines:
            if row:
                yield lines.line_num, row


def _first_cells(path: Path, delimiter: str, width: int, headed: bool) -> list[str]:
    """Return the first cell of every row below the header; all must have its length.

    NumPy would drop what a row has in excess, such as decimals behind a comma.
    """
    cells = []
    for i, (line, row) in enumerate(_rows(path, delimiter)):
        if i == 0 and headed:  # R writes no name above the identifiers
            continue
        if len(row) != width:
            raise ValueError(
                f"{path.name}: line {line} has {len(row)} fields separated by"
                f" {delimiter!r} and not {width}, as the"
                f" {'header' if headed else 'first line'} has. Remedy: correct the"
                " line; numbers need a decimal point and no decimal comma, and text"
                f" that holds {delimiter!r} needs quotes"
            )
        cells.append(row[0])
    return cells


def _lacks_corner(header: list[str], below: list[list[str]]) -> bool:
    """Tell a table written by R: its header has no name above the identifiers."""
    if header[0].strip().lower() in (*ID_NAMES, *FEATURE_NAMES):
        return False
    return {len(row) for row in below} == {len(header) + 1}


def _delimiter(path: Path) -> str:
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open(encoding="utf-8-sig") as stream:
        line = stream.readline()
    decimals = all(
        re.fullmatch(r"[^,]*|\s*[+-]?\d+,\d+\s*", f) for f in line.split(";")
    )
    return ";" if ";" in line and decimals else ","


def _is_header(first: list[str], text: list[bool], below: list[list[str]]) -> bool:
    """Tell a header: a word above numbers, a known name, or pandas' 0, 1, 2, ..."""
    if any(
        not _is_number(name) and not is_text
        for name, is_text in zip(first, text, strict=False)
    ):
        return True
    if any(is_label_name(name) or name.lower() in ID_NAMES for name in first):
        return True
    if text[0] and first[0].strip().lower() in FEATURE_NAMES:
        return True
    numbered = first[1:] if first[0] == "" else first
    if len(numbered) > 2 and numbered == [str(i) for i in range(len(numbered))]:
        return True
    word = first[0].strip() == "" or (text[0] and not _is_number(first[0]))
    return word and _is_numbered(first, below, text[0])


def _is_numbered(first: list[str], below: list[list[str]], named: bool) -> bool:
    """Tell whether a word and distinct integers name columns and are no sample.

    They do if the word does not look like the names below it. If it does, the
    numbers decide: no integer below them, or an even sequence above rows that are not
    integers. Else the row is a sample of a table without a header.
    """
    names = first[1:]
    if not all(map(_is_integer, names)) or len(set(names)) < max(2, len(names)):
        return False
    shapes = {_shape(row[0]) for row in below}
    if named and "0" not in _shape(first[0]) and _shape(first[0]) not in shapes:
        return True
    whole = [[_is_integer(field) for field in row[1:]] for row in below]
    if len(names) < 3 or any(map(all, whole)):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(names)}
    return len(steps) == 1 or not any(map(any, whole))


def _shape(name: str) -> str:
    """Write a name by kinds of characters: ``Gene12_a`` is ``Aa0_a``."""
    name = re.sub(r"[^\W\d_]+", _letters, name.strip())
    return re.sub(r"\d+", "0", name)


def _letters(found: re.Match[str]) -> str:
    word = found[0]
    if word.isupper():
        return "A"
    return "Aa" if word[0].isupper() else "a"


def _read_cells(
    path: Path, kind: type, columns: Sequence[int], options: dict[str, Any]
) -> np.ndarray:
    """Read columns of a text table; a second, slower try knows missing values."""
    options = options | {"dtype": kind, "usecols": list(columns)}
    try:
        return np.loadtxt(path, **options)
    except ValueError as error:
        problem = error
    try:
        return np.loadtxt(path, converters=_number, **options)
    except ValueError:
        raise ValueError(
            f"{path.name}: not a table of numbers ({problem}). Remedy: write every"
            " number with a decimal point, and leave cells without one empty"
        ) from None


def _number(field: str) -> float:
    return float("nan") if field.strip().lower() in _EMPTY else float(field)


def _is_number(field: str) -> bool:
    try:
        _number(field)
    except ValueError:
        return False
    return True


def _is_integer(field: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", field) is not None
