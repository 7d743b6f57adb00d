"""Small groups of samples that are separated from all others."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.partition import small_components
from mvgraph.graphs.sources import GraphSource

__all__ = ["isolated_groups"]

#: Neighbours of a sample; a group that is found holds at least so many distinct ones.
NEIGHBORS = 5
#: An edge below this share of the degrees of both its ends does not connect them.
NEGLIGIBLE = 1e-3


def isolated_groups(source: GraphSource, rows: np.ndarray, K: int) -> list[np.ndarray]:
    """Find small groups without edges to other samples, jointly and by view.

    The scalings that centre rows and bring them to unit length spread a large group
    around its mean in all directions, and a rare group far away among it. In plain
    scaled features it stands apart: no edge but negligible ones leaves it, neither in
    the joint graph nor in the mean graph. Such a group is a cluster of its own.

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
    graphs = [source.joint_graph(NEIGHBORS), source.mean_graph(NEIGHBORS)]
    edges = sum(_strong_edges(W) for W in graphs)
    return sorted(small_components(edges, rows, K, NEIGHBORS), key=len)


def _strong_edges(W: sp.csr_matrix) -> sp.csr_matrix:
    degree = np.asarray(W.sum(axis=1)).ravel()
    C = W.tocoo()
    strong = C.data > NEGLIGIBLE * np.minimum(degree[C.row], degree[C.col])
    where = C.row[strong], C.col[strong]
    return sp.csr_matrix((np.ones(strong.sum()), where), shape=W.shape)
