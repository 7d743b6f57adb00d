"""Labels from a bipartite graph: its components, or a spectral cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.arrays import Float, Int, Matrix
from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.labels import by_first_occurrence
from mvgraph.ops.linalg.spectral import row_normalise

#: A component is small with less than this share of the mean size of clusters.
SMALL = 0.5


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


def small_components(
    edges: sp.csr_matrix, rows: np.ndarray, K: int, at_least: int
) -> list[Int]:
    """Find the small components of a graph of samples.

    Parameters
    ----------
    edges : csr_matrix of shape (N, N)
    rows : ndarray of shape (N, d)
        Features, to count distinct samples.
    K : int
        Number of clusters.
    at_least : int
        Distinct samples that every component must hold.

    Returns
    -------
    list of ndarray of int
        Rows of each, by first row; none where there are more components than clusters,
        so that something has to be merged, or one holds too few distinct samples.
    """
    count, number = connected_components(edges, directed=False)
    if count < 2 or count > K:
        return []
    members = [np.flatnonzero(number == c) for c in range(count)]
    hashes = sum_hash(rows, 0)
    if min(len(np.unique(hashes[m])) for m in members) < at_least:
        return []
    return [m for m in members if len(m) < SMALL * len(rows) / K]


class Joined(NamedTuple):
    """Components of a block of rows: enough to find those of all rows."""

    n_isolated: int  # samples without anchors
    of_anchor: Int  # (M,) component in the block; -1 for anchors that it does not use


def joined(Z: Matrix) -> Joined:
    """Find the components of a block of rows; see `count_joined`."""
    count, _, of_anchor = components(Z)
    return Joined(count - len(np.unique(of_anchor[of_anchor >= 0])), of_anchor)


def count_joined(blocks: Sequence[Joined]) -> int:
    """Return how many components a graph has whose rows were read in blocks."""
    rows, columns, n_rows = [], [], 0
    for block in blocks:
        used = np.flatnonzero(block.of_anchor >= 0)
        rows.append(n_rows + block.of_anchor[used])
        columns.append(used)
        n_rows += int(block.of_anchor.max(initial=-1)) + 1
    i, j = np.concatenate(rows), np.concatenate(columns)
    linked = sp.csr_matrix(
        (np.ones(len(i)), (i, j)), shape=(n_rows, len(blocks[0].of_anchor))
    )
    held = linked[np.diff(linked.indptr) > 0]
    found = components(held)[0] if held.shape[0] else 0
    return found + sum(block.n_isolated for block in blocks)


def spectral_labels(
    P: Float, n_clusters: int, rng: np.random.Generator, n_init: int = 10
) -> Int:
    """Cluster the rows of a spectral embedding, scaled to length 1, by k-means."""
    return kmeans(row_normalise(P), n_clusters, rng, n_init=n_init).labels
