"""From a bipartite graph to labels: its components, or a spectral cut."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import by_first_occurrence
from mvgraph.ops.linalg.spectral import row_normalise

__all__ = ["components", "spectral_labels"]


def components(Z) -> tuple[int, np.ndarray, np.ndarray]:
    """Find the connected components of a bipartite graph that hold samples.

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
    root = np.arange(M)  # anchors that a sample uses are in one component
    first = np.full(N, -1)
    _kernels.join_columns(B.indptr, B.indices, B.data, root, first)
    lonely = first < 0  # samples without anchors are components of their own
    parts = np.where(lonely, M + np.arange(N), root[first])
    found = by_first_occurrence(parts)
    number = np.full(M + N if lonely.any() else M, -1)
    number[found] = np.arange(len(found))
    return len(found), number[parts], number[root]


def spectral_labels(
    P: np.ndarray, n_clusters: int, rng: np.random.Generator, n_init: int = 10
) -> np.ndarray:
    """Cut a spectral embedding by k-means on its rows scaled to length 1."""
    return kmeans(row_normalise(P), n_clusters, rng, n_init=n_init).labels
