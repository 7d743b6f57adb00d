"""An order of rows and views that depends on their content only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.hashing import sum_hash
from mvgraph.views.container import Views

__all__ = ["ContentOrder", "content_order"]


class ContentOrder(NamedTuple):
    """Rows and views sorted by a hash of their content, and their duplicates."""

    rows: np.ndarray  # (N,)
    views: np.ndarray  # (V,)
    copy_of: np.ndarray  # (V,), the first view with the same content, in that order
    n_distinct: int  # rows that differ in some view; counting stops at ``enough``


def content_order(views: Views, seed: int, enough: int = 1) -> ContentOrder:
    """Order rows and views by a hash of their content.

    If a method is run on rows and views in this order and its results are put back,
    they do not depend on the input order, to the last bit. Equal rows get equal hashes:
    it does not matter which of them comes first.

    Parameters
    ----------
    views : Views
    seed : int
        Every seed gives a different order.
    enough : int, default=1
        Distinct rows are counted up to about this number.

    Returns
    -------
    ContentOrder
    """
    hashes = [sum_hash(a, seed) for a in views.arrays]
    with np.errstate(over="ignore"):
        tops = [np.sum(h, dtype=np.uint64) for h in hashes]
        order = np.argsort(np.array(tops), kind="stable")
        # a view contributes by the hash of its content, not by its position; copies of
        # a view contribute once, so that they do not change the order
        distinct = {int(t): h for t, h in zip(tops, hashes, strict=True)}
        joint = np.sum([h * np.uint64(t | 1) for t, h in distinct.items()], axis=0)
    return ContentOrder(
        np.argsort(joint, kind="stable"),
        order,
        _first_copies([hashes[v] for v in order]),
        _count_distinct(joint, enough),
    )


def _first_copies(hashes: list[np.ndarray]) -> np.ndarray:
    """Return, for every view, the first view with exactly the same content."""
    return np.array(
        [
            next(u for u in range(v + 1) if np.array_equal(hashes[u], hashes[v]))
            for v in range(len(hashes))
        ]
    )


def _count_distinct(joint: np.ndarray, enough: int) -> int:
    """Count distinct values, first in a few rows, which are usually enough."""
    count = 0
    for n in (20 * enough, len(joint)):
        count = len(np.unique(joint[:n]))
        if count >= enough:
            break
    return count
