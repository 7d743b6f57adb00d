"""Spectral embedding of a similarity between samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.affinity.neighbors import nearest_others, rows_to_csr, symmetrise
from mvgraph.ops.distance import join_features
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.linalg.laplacian import normalise, top_eigenpairs
from mvgraph.ops.linalg.spectral import inverse_sqrt
from mvgraph.ops.typing import Matrix

__all__ = [
    "joined_neighbor_graph",
    "normalise_similarity",
    "random_walk_embedding",
    "spectral_embedding",
]


def joined_neighbor_graph(arrays: Sequence[Matrix], n_neighbors: int) -> sp.csr_matrix:
    """Link samples to their nearest others in the joined features of all arrays.

    Parameters
    ----------
    arrays : sequence of ndarray or csr_matrix of shape (n, d_v), n >= 2
    n_neighbors : int, >= 1
        At most n - 1 are used.

    Returns
    -------
    csr_matrix of shape (n, n)
        (A + A') / 2, where a_ij = 1 for the n_neighbors nearest j of i, else 0.
    """
    X = join_features(arrays)
    n = X.shape[0]
    near = nearest_others(X, min(n_neighbors, n - 1))[0]
    return symmetrise(rows_to_csr(near, np.ones(near.shape), n))


def normalise_similarity(W: Matrix) -> Matrix:
    """Compute D^-1/2 W D^-1/2; samples without any similarity get a zero row.

    Parameters
    ----------
    W : ndarray or sparse matrix of shape (n, n), symmetric, non-negative

    Returns
    -------
    ndarray or sparse matrix of shape (n, n)
    """
    if sp.issparse(W):
        return normalise(W)
    scale = _inverse_root_degrees(W)
    return W * scale[:, None] * scale


def spectral_embedding(W: Matrix, K: int) -> tuple[np.ndarray, int]:
    """Embed samples by the K leading eigenvectors of D^-1/2 W D^-1/2.

    Solves  max tr(U' D^-1/2 W D^-1/2 U)  s.t.  U'U = I, the relaxed normalised cut
    [ng2001]_. Connected components of a sparse W are solved separately: each has one
    eigenvalue 1, and with K or more components the eigenvectors are known in closed
    form.

    Parameters
    ----------
    W : ndarray or sparse matrix of shape (n, n), symmetric, non-negative
    K : int, 1 <= K <= n

    Returns
    -------
    U : ndarray of shape (n, max(K, n_components)), or (n, K) for a dense W
        Orthonormal columns.
    n_components : int
        Connected components of a sparse W; 1 is assumed of a dense one.

    References
    ----------
    .. [ng2001] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.
    """
    A = normalise_similarity(W)
    if not sp.issparse(W):
        return leading_eigenvectors(A, K)[1], 1
    count, labels = connected_components(W, directed=False)
    if count < K:
        return top_eigenpairs(sp.csr_matrix(A), K, 1.0)[1], count
    known = np.zeros((len(labels), count))
    known[np.arange(len(labels)), labels] = np.sqrt(
        np.maximum(np.asarray(W.sum(axis=1)).ravel(), 1e-300)
    )
    return known / np.linalg.norm(known, axis=0), count


def random_walk_embedding(W: np.ndarray, K: int) -> np.ndarray:
    """Embed samples by the K leading eigenvectors of D^-1 W, each of length 1.

    Parameters
    ----------
    W : ndarray of shape (n, n), symmetric, non-negative
    K : int, 1 <= K <= n

    Returns
    -------
    ndarray of shape (n, K)
    """
    U = leading_eigenvectors(normalise_similarity(W), K)[1]
    U = U * _inverse_root_degrees(W)[:, None]
    norms = np.linalg.norm(U, axis=0)
    return np.asarray(U / np.where(norms > 0, norms, 1))


def _inverse_root_degrees(W: Matrix) -> np.ndarray:
    degrees = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(inverse_sqrt(degrees))
