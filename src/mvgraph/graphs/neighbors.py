"""Neighbour graphs of samples: exact nearest neighbours, and self-tuning weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.representations import Representation
from mvgraph.ops.distance import nearest_columns, squared_distances_at, squared_norms
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.parallel import map_rows

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


def few_copies(copies_before: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return which rows to link: of one that is there many times, some copies only.

    A row with more copies than a graph has neighbours is linked to nothing else: each
    group of copies would be a community of its own.

    Parameters
    ----------
    copies_before : ndarray of int, shape (n,)
        Equal rows before each, as in :class:`mvgraph.views.order.ContentOrder`.
    n_neighbors : int
        Neighbours of a row in the graph that has fewest.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the first ``n_neighbors`` copies of every row.
    """
    return np.asarray(copies_before < n_neighbors)


class GraphSource(NamedTuple):
    """The nearest neighbours of a representation, jointly and by view."""

    name: str
    joint: Neighbors
    views: list[Neighbors]
    informative: np.ndarray  # (N, V)

    @classmethod
    def of(
        cls, representation: Representation, informative: np.ndarray, n_neighbors: int
    ) -> GraphSource:
        """Find n_neighbors; the views count the same in the joint graph."""
        arrays = representation.arrays
        scaled = [_unit_distance(x) for x in arrays]
        joint = nearest_neighbors(np.hstack(scaled), n_neighbors)
        alone = [joint]
        if len(arrays) > 1:
            alone = [nearest_neighbors(x, n_neighbors) for x in arrays]
        return cls(representation.name, joint, alone, informative)

    def joint_graph(self, k: int) -> sp.csr_matrix:
        """Return the graph of nearest neighbours in all views together."""
        return self_tuning_graph(self.joint, k)

    def view_graphs(self, k: int) -> list[sp.csr_matrix]:
        """Return the graph of nearest neighbours in each view."""
        return [self_tuning_graph(near, k) for near in self.views]

    def mean_graph(self, k: int) -> sp.csr_matrix:
        """Return the mean of the normalised graphs of the views."""
        return mean_of_graphs(self.view_graphs(k), self.informative)


def _unit_distance(x: np.ndarray) -> np.ndarray:
    """Centre and scale a view to a mean squared distance of one between samples."""
    centred = x - x.mean(axis=0, dtype=np.float64).astype(x.dtype)
    mean = 2 * float(np.einsum("nd,nd->", centred, centred, dtype=np.float64)) / len(x)
    scale = x.dtype.type(1 / np.sqrt(mean) if mean > 0 else 1)
    return np.asarray(centred * scale)
