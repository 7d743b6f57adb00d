"""How cells are written: numbers and dates of countries, prose, codes, spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import FEWEST, are_dates, as_text, objects

#: Day, month, year; and month, day, year.
DATE_ORDERS = ("dmy", "mdy")
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})([T ].*)?")
MONTHS = 12


def with_points(words: Sequence[str | None]) -> list[str | None]:
    """Write numbers with decimal commas with points, where the column is certain.

    Certain is a comma that is not before three digits (1,234 may be a thousand), or
    that is behind a point. Other words stay, and so do all where one number has a
    decimal point.
    """
    numbers = {w for w in words if w is not None and _COMMA.fullmatch(w)}
    known = {w for w in numbers if "," in w}
    sure = any("." in w or len(w.rpartition(",")[2]) != 3 for w in known)
    points = any(w is not None and w not in numbers and _has_point(w) for w in words)
    if not sure or points:
        return list(words)
    return [
        w.replace(".", "").replace(",", ".") if w is not None and w in numbers else w
        for w in words
    ]


def _has_point(word: str) -> bool:
    return re.fullmatch(r"[+-]?\d*\.\d*([eE][+-]?\d+)?", word) is not None


def date_order(words: Sequence[str | None]) -> str:
    """Return in which order days and months stand, nothing if the year is first.

    A number over 12 is a day; with points the day is first, unless one is in the place
    of the month.

    Raises
    ------
    ValueError
        No number tells days from months, or they stand in both orders.
    """
    found = [m for w in words if w is not None and (m := _DATE.fullmatch(w))]
    if not found:
        return ""
    first = any(int(m[1]) > MONTHS for m in found)
    second = any(int(m[3]) > MONTHS for m in found)
    if first and second:
        raise ValueError("days and months stand in both orders")
    if not first and not second and any(m[2] != "." for m in found):
        raise ValueError("days and months cannot be told apart")
    return "mdy" if second else "dmy"


def iso_date(word: str, order: str) -> str:
    """Write a date with the year first; a date in no known order stays."""
    match = _DATE.fullmatch(word)
    if match is None or not order:
        return word
    day, month = (match[1], match[3]) if order == "dmy" else (match[3], match[1])
    return f"{match[4]}-{int(month):02}-{int(day):02}{match[5] or ''}"


_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*", re.ASCII)


def of_one_kind(tables: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
    """Return all names as text where some are text and others are not.

    A table of text has 3 where a binary file has the number; names that are numbers in
    both compare by value.
    """
    tables = [
        np.char.decode(ids, "utf-8", "replace")
        if ids is not None and ids.dtype.kind == "S"
        else ids
        for ids in tables
    ]
    text = [
        ids.dtype.kind == "U" or isinstance(ids[0], str)
        for ids in tables
        if ids is not None and len(ids)
    ]
    if all(text) or not any(text):
        return tables
    return [None if ids is None else as_text(ids) for ids in tables]


def normalised(tables: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
    """Write names that differ in Unicode form, blanks or case as the first has them."""
    spelled: dict[Any, Any] = {}

    def first_spelling(name: Any) -> Any:
        plain = _plain(name)
        key = plain.casefold() if isinstance(plain, str) else plain
        return spelled.setdefault(key, plain)

    return [
        None if ids is None else objects(map(first_spelling, as_text(ids).tolist()))
        for ids in tables
    ]


def refuse_other_spelling(places: Mapping[str, Mapping[Any, int]], what: str) -> None:
    """Reject names that another table spells differently, and show both.

    Parameters
    ----------
    places : mapping of str to mapping
        The names of every table.
    what : str
        ``view`` or ``table``.

    Raises
    ------
    ValueError
        The message names the difference: the Unicode form, blanks, case, or the way
        a number is written.
    """
    everywhere = set.intersection(*map(set, places.values()))
    seen: dict[Any, tuple[Any, str]] = {}
    pairs = []
    for table, own in places.items():
        for name in own:
            if name in everywhere:
                continue
            first, where = seen.setdefault(canonical(name), (name, table))
            if first != name and where != table:
                pairs.append((first, where, name, table))
    if not pairs:
        return
    first, where, name, table = pairs[0]
    how = _difference(first, name)
    shown = map(ascii if how == "the Unicode form" else repr, (first, name))
    one, other = (s if isinstance(n, str) else f"{s} (a number)"
                  for s, n in zip(shown, (first, name), strict=True))  # fmt: skip
    remedy = (
        "Write them alike in all tables: in a workbook, give the column one format,"
        " text or number, in every sheet"
        if how == "the way a number is written"
        else "Write them alike, or pass normalise_ids=True (on the command line"
        " --normalise-ids)"
    )
    raise ValueError(
        f"{other} in {what} {table!r} and {one} in {what} {where!r} differ in {how}"
        f" alone ({counted(len(pairs), 'such name')}), so it is not known whether they"
        f" are the same sample. {remedy}"
    )


def _plain(name: Any) -> Any:
    if not isinstance(name, str):
        return name
    return unicodedata.normalize("NFC", name).strip()


def canonical(name: Any) -> Any:
    """Return what all spellings of a name have in common."""
    if isinstance(name, bool) or not isinstance(name, str | int | float):
        return name
    text = str(name)
    if _NUMBER.fullmatch(text):
        return Decimal(text.strip())  # 3.0 equals 3
    return _plain(text).casefold()


def _difference(first: Any, other: Any) -> str:
    if _NUMBER.fullmatch(str(first)) and str(first).strip() != str(other).strip():
        return "the way a number is written"
    if str(first).strip() == str(other).strip():
        return "blanks at the ends"
    if _plain(first) == _plain(other):
        return "the Unicode form"
    return "upper and lower case"


#: Average number of words in a cell of prose; codes have fewer.
WORDS = 3
#: Largest average number of words in a name; a first column with more is prose.
NAME_WORDS = 5
#: Share of the words of proper names that begin with a small letter, at most: of names
#: with particles ("van", "de la") about so many. Assumed.
SMALL_LETTERS = 0.1
#: Average number of times that a category occurs in its column; names occur less.
TIMES = 5
#: Part of the cells of a column of codes that are distinct: a few may be wrong.
DISTINCT = 0.9
#: A code has letters, or digits on both sides of a dash; brackets begin a vector.
_CODE = re.compile(r"(?![\[({]).*([^\W\d_]|\d-\d)", re.DOTALL)


def repeats(known: Sequence[str]) -> bool:
    """Return whether text is categories, which repeat on average, and not names."""
    return len(set(known)) * TIMES <= len(known)


def is_prose(known: Sequence[str], words: int = WORDS) -> bool:
    """Return whether text is prose: several words with blanks between them."""
    return len(" ".join(known).split()) >= words * len(known)


def are_proper_names(known: Sequence[str]) -> bool:
    """Return whether texts are short and capital throughout: names, addresses, titles.

    Titles that share few words ("Red Cotton Shirt") describe, and are none.

    Examples
    --------
    >>> from mvgraph.views.spelling import are_proper_names
    >>> are_proper_names(["Anna Maria Adler"]), are_proper_names(["The colour of rain"])
    (True, False)
    """
    words = " ".join(known).split()
    shared = 2 * len(set(words)) < len(known)
    lower = sum(word[0].islower() for word in words)
    cased = sum(word[0].lower() != word[0].upper() for word in words)
    short = len(words) <= NAME_WORDS * len(known)
    return short and not shared and cased > 0 and lower <= SMALL_LETTERS * cased


def is_feature(cells: np.ndarray) -> bool:
    """Return whether cells are repeated dates, categories or prose, not row names."""
    held = [cell for cell in cells.tolist() if cell is not None]
    if cells.dtype.kind == "M" or are_dates(cells):
        return len(set(held)) < len(held)
    known = [cell for cell in held if isinstance(cell, str) and cell.strip()]
    return bool(known) and (repeats(known) or is_prose(known, NAME_WORDS))


def are_codes(cells: np.ndarray) -> bool:
    """Return whether text is distinct words, as the names of samples are.

    Categories, prose, dates and numbers are not, nor is a column that is mostly empty.
    """
    held = [c.strip() for c in cells.tolist() if isinstance(c, str) and c.strip()]
    if len(held) < FEWEST or 2 * len(held) <= len(cells):
        return False
    if len({*held}) < DISTINCT * len(held) or is_prose(held):
        return False
    codes = sum(_CODE.match(cell) is not None for cell in held)
    return 2 * codes > len(held) and not are_dates(np.array(held))
