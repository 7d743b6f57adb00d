"""Small groups of samples that are separated from all others."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.consensus.recipe import DEFAULT, Recipe
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.partition import small_components

__all__ = ["isolated_groups"]


def isolated_groups(
    source: GraphSource, rows: np.ndarray, K: int, recipe: Recipe = DEFAULT
) -> list[np.ndarray]:
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
    recipe : Recipe, optional

    Returns
    -------
    list of ndarray of int
        Rows of each group, smallest first; none where there are more groups than
        clusters, so that something has to be merged.
    """
    k = recipe.isolated_neighbors
    graphs = [source.joint_graph(k), source.mean_graph(k)]
    edges = sum(_strong_edges(W, recipe.negligible_edge) for W in graphs)
    return sorted(small_components(edges, rows, K, k), key=len)


def _strong_edges(W: sp.csr_matrix, negligible: float) -> sp.csr_matrix:
    degree = np.asarray(W.sum(axis=1)).ravel()
    C = W.tocoo()
    strong = C.data > negligible * np.minimum(degree[C.row], degree[C.col])
    where = C.row[strong], C.col[strong]
    return sp.csr_matrix((np.ones(strong.sum()), where), shape=W.shape)
