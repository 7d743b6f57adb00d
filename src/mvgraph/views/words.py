"""Classify the text of a column: categories, prose or names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mvgraph.views.identifiers import FEWEST, are_dates

#: Average number of words in a cell of prose; codes have fewer.
WORDS = 3
#: Largest average number of words in a name; a first column with more is prose.
NAME_WORDS = 5
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
