"""Fill missing rows of a view from rows that are near in the other views."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.ops.parallel import map_rows, slices

FILL_NEIGHBORS = 10
#: Neighbours are searched among the first rows that have the view, at most this many;
#: in order of content, the first rows are a random sample.
MAX_CANDIDATES = 5000
ROWS_PER_BLOCK = 512


def impute(
    near_in: list[Any], mask: np.ndarray, fill: list[list[np.ndarray]]
) -> tuple[list[list[np.ndarray]], np.ndarray]:
    """Fill missing rows with the mean of their nearest rows that have the view.

    The distance of two rows is the mean over the views that both have, each view's
    distances divided by their mean.

    Parameters
    ----------
    near_in : list of V arrays (N, d_v)
        Views in which distances are measured; missing rows are not read.
    mask : ndarray of bool, shape (N, V)
        False where a view lacks the row.
    fill : list of lists of V dense arrays (N, ...)
        Several representations of the same views, all to be filled.

    Returns
    -------
    fill : list of lists of V arrays
        Filled copies of the views with missing rows.
    known : ndarray of bool, shape (N, V)
        True where present or filled. Rows that share no view with the rows that have
        the view are left unchanged.
    """
    known = mask.copy()
    filled = [list(arrays) for arrays in fill]
    for v in np.flatnonzero(~mask.all(axis=0)):
        rows = np.flatnonzero(~mask[:, v])
        near, found = neighbours_with(near_in, mask, int(v), rows)
        rows, near = rows[found], near[found]
        known[rows, v] = True
        for old, new in zip(fill, filled, strict=True):
            new[v] = old[v].copy()
            for block in slices(len(rows), ROWS_PER_BLOCK):
                new[v][rows[block]] = old[v][near[block]].mean(axis=1)
    return filled, known


def neighbours_with(
    arrays: list[Any], mask: np.ndarray, v: int, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find, for rows that lack view v, the nearest rows that have it.

    Returns
    -------
    near : ndarray of int, shape (len(rows), k)
    found : ndarray of bool, shape (len(rows),)
        False where fewer than k rows share a view with the row.
    """
    others = np.flatnonzero(mask[:, v])[:MAX_CANDIDATES]
    k = min(FILL_NEIGHBORS, len(others))
    views = [u for u in range(len(arrays)) if u != v]

    def search(block: slice) -> tuple[np.ndarray, np.ndarray]:
        some = rows[block]
        total = np.zeros((len(some), len(others)))
        shared = np.zeros_like(total)
        for u in views:
            both = np.outer(mask[some, u], mask[others, u])
            if both.any():
                D = squared_distances(arrays[u][some], arrays[u][others])
                mean = float(D[both].mean(dtype=np.float64))
                total += np.where(both, D / (mean if mean > 0 else 1), 0)
                shared += both
        D = np.where(shared > 0, total / np.maximum(shared, 1), np.inf)
        return others[nearest_columns(D, k)[0]], (shared > 0).sum(axis=1) >= k

    parts = map_rows(search, len(rows), ROWS_PER_BLOCK)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
