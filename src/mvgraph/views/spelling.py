"""Names of the same sample that are written differently."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import as_text, objects

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
    everywhere = set.intersection(*(set(own) for own in places.values()))
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
