"""Average linkage of the co-association of samples: no preference for equal sizes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.labels import indicator


def linkage_labels(
    partitions: np.ndarray, w: np.ndarray, K: int, least: int = 1
) -> np.ndarray:
    """Cluster samples by average linkage of their weighted co-association.

    The dissimilarity of two samples is the weight of the partitions that separate them
    [fred2005]_. Samples with the same labels in all partitions are one item. Merges
    stop when K clusters of at least `least` samples are left; smaller ones go on to the
    cluster that they merge with next.

    Parameters
    ----------
    partitions : ndarray of int, shape (B, N)
    w : ndarray of shape (B,), sum one
    K : int
        Clusters to be left.
    least : int, default=1
        Ignored where there are never so many clusters of this size.

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
    merges = merges[np.argsort(heights, kind="stable")]
    large = _clusters_of(merges, size, least)
    whole = np.flatnonzero(large >= K)
    if len(whole):
        root = _merged(merges, size, int(whole[-1]), least)
    else:
        root = _merged(merges, size, max(n - K, 0), 1)
    labels = np.unique(root, return_inverse=True)[1]
    return np.asarray(labels, dtype=np.int64)[item.ravel()]


def _clusters_of(merges: np.ndarray, size: np.ndarray, least: int) -> np.ndarray:
    """Return how many clusters have at least so many samples after 0, 1, ... merges."""
    root, total = np.arange(len(size)), size.copy()
    counts = [int((size >= least).sum())]
    for i, j in merges:
        a, b = _find(root, i), _find(root, j)
        large = int(total[a] >= least) + int(total[b] >= least)
        root[b] = a
        total[a] += total[b]
        counts.append(counts[-1] + int(total[a] >= least) - large)
    return np.array(counts)


def _merged(merges: np.ndarray, size: np.ndarray, stop: int, least: int) -> np.ndarray:
    """Return the root of every item after some merges, and those of small clusters."""
    root, total = np.arange(len(size)), size.copy()
    for i, j in merges[:stop]:
        a, b = _find(root, i), _find(root, j)
        root[b] = a
        total[a] += total[b]
    settled = total >= least
    for i, j in merges[stop:]:
        a, b = _find(root, i), _find(root, j)
        if not (settled[a] and settled[b]):
            root[b] = a
            settled[a] |= settled[b]
    return np.array([_find(root, i) for i in range(len(size))])


def _find(root: np.ndarray, i: int) -> int:
    while root[i] != i:
        root[i] = i = root[root[i]]
    return int(i)
