"""Decide whether the first row of a text table is a header or a sample."""

from __future__ import annotations

import re
from itertools import pairwise

from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.views.columns import is_number
from mvgraph.views.identifiers import MISSING, is_id_name

#: Headers above feature names, in tables with samples in columns.
FEATURE_NAMES = ("gene", "genes", "gene_id", "feature", "features", "probe", "entrez")
_MISSING = frozenset(MISSING)


def is_numeric(field: str, decimal: str = ".") -> bool:
    """Return whether a field is a number or marks a missing one."""
    field = field.strip()
    if field in _MISSING:
        return True
    word = field.replace(",", ".") if decimal == "," else field
    return is_number(word) and "_" not in word  # Python reads 1_000


def find_header(
    name: str, rows: list[list[str]], decimal: str
) -> tuple[bool, list[str]]:
    """Return whether the first row is a header, and the names of the columns."""
    text = [not is_numeric(field, decimal) for field in rows[min(1, len(rows) - 1)]]
    headed = len(rows) > 1 and _is_header(rows[0], text, rows[1:], decimal)
    if len(rows) == 1 and _is_header(rows[0], [False] * len(text), [], decimal):
        raise ValueError(
            f"{name}: a header without rows. Write one row per sample below it"
        )
    if not headed:
        return False, [f"column_{i}" for i in range(len(rows[0]))]
    header = [cell.strip().removeprefix("#").strip() for cell in rows[0]]
    if _lacks_corner(header, rows[1:]):
        header = ["", *header]
    return True, header


def _lacks_corner(header: list[str], below: list[list[str]]) -> bool:
    """Return whether the header has no name above the identifiers, as R writes it."""
    if header[0] and (is_id_name(header[0]) or header[0].lower() in FEATURE_NAMES):
        return False
    return {len(row) for row in below} == {len(header) + 1}


def _is_header(
    first: list[str], text: list[bool], below: list[list[str]], decimal: str
) -> bool:
    """Return whether `first` is a header: words above numbers, or known names."""
    above = zip(first, text, strict=False)
    if any(not is_numeric(name, decimal) and not is_text for name, is_text in above):
        return True
    if any(is_label_name(name) or (name and is_id_name(name)) for name in first):
        return True
    if text[0] and first[0].strip().lower() in FEATURE_NAMES:
        return True
    numbered = first[1:] if first[0] == "" else first
    if len(numbered) > 2 and numbered == [str(i) for i in range(len(numbered))]:
        return True
    word = first[0].strip() == "" or (text[0] and not is_numeric(first[0], decimal))
    return (
        _lacks_name(first, below, decimal)
        or _is_numbered_beside_words(first, below, decimal)
        or _are_words_above_values(first, below)
        or (word and _is_numbered(first, below, text[0], decimal))
    )


def _lacks_name(first: list[str], below: list[list[str]], decimal: str) -> bool:
    """Return whether numbers name the columns: one field fewer, or a blank corner."""
    if not all(is_numeric(cell, decimal) for cell in first):
        return False
    if {len(row) for row in below} == {len(first) + 1}:
        return True
    cells = {row[0].strip() for row in below} - _MISSING  # NA may be a name
    words = bool(cells) and not any(is_numeric(cell, decimal) for cell in cells)
    return words and not first[0].strip()


def _are_words_above_values(first: list[str], below: list[list[str]]) -> bool:
    """Return whether ``sku,title,vector`` is a header above cells of text.

    It is if, in every column, all cells contain digits and the name does not.
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
    """Return whether a word and distinct numbers are a header and not a sample.

    They are if the word does not look like the names below it. Otherwise the numbers
    decide: there are no integers below them, or they are evenly spaced above rows of
    fractions. If neither holds, the table has no header.
    """
    names = first[1:]
    if not all(is_numeric(n, decimal) for n in names) or len({*names}) < max(
        2, len(names)
    ):
        return False
    shapes = {_shape(row[0]) for row in below}
    whole_names = all(map(_is_integer, names))
    differs = named and "0" not in _shape(first[0]) and _shape(first[0]) not in shapes
    if differs and (whole_names or _is_rising(names, decimal)):
        return True
    if not whole_names:
        return False
    integers = [[_is_integer(field) for field in row[1:]] for row in below]
    if len(names) < 3 or any(map(all, integers)):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(names)}
    return len(steps) == 1 or not any(map(any, integers))


def _is_rising(names: list[str], decimal: str) -> bool:
    """Return whether at least three numbers all rise or all fall, as wavelengths do."""
    numbers = [float(name.replace(decimal, ".")) for name in names]
    steps = {b > a for a, b in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1


def _is_numbered_beside_words(
    first: list[str], below: list[list[str]], decimal: str
) -> bool:
    """Return whether ``0,1,2,sex`` is a header: even steps, and words not used below.

    A sample could look the same. Unless the numbers are 0, 1, 2, ... and the words
    below repeat, no number below may be whole.
    """
    rows = [row for row in below if len(row) == len(first)]
    words = [i for i, cell in enumerate(first) if not is_numeric(cell, decimal)]
    rest = [i for i in range(len(first)) if i not in words]
    rest = [i for i in rest if i > 0 or first[0].strip()]  # an index has no name
    names = [first[i].strip() for i in rest]
    if not (words and rows and len(names) > 2 and all(map(_is_integer, names))):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(names)}
    under = [[row[i].strip() for row in rows] for i in words]
    words_above = [first[i].strip() for i in words]
    are_new = not any(
        word in cells for word, cells in zip(words_above, under, strict=True)
    )
    if len(steps) != 1 or steps == {0} or not are_new:
        return False
    kinds = all(len(set(cells)) < len(cells) for cells in under)
    if kinds and names == [str(i) for i in range(len(names))]:
        return True
    return not any(_is_integer(row[i]) for row in rows for i in rest if row[i].strip())


def _shape(name: str) -> str:
    """Return the kinds of characters of a name: ``Gene12_a`` is ``Aa0_a``."""
    name = re.sub(r"[^\W\d_]+", _letters, name.strip())
    return re.sub(r"\d+", "0", name)


def _letters(match: re.Match[str]) -> str:
    word = match[0]
    if word.isupper():
        return "A"
    return "Aa" if word[0].isupper() else "a"


def _is_integer(field: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", field) is not None
