"""From a bipartite graph to labels: its components, or a spectral cut."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.kmeans import kmeans

__all__ = [
    "anchor_memberships",
    "by_first_occurrence",
    "components",
    "indicator",
    "row_normalise",
    "spectral_labels",
]


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
    from mvgraph.ops import _kernels

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


def row_normalise(U: np.ndarray) -> np.ndarray:
    """Scale rows to length 1; zero rows stay zero."""
    norms = np.linalg.norm(U, axis=1, keepdims=True)
    return U / np.where(norms > 1e-12, norms, 1)


def spectral_labels(
    P: np.ndarray, n_clusters: int, rng: np.random.Generator, n_init: int = 10
) -> np.ndarray:
    """Cut a spectral embedding by k-means on its rows scaled to length 1."""
    return kmeans(row_normalise(P), n_clusters, rng, n_init=n_init).labels


def anchor_memberships(Z, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Share of every anchor's weight that comes from each cluster.

    Parameters
    ----------
    Z : ndarray or csr_matrix of shape (N, M)
    labels : ndarray of shape (N,)
    n_clusters : int

    Returns
    -------
    ndarray of shape (M, n_clusters)
        Rows sum to one; the row of an anchor without samples is zero.
    """
    member = sp.csr_matrix(
        (np.ones(len(labels)), (np.arange(len(labels)), labels)),
        shape=(len(labels), n_clusters),
    )
    B = Z.T @ member
    B = B.toarray() if sp.issparse(B) else np.asarray(B)
    total = B.sum(axis=1, keepdims=True)
    return B / np.where(total > 0, total, 1)


def indicator(partitions: np.ndarray, K: int) -> sp.csr_matrix:
    """Return the (N, B K) matrix of memberships in base clusters."""
    B, N = partitions.shape
    columns = (partitions + K * np.arange(B)[:, None]).T.ravel()
    indptr = np.arange(0, B * N + 1, B)
    return sp.csr_matrix((np.ones(B * N), columns, indptr), shape=(N, B * K))


def by_first_occurrence(labels: np.ndarray) -> np.ndarray:
    """Return the old label of each new label, numbered by first occurrence."""
    values, first = np.unique(labels, return_index=True)
    return values[np.argsort(first, kind="stable")]
