"""Label arrays: numbering, indicator matrices, cluster memberships of anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Int, Matrix, dense


def is_missing(cell: Any) -> bool:
    """Return whether a cell is missing: None, NaN, NaT, or pandas' NA.

    NA has to be known by its name: it equals nothing, and no comparison with it is true
    or false.
    """
    if cell is None:
        return True
    if isinstance(cell, np.ndarray | list | tuple | str | bytes):
        return False
    return type(cell).__name__ in ("NAType", "NaTType") or bool(cell != cell)


def anchor_memberships(Z: Matrix, labels: Int, n_clusters: int) -> np.ndarray:
    """Return the share of each anchor's weight that comes from each cluster.

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
    B = dense(Z.T @ indicator(labels, n_clusters))
    total = B.sum(axis=1, keepdims=True)
    return np.asarray(B / np.where(total > 0, total, 1))


def indicator(labels: Int, K: int) -> sp.csr_matrix:
    """Return the indicator matrix of a partition into K clusters, or of B of them.

    Parameters
    ----------
    labels : ndarray of shape (N,) or (B, N)
        From 0 to K - 1.
    K : int

    Returns
    -------
    csr_matrix of shape (N, K) or (N, B K)
    """
    partitions = np.atleast_2d(labels)
    B, N = partitions.shape
    columns = (partitions + K * np.arange(B)[:, None]).T.ravel()
    indptr = np.arange(0, B * N + 1, B)
    return sp.csr_matrix((np.ones(B * N), columns, indptr), shape=(N, B * K))


def cluster_sums(x: Matrix, labels: Int, K: int) -> np.ndarray:
    """Add up the rows of every cluster, in their order; dense, of shape (K, d)."""
    if isinstance(x, np.ndarray):
        from mvgraph.ops.kernels import common as _kernels

        sums = np.zeros((K, x.shape[1]))
        _kernels.add_by_label(np.ascontiguousarray(x), labels, sums)
        return sums
    return dense(indicator(labels, K).T.tocsr() @ x)


def by_first_occurrence(labels: Int) -> Int:
    """Return the distinct labels in order of first occurrence.

    Entry c is the old label of the cluster that gets the new label c.
    """
    values, first = np.unique(labels, return_index=True)
    return np.asarray(values[np.argsort(first, kind="stable")])
