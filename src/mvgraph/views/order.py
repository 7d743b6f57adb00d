"""An order of rows and views that depends on their content only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mvgraph.ops.hashing import sum_hash
from mvgraph.views.container import Views
from mvgraph.views.dask_array import DaskArray, map_chunks

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
    hashes = _row_hashes(views.arrays, seed)
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


def _row_hashes(arrays: Sequence[Any], seed: int) -> list[np.ndarray]:
    """Hash the rows of every view; those of dask arrays on the workers, in one pass."""
    far = [v for v, a in enumerate(arrays) if isinstance(a, DaskArray)]
    found: dict[int, np.ndarray] = {}
    if far:
        hashes = map_chunks(
            partial(_block_hashes, seed=seed), [arrays[v] for v in far], np.uint64
        )
        found = dict(zip(far, hashes.T, strict=True))
    return [
        np.ascontiguousarray(found[v]) if v in found else sum_hash(a, seed)
        for v, a in enumerate(arrays)
    ]


def _block_hashes(blocks: Sequence[np.ndarray], seed: int) -> np.ndarray:
    return np.column_stack([sum_hash(x, seed) for x in blocks])


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
