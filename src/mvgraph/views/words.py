"""Classify the text of a column: categories, prose or names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvgraph.views.identifiers import are_dates

__all__ = ["TIMES", "is_feature", "is_prose", "repeats"]

#: Average number of words in a cell of prose; codes have fewer.
WORDS = 3
#: Largest average number of words in a name; a first column with more is prose.
NAME_WORDS = 5
#: Average number of times that a category occurs in its column; names occur less.
TIMES = 5


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
