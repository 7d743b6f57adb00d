"""The order of rows and views that does not depend on how they arrived."""

from __future__ import annotations

import numpy as np

from mvgraph.ops.hashing import sum_hash
from mvgraph.views.container import Views

__all__ = ["canonical_order", "count_distinct"]


def canonical_order(views: Views, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Order rows and views by a hash of their content.

    Computing on rows and views in this order, and undoing it at the end, makes any
    result independent of the order in which they came, to the last bit. Equal rows
    get equal hashes: it does not matter which of them comes first.

    Returns
    -------
    rows : ndarray of shape (n_samples,)
    keys : ndarray of shape (n_views,)
    """
    hashes = [sum_hash(a, seed) for a in views.arrays]
    with np.errstate(over="ignore"):
        tops = [np.sum(h, dtype=np.uint64) for h in hashes]
        keys = np.argsort(np.array(tops), kind="stable")
        # views are told apart by their own content hash, not by their position
        # and a copy of a view adds nothing, so that it does not change the order either
        distinct = {int(t): h for t, h in zip(tops, hashes, strict=True)}
        joint = np.sum([h * np.uint64(t | 1) for t, h in distinct.items()], axis=0)
    return np.argsort(joint, kind="stable"), keys


def count_distinct(views: Views, enough: int) -> int:
    """Count samples that differ in some view; stop early where there are enough.

    A few rows usually tell; only if they do not, all are looked at.
    """
    count = 0
    for n in (20 * enough, len(views)):
        hashes = [sum_hash(a[:n], 0) for a in views.arrays]
        with np.errstate(over="ignore"):
            odd = np.uint64(0x9E3779B97F4A7C15)
            joint = np.zeros_like(hashes[0])
            for h in hashes:  # by position here: views do not change places
                joint = joint * odd + h
        count = len(np.unique(joint))
        if count >= enough:
            break
    return count
