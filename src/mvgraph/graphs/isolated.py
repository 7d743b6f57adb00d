"""Small groups of samples that are separated from all others."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.neighbors import GraphSource, Neighbors
from mvgraph.graphs.partition import small_components

#: Neighbours by which groups are isolated, and distinct rows of the smallest group.
#: See "Rare groups" in ``docs/research.md``.
NEIGHBORS = 5
#: An edge below this share of the degrees of both its ends connects nothing.
NEGLIGIBLE = 1e-3
#: Distance of a group that only some views tell apart, in distances to a fifth
#: neighbour: ten samples beside 1,000, 12 standard deviations away in one of two views,
#: have 3.7; no small component of 18 labelled sets has more than 1.95.
FAR = 2.5


def isolated_groups(source: GraphSource, rows: np.ndarray, K: int) -> list[np.ndarray]:
    """Find small groups without edges to other samples.

    The scalings that centre rows and bring them to unit length spread a large group
    around its mean in all directions, and a rare group far away among it. In plain
    scaled features it stands apart: no edge but negligible ones leaves it, neither in
    the joint graph nor in the mean graph; or, if only some views tell it apart, not in
    the joint graph, and all others are far. Such a group is a cluster of its own.

    Parameters
    ----------
    source : GraphSource
        Neighbours in plain scaled features.
    rows : ndarray of shape (N, d)
        The features, to count distinct samples.
    K : int
        Number of clusters.

    Returns
    -------
    list of ndarray of int
        Rows of each group, smallest first; none where there are more groups than
        clusters, so that something has to be merged.
    """
    joint, mean = (
        _strong_edges(W)
        for W in (source.joint_graph(NEIGHBORS), source.mean_graph(NEIGHBORS))
    )
    found = small_components(joint + mean, rows, K, NEIGHBORS)
    taken = np.concatenate([[], *found])
    for group in small_components(joint, rows, K, NEIGHBORS):
        if not np.isin(group, taken).any() and _is_far(group, source.joint):
            found.append(group)
    return sorted(found, key=len) if len(found) < K else []


def _is_far(group: np.ndarray, near: Neighbors) -> bool:
    """Return True if all other samples are far from all members.

    Members whose known neighbours are all in the group do not say how far others are.
    """
    inside = np.isin(near.indices[group], group)
    d = np.sqrt(near.distances[group])
    if inside.all(axis=1).any():
        return False
    gap, width = d[~inside].min(), d[:, min(NEIGHBORS, d.shape[1]) - 1].max()
    return bool(gap > FAR * width)


def _strong_edges(W: sp.csr_matrix) -> sp.csr_matrix:
    degree = np.asarray(W.sum(axis=1)).ravel()
    C = W.tocoo()
    strong = C.data > NEGLIGIBLE * np.minimum(degree[C.row], degree[C.col])
    where = C.row[strong], C.col[strong]
    return sp.csr_matrix((np.ones(strong.sum()), where), shape=W.shape)
