"""Numbers and dates as countries write them: 1.234,5 and 31.12.2024."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
