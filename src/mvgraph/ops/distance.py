"""Squared Euclidean distances and nearest columns."""

import numpy as np
import scipy.sparse as sp

__all__ = ["nearest", "squared_distances", "squared_norms"]


def squared_distances(A, B) -> np.ndarray:
    """Compute d_ij = ||a_i - b_j||^2 through one matrix product, clipped at 0.

    Parameters
    ----------
    A : ndarray or csr_matrix of shape (n, d)
    B : ndarray or csr_matrix of shape (m, d)

    Returns
    -------
    ndarray of shape (n, m)
    """
    cross = A @ B.T
    cross = cross.toarray() if sp.issparse(cross) else np.asarray(cross)
    cross *= -2
    cross += squared_norms(A)[:, None]
    cross += squared_norms(B)[None, :]
    return np.maximum(cross, 0, out=cross)


def squared_norms(A) -> np.ndarray:
    """Compute ||a_i||^2 of every row."""
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)


def nearest(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and values of the k smallest entries of every row, ascending.

    Ties go to the smaller index, as in a stable sort.

    Parameters
    ----------
    D : ndarray of shape (n, m)
    k : int, 1 <= k <= m

    Returns
    -------
    idx : ndarray of int64, shape (n, k)
    val : ndarray of shape (n, k)
    """
    from mvgraph.ops import _kernels

    idx = np.zeros((len(D), k), dtype=np.int64)
    val = np.full((len(D), k), np.inf, dtype=D.dtype)
    _kernels.nearest(np.ascontiguousarray(D), idx, val)
    return idx, val
