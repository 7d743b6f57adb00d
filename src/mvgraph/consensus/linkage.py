"""Average linkage of the co-association of samples: no preference for equal sizes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.labels import indicator

__all__ = ["linkage_labels"]


def linkage_labels(partitions: np.ndarray, w: np.ndarray, K: int) -> np.ndarray:
    """Cluster samples by average linkage of their weighted co-association.

    The dissimilarity of two samples is the weight of the partitions that separate them
    [fred2005]_. Samples with the same labels in all partitions are one item.

    Parameters
    ----------
    partitions : ndarray of int, shape (B, N)
    w : ndarray of shape (B,), sum one
    K : int
        Clusters to be left.

    Returns
    -------
    ndarray of int, shape (N,)
        Fewer than K clusters where fewer samples are told apart.

    References
    ----------
    .. [fred2005] Fred, Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005, :doi:`10.1109/TPAMI.2005.113`.
    """
    from mvgraph.ops.kernels.communities import average_linkage

    _, first, item, size = np.unique(
        partitions, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    n, width = len(first), int(partitions.max()) + 1
    H = sp.csr_matrix(indicator(partitions[:, first], width), dtype=np.float32)
    H = (H @ sp.diags(np.sqrt(np.repeat(w, width)).astype(np.float32))).toarray()
    D = 1 - H @ H.T
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    average_linkage(D, size.astype(np.float64), merges, heights)
    # chains find merges out of order; equal heights keep the order in which they come
    order = np.argsort(heights, kind="stable")[: max(n - K, 0)]
    links = sp.csr_matrix(
        (np.ones(len(order)), (merges[order, 0], merges[order, 1])), shape=(n, n)
    )
    labels = connected_components(links, directed=False)[1]
    return np.asarray(labels, dtype=np.int64)[item.ravel()]
