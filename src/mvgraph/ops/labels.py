"""Label arrays: numbering, indicator matrices, memberships of anchors."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

__all__ = ["anchor_memberships", "by_first_occurrence", "indicator"]


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
