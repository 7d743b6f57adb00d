"""Text of a column told apart: categories, prose, names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvgraph.views.identifiers import are_dates

__all__ = ["TIMES", "is_feature", "is_prose", "repeats"]

#: Words that a cell of prose has on average; codes have fewer.
WORDS = 3
#: Words of a name at most, on average; a first column of more is prose.
NAME_WORDS = 5
#: Times that a category stands in its column on average; names do so less often.
TIMES = 5


def repeats(known: Sequence[str]) -> bool:
    """Tell categories, which stand several times on average, from names."""
    return len(set(known)) * TIMES <= len(known)


def is_prose(known: Sequence[str], words: int = WORDS) -> bool:
    """Tell text of several words, with blanks between them."""
    return len(" ".join(known).split()) >= words * len(known)


def is_feature(cells: np.ndarray) -> bool:
    """Tell dates that stand twice, categories and sentences from names of rows."""
    held = [cell for cell in cells.tolist() if cell is not None]
    if cells.dtype.kind == "M" or are_dates(cells):
        return len(set(held)) < len(held)
    known = [cell for cell in held if isinstance(cell, str) and cell.strip()]
    return bool(known) and (repeats(known) or is_prose(known, NAME_WORDS))
