"""Rows that a view lacks, filled from the rows that are near in the other views."""

from __future__ import annotations

import numpy as np

from mvgraph.ops.distance import nearest, squared_distances
from mvgraph.ops.parallel import map_rows

__all__ = ["impute", "neighbours_with"]

N_NEIGHBORS = 10
#: Rows that neighbours are sought among, the first ones: in order of content a sample.
MAX_OTHERS = 5000
BLOCK = 512


def impute(
    near_in: list, mask: np.ndarray, fill: list[list[np.ndarray]]
) -> tuple[list[list[np.ndarray]], np.ndarray]:
    """Fill what views lack by the mean of near rows that have it.

    Near is measured by the mean distance over the views that both rows have, every
    view's distances divided by their mean.

    Parameters
    ----------
    near_in : list of V arrays (N, d_v)
        Where distances are measured; what absent rows hold is not read.
    mask : ndarray of bool, shape (N, V)
        False where a view lacks the row.
    fill : list of lists of V dense arrays (N, ...)
        Several descriptions of the same views, all to be filled.

    Returns
    -------
    fill : list of lists of V arrays
        Copies of the views that lack rows, filled.
    known : ndarray of bool, shape (N, V)
        True where present or filled; rows that share no view with the rows that have
        the view stay as they are.
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
            for start in range(0, len(rows), BLOCK):
                some = slice(start, start + BLOCK)
                new[v][rows[some]] = old[v][near[some]].mean(axis=1)
    return filled, known


def neighbours_with(
    arrays: list, mask: np.ndarray, v: int, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find, for rows that lack view v, the nearest rows that have it.

    Returns
    -------
    near : ndarray of int, shape (len(rows), k)
    found : ndarray of bool, shape (len(rows),)
        False where fewer than k rows share a view with the row.
    """
    others = np.flatnonzero(mask[:, v])[:MAX_OTHERS]
    k = min(N_NEIGHBORS, len(others))
    views = [u for u in range(len(arrays)) if u != v]

    def find(block: slice) -> tuple[np.ndarray, np.ndarray]:
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
        return others[nearest(D, k)[0]], (shared > 0).sum(axis=1) >= k

    parts = map_rows(find, len(rows), BLOCK)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
