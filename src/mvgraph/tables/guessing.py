"""Guess from the rows of a fit what a column is."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mvgraph.tables.cells import as_days, as_word, as_words, vector_length
from mvgraph.tables.options import (
    CATEGORICAL,
    DATE,
    IGNORE,
    NUMERIC,
    ORDINAL,
    TEXT,
    VECTOR,
)
from mvgraph.views import columns as held
from mvgraph.views.columns import Columns, is_number
from mvgraph.views.spelling import (
    TIMES,
    are_proper_names,
    date_order,
    is_prose,
    iso_date,
    repeats,
    with_points,
)

#: Whole numbers of so few values may be categories; scikit-learn users code them so.
#: More categories are hardly classes, and may be names.
FEW = 20
#: What stands beside the digits of money, shares and thousands.
_SIGNS = re.compile(r"[\s%€$£¥]|(?<=\d),(?=\d{3})")


class Guess(NamedTuple):
    """The guessed kind of a column, a note about it for its owner, and an order."""

    kind: str
    note: str = ""
    order: tuple[str, ...] = ()


def guess_kind(columns: Columns, i: int) -> Guess | None:
    """Guess what a column is; None if words are among numbers, which is an error.

    A column of numbers is numeric, one of dates a date, one of ordered categories
    ordinal; text is a vector, a date, a category or prose if nearly all cells are;
    otherwise it is left out.
    """
    typed = _of_type(columns, i)
    if typed is not None:
        return typed
    kind = columns.kinds[i]
    if kind == held.NUMBER:
        return Guess(NUMERIC, _perhaps_category(columns, i))
    if kind == held.DATE:
        return _date(columns, i)
    known = [word for word in as_words(columns, i) if word is not None]
    if not known or kind == held.OTHER:
        return Guess(IGNORE, "its cells are objects" if known else "it is empty")
    return _of_words(columns, i, known)


def _of_type(columns: Columns, i: int) -> Guess | None:
    """Return what the type of a column says, if it says that these are categories."""
    order = columns.categories.get(i)
    if order is None:
        return None
    known = [word for word in as_words(columns, i) if word is not None]
    if known and order:
        return Guess(ORDINAL, order=tuple(str(as_word(one)) for one in order))
    return Guess(CATEGORICAL) if known and repeats(known) else None


def _of_words(columns: Columns, i: int, known: list[str]) -> Guess | None:
    """Guess what text is: vectors, dates, categories or prose, in this order."""
    if vector_length(known):
        return Guess(VECTOR)
    if all(map(is_number, with_points(known))):
        return Guess(NUMERIC, _of_digits(columns.header[i], known))
    numbers = sum(map(is_number, known))
    if numbers and not (numbers * TIMES < len(known) and is_prose(known)):
        return None
    iso = iso_date(known[0], "dmy")
    if len(iso) >= len("2024-12-31") and iso[:4].isdigit():
        found = _date(columns, i)
        if found.kind == DATE or iso != known[0]:
            return found
    if repeats(known):
        return Guess(CATEGORICAL)
    return _prose(columns.header[i], known)


def _of_digits(name: str, known: list[str]) -> str:
    """Note that numbers are written as text, such as codes are."""
    if note := _zeros_lost(name, known):
        return note
    if with_points(known) != known:
        return ""
    return f"numbers as text; --kinds {name}=categorical if codes"


def _prose(name: str, known: list[str]) -> Guess:
    """Guess whether words that do not repeat are prose, or names of something."""
    plain = [_SIGNS.sub("", word) for word in known]
    if all(map(is_number, plain)):
        what = f"numbers with signs, such as {known[0][:20]!r}"
        return Guess(IGNORE, f"{what}; write {plain[0][:20]} to use it")
    what = "text that is neither prose nor repeated categories"
    if is_prose(known):
        if not are_proper_names(known):
            return Guess(TEXT)
        what = "names, addresses or titles rather than prose"
    use = f"--kinds {name}=text or {name}=categorical uses it"
    return Guess(IGNORE, f"{what}, such as {known[0][:20]!r}; {use}")


def _date(columns: Columns, i: int) -> Guess:
    name, order = columns.header[i], ""
    try:
        if columns.kinds[i] != held.DATE:
            order = date_order(list(as_words(columns, i)))
    except ValueError as error:
        return Guess(IGNORE, f"{error}; --kinds {name}=date:dmy or {name}=date:mdy")
    try:
        as_days(columns, i, order)
    except ValueError:
        return Guess(IGNORE, "times or dates that are not written as 2024-12-31")
    return Guess(DATE)


def _perhaps_category(columns: Columns, i: int) -> str:
    """Note that whole numbers could be categories or names: only their owner knows."""
    known, name = _whole_numbers(columns, i), columns.header[i]
    if not len(known):
        return ""
    if note := _perhaps_names(columns, i, known):
        return note
    distinct = len(np.unique(known))
    if not 2 < distinct <= FEW or distinct * TIMES > len(known):
        return ""
    return f"{distinct} whole values; --kinds {name}=categorical if codes"


def _whole_numbers(columns: Columns, i: int) -> np.ndarray:
    """Return the known values of a column if all are whole numbers, else none."""
    values = np.asarray(columns.one(i))
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    head = known[:1000]  # most columns of fractions end here
    whole = values.dtype.kind != "b" and np.array_equal(head, np.rint(head))
    return known if whole and np.array_equal(known, np.rint(known)) else known[:0]


def perhaps_no_numbers(columns: Columns, i: int) -> str:
    """Note that numbers could be codes, or name the rows: whole, no two alike."""
    return _perhaps_names(columns, i, _whole_numbers(columns, i))


def _perhaps_names(columns: Columns, i: int, known: np.ndarray) -> str:
    name = columns.header[i]
    if note := _zeros_lost(name, _texts(columns, i)):
        return note
    if len(known) <= FEW or len(np.unique(known)) < len(known):
        return ""
    return (
        f"whole numbers, no two alike; --ids {name} if they name the rows, --drop"
        f" {name} if they say nothing"
    )


def _texts(columns: Columns, i: int) -> list[str]:
    """Return the cells of a column of numbers that were written as text."""
    if columns.written is None:
        return []
    ids = columns.ids(i)
    cells = ids.tolist() if ids.dtype.kind in "OU" else []
    return [cell for cell in cells if isinstance(cell, str)]


def _zeros_lost(name: str, known: list[str]) -> str:
    """Note that numbers, of these texts, lose zeros in front of them."""
    if not any(re.fullmatch(r"0\d+", cell.strip()) for cell in known):
        return ""
    return f"leading zeros are lost; --kinds {name}=categorical if codes"
