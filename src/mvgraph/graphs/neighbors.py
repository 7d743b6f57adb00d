"""Neighbour graphs of samples: exact nearest neighbours and self-tuning weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.distance import nearest_columns, squared_distances_at, squared_norms
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.parallel import map_rows

__all__ = [
    "Neighbors",
    "mean_of_graphs",
    "nearest_neighbors",
    "self_tuning_graph",
]

ROWS_PER_BLOCK = 512


class Neighbors(NamedTuple):
    """The nearest other samples of every sample, nearest first."""

    indices: np.ndarray  # (N, k)
    distances: np.ndarray  # (N, k), squared, float64


def nearest_neighbors(x: np.ndarray, k: int) -> Neighbors:
    """Find the exact nearest neighbours of every row among the others.

    Parameters
    ----------
    x : ndarray of shape (N, d), N >= 2
    k : int
        At most N - 1 neighbours are returned. Ties go to the smaller row.

    Returns
    -------
    Neighbors
    """
    n = len(x)
    k = min(k, n - 1)
    # |a - b|^2 - |a|^2 = -2 a.b + |b|^2: one product, and the same neighbours
    left = np.hstack([-2 * x, np.ones((n, 1), dtype=x.dtype)])
    right = np.ascontiguousarray(np.hstack([x, squared_norms(x)[:, None]]).T)

    def find(rows: slice) -> np.ndarray:
        D = left[rows] @ right
        own = np.arange(rows.start, rows.stop)
        D[np.arange(len(own)), own] = np.inf
        return nearest_columns(D, k)[0]

    indices = np.concatenate(map_rows(find, n, ROWS_PER_BLOCK))
    pairs = np.repeat(np.arange(n), k), indices.ravel()
    distances = squared_distances_at(x, x, *pairs).reshape(n, k)
    return Neighbors(indices, distances)


def self_tuning_graph(near: Neighbors, k: int) -> sp.csr_matrix:
    """Link every sample to its k nearest, with weights exp(-d_ij / (s_i s_j)).

    s is the distance to the k-th neighbour, so that weights do not depend on the
    density of the samples [zelnik2004]_. The graph is made symmetric by the larger of
    two weights.

    Parameters
    ----------
    near : Neighbors
    k : int

    Returns
    -------
    csr_matrix of shape (N, N)

    References
    ----------
    .. [zelnik2004] Zelnik-Manor, Perona, "Self-tuning spectral clustering", NIPS 2004.
    """
    n = len(near.indices)
    indices, d = near.indices[:, :k], near.distances[:, :k]
    s = np.sqrt(np.maximum(d[:, -1], 1e-300))
    with np.errstate(under="ignore"):
        w = np.exp(-np.minimum(d / (s[:, None] * s[indices]), 700.0))
    ends = np.arange(0, indices.size + 1, indices.shape[1])
    W = sp.csr_matrix((w.ravel(), indices.ravel(), ends), shape=(n, n))
    W.sort_indices()
    return W.maximum(W.T).tocsr()


def mean_of_graphs(
    graphs: list[sp.csr_matrix], informative: np.ndarray
) -> sp.csr_matrix:
    """Add up the normalised graphs of the views.

    Parameters
    ----------
    graphs : list of V csr_matrix of shape (N, N)
    informative : ndarray of bool, shape (N, V)
        Rows that are False have no edges in the graph of the view.

    Returns
    -------
    csr_matrix of shape (N, N)
    """
    parts = []
    for v, W in enumerate(graphs):
        if not informative[:, v].all():
            keep = sp.diags(informative[:, v].astype(float))
            W = (keep @ W @ keep).tocsr()
        parts.append(normalise(W))
    while len(parts) > 1:  # in pairs: one by one, every sum would be as long as all
        pairs = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return sp.csr_matrix(parts[0])
