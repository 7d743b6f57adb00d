"""What is the same in two clusterings, and what split or merged, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvgraph.ops.matching import homes

#: Parts of a cluster that are named, the largest first.
PARTS = 4


def matched(counts: np.ndarray) -> np.ndarray:
    """Return the column that every row is matched with one to one, -1: none.

    The matching has the largest number of shared samples; a pair shares at least one.
    """
    partner = np.full(len(counts), -1)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    real = counts[rows, columns] > 0
    partner[rows[real]] = columns[real]
    return partner


def changes(
    counts: np.ndarray, groups: tuple[list[Any], list[Any]], names: tuple[str, str]
) -> list[str]:
    """Say what is the same, what split, what merged, and what is mixed.

    A group belongs to the one that has more than half of it. A group to which several
    belong has split into them; several that belong to one have merged into it.
    """
    (a, b), (left, right) = names, groups
    home, origin = homes(counts), homes(counts.T)
    sizes = counts.sum(axis=1)
    same, split, mixed, merged = [], [], [], []
    joined = np.bincount(home[home >= 0], minlength=counts.shape[1])
    for i in range(len(counts)):
        parts = np.flatnonzero(origin == i)
        j = home[i]
        if len(parts) > 1:
            shares = _parts(counts[i], sizes[i], parts, right)
            split.append(f"{left[i]} of {a} splits into {shares} of {b}.")
        elif j >= 0 and origin[j] == i and joined[j] == 1:
            union = sizes[i] + counts[:, j].sum() - counts[i, j]
            share = counts[i, j] / union
            how = f"; they share {percent(share)} of their samples" if share < 1 else ""
            same.append(f"{left[i]} of {a} is {right[j]} of {b}{how}.")
        elif j < 0 or joined[j] == 1:
            shares = _parts(counts[i], sizes[i], np.flatnonzero(counts[i]), right)
            mixed.append(f"{left[i]} of {a} lies in {shares} of {b}.")
    for j in range(counts.shape[1]):
        own = np.flatnonzero(home == j)
        if len(own) > 1:
            which = ", ".join(str(left[i]) for i in own)
            merged.append(f"{which} of {a} merge into {right[j]} of {b}.")
        elif not len(own) and origin[j] < 0:
            column = counts[:, j]
            shares = _parts(column, column.sum(), np.flatnonzero(column), left)
            mixed.append(f"{right[j]} of {b} is drawn from {shares} of {a}.")
    return [*same, *split, *merged, *mixed]


def _parts(row: np.ndarray, size: int, of: np.ndarray, names: list[Any]) -> str:
    """List parts of a group with their shares, the largest first."""
    order = of[np.argsort(-row[of], kind="stable")]
    words = [f"{names[j]} ({percent(row[j] / size)})" for j in order[:PARTS]]
    more = len(order) - PARTS
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def percent(share: float) -> str:
    """Write a share; one that is not all is never written as all, nor one as none."""
    text = f"{share:.0%}"
    if share < 1 and text == "100%":
        return "over 99 %"
    if share > 0 and text == "0%":
        return "under 1 %"
    return text.replace("%", " %")
