"""Rows that views lack: clustered without, or filled from neighbours."""

from __future__ import annotations

import numpy as np

from mvgraph.consensus.method import DEFAULT, Recipe
from mvgraph.graphs.representations import PLAIN, Representation, finish


def complete_rows_suffice(
    mask: np.ndarray, own: list[np.ndarray], K: int, recipe: Recipe = DEFAULT
) -> bool:
    """Return True if the rows that lack nothing can be clustered in place of all.

    They are at least half of the rows and 10 per cluster, and no cluster of a view
    alone consists mostly of rows that lack another view, as it does where rows are
    missing for a reason.

    Parameters
    ----------
    mask : ndarray of bool, shape (N, V)
        True where the view has the row.
    own : list of V arrays of int, shape (N,)
        Partition of every view alone.
    K : int
    recipe : Recipe, optional
    """
    enough = recipe.rows_per_cluster
    complete = np.asarray(mask.all(axis=1))
    if complete.sum() < max(recipe.min_complete * len(complete), enough * K):
        return False
    for v, labels in enumerate(own):
        present = mask[:, v]
        share = complete[present].mean()
        size = np.bincount(labels[present], minlength=K)
        kept = np.bincount(labels[present & complete], minlength=K)
        if ((size >= enough) & (kept < recipe.min_kept * share * size)).any():
            return False
    return True


def fill_missing_rows(
    scaled: list[Representation], mask: np.ndarray, informative: np.ndarray
) -> tuple[list[Representation], np.ndarray]:
    """Fill rows that views lack from near rows; rows of unit length keep it.

    Returns
    -------
    scaled : list of Representation
    informative : ndarray of bool, shape (N, V)
        True also where a row was filled.
    """
    from mvgraph.views.missing import impute

    filled, known = impute(scaled[0].arrays, mask, [r.arrays for r in scaled])
    out = []
    for r, arrays in zip(scaled, filled, strict=True):
        if r.name != PLAIN:
            arrays = finish(arrays, unit=True)
        out.append(r._replace(arrays=arrays))
    return out, informative | (known & ~mask)
