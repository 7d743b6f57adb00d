"""The tree of communities above and below given clusters."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.communities import Merges, leiden_at_least, merge_communities

__all__ = ["community_tree"]


def community_tree(
    W: sp.csr_matrix, labels: np.ndarray, n_leaves: int, rng: np.random.Generator
) -> Merges:
    """Merge communities inside the clusters first, then the clusters.

    Parameters
    ----------
    W : csr_matrix of shape (N, N)
        Graph of the samples.
    labels : ndarray of int, shape (N,)
        The clusters; the cut of the tree at their number gives them back.
    n_leaves : int
        Communities at the bottom, at least, if there are so many rows.
    rng : Generator

    Returns
    -------
    Merges
        Leaves are numbered 0, 1, ...; distances never fall.
    """
    communities = leiden_at_least(W, min(n_leaves, W.shape[0]), rng)
    pairs = np.stack([labels, communities], axis=1)
    leaves = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    return merge_communities(W, leaves, within=labels)
