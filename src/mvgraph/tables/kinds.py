"""What a column is: guessed only where that is certain."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mvgraph.tables.cells import as_days, as_words, is_number, vector_length
from mvgraph.tables.options import CATEGORICAL, DATE, IGNORE, NUMERIC, TEXT, VECTOR
from mvgraph.views import columns as held
from mvgraph.views.columns import Columns
from mvgraph.views.local import date_order, iso_date, with_points
from mvgraph.views.words import TIMES, is_prose, repeats

#: Whole numbers of so few values may be categories; scikit-learn users code them so.
FEW = 20


class Guess(NamedTuple):
    """The guessed kind of a column, and a note about it for its owner."""

    kind: str
    note: str = ""


def guess_kind(columns: Columns, i: int, where: str) -> Guess | None:
    """Guess what a column is; None if words are among numbers, which is an error.

    A column of numbers is numeric, one of dates a date; text is a vector, a date, a
    category or prose if nearly all cells are; otherwise it is left out.
    """
    kind = columns.kinds[i]
    if kind == held.NUMBER:
        return Guess(NUMERIC, _perhaps_category(columns, i))
    if kind == held.DATE:
        return _date(columns, i, where)
    known = [word for word in as_words(columns, i) if word is not None]
    if not known or kind == held.OTHER:
        return Guess(IGNORE, "its cells are objects" if known else "it is empty")
    return _of_words(columns, i, known, where)


def _of_words(columns: Columns, i: int, known: list[str], where: str) -> Guess | None:
    """Guess what text is: vectors, dates, categories or prose, in this order."""
    if vector_length(known):
        return Guess(VECTOR)
    if with_points(known) != known and all(map(is_number, with_points(known))):
        return Guess(NUMERIC)
    numbers = sum(map(is_number, known))
    if numbers and not (numbers * TIMES < len(known) and is_prose(known)):
        return None
    iso = iso_date(known[0], "dmy")
    if len(iso) >= len("2024-12-31") and iso[:4].isdigit():
        found = _date(columns, i, where)
        if found.kind == DATE or iso != known[0]:
            return found
    if repeats(known):
        return Guess(CATEGORICAL)
    if is_prose(known):
        return Guess(TEXT)
    name = columns.header[i]
    return Guess(
        IGNORE,
        f"text that is neither prose nor repeated categories, such as {known[0][:20]!r}"
        f"; --kinds {name}=text or {name}=categorical uses it",
    )


def _date(columns: Columns, i: int, where: str) -> Guess:
    name, order = columns.header[i], ""
    try:
        if columns.kinds[i] != held.DATE:
            order = date_order(list(as_words(columns, i)))
    except ValueError as error:
        return Guess(IGNORE, f"{error}; --kinds {name}=date:dmy or {name}=date:mdy")
    try:
        as_days(columns, i, where, order)
    except ValueError:
        return Guess(IGNORE, "times or dates that are not written as 2024-12-31")
    return Guess(DATE)


def order_of(columns: Columns, i: int, where: str, said: tuple[str, ...] = ()) -> str:
    """Return the order of days and months: as the caller says, else as cells show.

    Raises
    ------
    ValueError
        The cells do not tell.
    """
    if said or columns.kinds[i] == held.DATE:
        return said[0] if said else ""
    try:
        return date_order(list(as_words(columns, i)))
    except ValueError as error:
        name = columns.header[i]
        raise ValueError(
            f"{where}: column {name!r}: {error}. Pass --kinds {name}=date:dmy or"
            f" {name}=date:mdy (in Python kinds=)"
        ) from error


def _perhaps_category(columns: Columns, i: int) -> str:
    """Note that a few whole numbers could be categories: only their owner knows."""
    values = np.asarray(columns.one(i))
    if values.dtype.kind == "b":
        return ""
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    head = known[:1000]  # most columns of fractions end here
    if not len(known) or not np.array_equal(head, np.rint(head)):
        return ""
    if not np.array_equal(known, np.rint(known)):
        return ""
    name = columns.header[i]
    if columns.written and any(map(_has_zeros, columns.ids(i).tolist())):
        return f"leading zeros are lost; --kinds {name}=categorical if codes"
    distinct = len(np.unique(known))
    if not 2 < distinct <= FEW or distinct * TIMES > len(known):
        return ""
    return f"{distinct} whole values; --kinds {name}=categorical if codes"


def _has_zeros(cell: object) -> bool:
    return isinstance(cell, str) and re.fullmatch(r"0\d+", cell.strip()) is not None
