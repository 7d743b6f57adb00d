"""Cells of a column as numbers, words, days or vectors, whatever library held them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from mvgraph.ops.labels import is_missing
from mvgraph.ops.wording import counted
from mvgraph.views.columns import DATE, NUMBER, Columns, is_number
from mvgraph.views.missing import LARGEST
from mvgraph.views.spelling import iso_date, with_points

#: Lines that may stand above the values: a title, names, units.
TOP = 3
#: Cells that show whether a column holds vectors.
CERTAIN = 50
_EPOCH = datetime.datetime(1970, 1, 1)
_DAY = 86_400.0
#: Brackets of a pair: (0.5, 1.5] is an interval, no vector.
_BRACKETS = re.compile(r"\s*(?:\[(.*)\]|\((.*)\)|\{(.*)\})\s*", re.DOTALL)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(\s\d{3})*(\.\d+)?")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")


def as_words(columns: Columns, i: int) -> np.ndarray:
    """Return a column as words, None where a cell is empty.

    Whole numbers are written without a fraction, so that the words do not depend on the
    type in which a library holds them.
    """
    cells = np.asarray(columns.one(i))
    out = np.empty(len(cells), dtype=object)
    out[:] = [as_word(cell) for cell in cells.tolist()]
    return out


def as_word(cell: Any) -> str | None:
    """Return a cell as a word, None if it is empty."""
    if is_missing(cell):
        return None
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, bool):
        cell = int(cell)
    return str(cell).strip() or None


def as_numbers(
    columns: Columns,
    i: int,
    coerce: bool = False,
    notes: list[str] | None = None,
) -> np.ndarray:
    """Return a column as floats, NaN where a cell is empty.

    With `coerce` words are empty cells, and are counted in a note.

    Raises
    ------
    ValueError
        A cell is not a number; the message shows its row and content.
    """
    name = columns.header[i]
    if columns.kinds[i] == NUMBER:
        values = np.asarray(columns.one(i), dtype=np.float64)
        return _usable(values, columns.where, name)
    words = np.empty(len(columns.one(i)), dtype=object)
    words[:] = with_points(as_words(columns, i).tolist())
    odd = [row for row, word in enumerate(words) if not is_number(word)]
    if coerce and odd and len(odd) < sum(word is not None for word in words):
        if notes is not None:
            notes.append(
                f"column {name!r}: {counted(len(odd), 'cell')} of {len(words)} no"
                f" numbers, such as {words[odd[0]][:20]!r} in row {odd[0]}; read as"
                " empty"
            )
        words[odd] = None
    return _usable(_each(columns, i, words, float, "number"), columns.where, name)


def _usable(values: np.ndarray, where: str, name: str) -> np.ndarray:
    """Return numbers if none is infinite, or so large that differences overflow."""
    wrong = np.abs(values) > LARGEST * np.finfo(values.dtype).max
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "infinity" if np.isinf(values[row]) else f"{values[row]:.3g}"
        raise ValueError(
            f"{where}: column {name!r}, row {row} contains {what}, beyond what can be"
            " compared. Correct the cell, or empty it and pass --impute (in Python"
            " impute=)"
        )
    return values


def share_empty(columns: Columns, i: int | None, look: bool = True) -> float:
    """Return the share of empty cells of a column, 0 without a look."""
    if i is None or not look:
        return 0.0
    return float(np.mean([word is None for word in as_words(columns, i)]))


def count_words(columns: Columns, i: int) -> str:
    """Say how many cells of a column are no numbers."""
    words = as_words(columns, i)
    odd = sum(not is_number(word) for word in words)
    head = [word for word in words if word is not None][:odd]
    if 0 < odd <= TOP and not any(map(is_number, head)):
        shown = ", ".join(repr(word[:20]) for word in head)
        shown = shown.replace("{", "{{").replace("}", "}}")
        return (
            f"only the cells at the top, {shown}, are no numbers: if these lines hold"
            " units or a title, delete all but the header; "
        )
    return f"{counted(odd, 'cell')} of {len(words)} no numbers; " if odd else ""


def as_days(columns: Columns, i: int, order: str = "") -> np.ndarray:
    """Return a column of dates as days since 1970 (UTC), NaN where a cell is empty.

    Raises
    ------
    ValueError
        A cell is not a date: year, month, day, or as `order` says (``dmy``, ``mdy``).
    """
    cells: Any = columns.one(i)
    if columns.kinds[i] != DATE:
        cells = [w and iso_date(w, order) for w in as_words(columns, i)]
    elif cells.dtype.kind == "M":
        cells = cells.astype("datetime64[us]").astype(object)
    missing = [as_word(cell) is None for cell in cells]
    known = np.empty(len(missing), dtype=object)
    known[:] = [None if gone else c for gone, c in zip(missing, cells, strict=True)]
    return _each(columns, i, known, _days, "date such as 2024-12-31")


def _days(cell: Any) -> float:
    if isinstance(cell, str):
        cell = datetime.datetime.fromisoformat(cell.strip())
    if isinstance(cell, datetime.datetime):
        if cell.tzinfo is not None:
            cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
        return (cell - _EPOCH).total_seconds() / _DAY
    if isinstance(cell, datetime.date):
        return float((cell - _EPOCH.date()).days)
    raise ValueError(cell)


def _each(
    columns: Columns, i: int, cells: np.ndarray, read: Any, what: str
) -> np.ndarray:
    where, name = columns.where, columns.header[i]
    out = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        try:
            out[row] = read(cell)
        except (ValueError, TypeError, OverflowError) as error:
            raise ValueError(
                f"{where}: column {name!r}, row {row} contains {str(cell)[:40]!r},"
                f" which is not a {what}. Correct the cell, or fit with the column as"
                f" another kind: --kinds {name}=categorical (in Python kinds=), or"
                f" {name}=numeric, which reads words between numbers as empty cells"
            ) from error
    return out


def as_vectors(columns: Columns, i: int) -> np.ndarray:
    """Return vectors that are written as text, one per row; NaN where a cell is empty.

    Raises
    ------
    ValueError
        A cell holds no numbers, or another number of them.
    """
    name, words = columns.header[i], as_words(columns, i)
    length = vector_length(list(words)) or next(
        (len(_split(cell)) for cell in words if cell is not None), 0
    )
    out = np.full((len(words), length), np.nan)
    for row, cell in enumerate(words):
        if cell is None:
            continue
        try:
            out[row] = np.array(_split(cell), dtype=np.float64)
        except ValueError as error:
            raise ValueError(
                f"{columns.where}: column {name!r} holds vectors of {length} numbers,"
                f" but row {row} holds {cell[:40]!r}. Correct the cell, or leave the"
                f" column out: --drop {name} (in Python drop=)"
            ) from error
    return out


def vector_length(words: Sequence[str | None]) -> int:
    """Return the length of the vectors that a column of words holds, 0 if it has none.

    Brackets, or blanks between numbers with fractions, make a vector; ``1,5`` may be a
    number with a decimal comma, ``46 552.12`` one with thousands. The first cells
    decide.
    """
    known = [cell for cell in words if cell is not None][:CERTAIN]
    if all(map(_THOUSANDS.fullmatch, known)):
        return 0
    lengths = {len(_split(cell)) for cell in known}
    if len(lengths) != 1 or lengths == {1}:
        return 0
    for cell in known:
        plain = _BRACKETS.fullmatch(cell) is None
        if plain and ("," in cell or not any(c in cell for c in ".eE")):
            return 0
        try:
            np.array(_split(cell), dtype=np.float64)
        except ValueError:
            return 0
    return lengths.pop()


def _split(cell: str) -> list[str]:
    match = _BRACKETS.fullmatch(cell)
    inner = cell.strip() if match is None else match[match.lastindex or 0].strip()
    return [part for part in _BETWEEN.split(inner) if part]
