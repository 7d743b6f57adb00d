"""Labels from a bipartite graph: its components, or a spectral cut."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import by_first_occurrence
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.typing import Float, Int, Matrix

__all__ = ["components", "spectral_labels"]


def components(Z: Matrix) -> tuple[int, Int, Int]:
    """Find the connected components of a bipartite graph that contain samples.

    Parameters
    ----------
    Z : ndarray or csr_matrix of shape (N, M)

    Returns
    -------
    count : int
    labels : ndarray of shape (N,)
        Numbered by first occurrence.
    anchor_labels : ndarray of shape (M,)
        -1 for an anchor that no sample uses.
    """
    from mvgraph.ops.kernels import common as _kernels

    B = sp.csr_matrix(Z)
    N, M = B.shape
    root = np.arange(M)  # of the component of each anchor
    first = np.full(N, -1)
    _kernels.join_columns(B.indptr, B.indices, B.data, root, first)
    isolated = first < 0  # vertices of samples without anchors: own components
    parts = np.where(isolated, M + np.arange(N), root[first])
    found = by_first_occurrence(parts)
    number = np.full(M + N if isolated.any() else M, -1)
    number[found] = np.arange(len(found))
    return len(found), number[parts], number[root]


def spectral_labels(
    P: Float, n_clusters: int, rng: np.random.Generator, n_init: int = 10
) -> Int:
    """Cluster the rows of a spectral embedding, scaled to length 1, by k-means."""
    return kmeans(row_normalise(P), n_clusters, rng, n_init=n_init).labels
