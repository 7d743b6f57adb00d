"""Similarities of samples, their spectral embedding, and Markov chains on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.affinity.neighbors import nearest_others, rows_to_csr, symmetrise
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.distance import join_features, squared_distances
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.linalg.laplacian import normalise, top_eigenpairs
from mvgraph.ops.linalg.spectral import inverse_sqrt


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


def normalise_similarity(W: np.ndarray) -> np.ndarray:
    """Compute D^-1/2 W D^-1/2; samples without any similarity get a zero row.

    Parameters
    ----------
    W : ndarray of shape (n, n), symmetric, non-negative
        For a sparse graph see :func:`mvgraph.ops.linalg.laplacian.normalise`.

    Returns
    -------
    ndarray of shape (n, n)
    """
    scale = _inverse_root_degrees(W)
    return np.asarray(W * scale[:, None] * scale)


def spectral_embedding(W: sp.csr_matrix, K: int) -> tuple[np.ndarray, int]:
    """Embed samples by the K leading eigenvectors of D^-1/2 W D^-1/2.

    Solves  max tr(U' D^-1/2 W D^-1/2 U)  s.t.  U'U = I, the relaxed normalised cut
    [ng2001]_. Connected components are solved separately: each has one eigenvalue 1,
    and with K or more components the eigenvectors are known in closed form.

    Parameters
    ----------
    W : csr_matrix of shape (n, n), symmetric, non-negative
    K : int, 1 <= K <= n

    Returns
    -------
    U : ndarray of shape (n, max(K, n_components))
        Orthonormal columns.
    n_components : int
        Number of connected components.

    References
    ----------
    .. [ng2001] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.
    """
    count, labels = connected_components(W, directed=False)
    if count < K:
        return top_eigenpairs(normalise(W), K, 1.0)[1], count
    degrees = np.asarray(W.sum(axis=1)).ravel()
    U = np.zeros((len(labels), count))
    U[np.arange(len(labels)), labels] = np.sqrt(np.maximum(degrees, 1e-300))
    return U / np.linalg.norm(U, axis=0), count


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


def gaussian_kernel(X: Matrix) -> np.ndarray:
    """Compute k_ij = exp(-||x_i - x_j||^2 / (2 sigma^2)), sigma the median distance.

    The median is that of all n^2 distances. If it is 0 (duplicates), sigma is their
    mean; if that is 0 too, 1. Multiplying X by a number does not change the result.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, ones on the diagonal.
    """
    X = X.astype(np.float64, copy=False)
    D = squared_distances(X, X)
    np.fill_diagonal(D, 0)
    sigma = float(np.median(np.sqrt(D), overwrite_input=True))
    sigma = sigma or float(np.sqrt(D).mean()) or 1.0
    D /= -2 * sigma**2
    return np.asarray(np.exp(D, out=D))


def transition_matrix(W: np.ndarray) -> np.ndarray:
    """Divide every row by its sum, P = D^-1 W; rows without weight become absorbing.

    Parameters
    ----------
    W : ndarray of shape (n, n), non-negative

    Returns
    -------
    ndarray of shape (n, n)
        Rows sum to one.
    """
    degree = W.sum(axis=1)
    isolated = degree <= 0
    P = W / np.where(isolated, 1, degree)[:, None]
    P[isolated, isolated] = 1
    return P


def stationary_distribution(P: np.ndarray) -> np.ndarray:
    """Find the leading left eigenvector, pi' P = rho pi', by power iteration.

    It stops when no entry changes by more than 1e-14 times the largest entry, or after
    10,000 steps.

    Parameters
    ----------
    P : ndarray of shape (n, n)
        A transition matrix, or close to one: a few negative entries are allowed. If
        they dominate, the uniform distribution is returned.

    Returns
    -------
    ndarray of shape (n,)
        Positive, sums to one.
    """
    n = len(P)
    pi = np.full(n, 1 / n)
    for _ in range(10_000):
        new = pi @ P
        total = new.sum()
        if not total > 0:  # P is zero or negative entries dominate: no Markov chain
            return np.full(n, 1 / n)
        new /= total
        change = np.abs(new - pi).max()
        pi = new
        if change <= 1e-14 * pi.max():
            break
    pi = np.maximum(pi, 1e-12 / n)
    return np.asarray(pi / pi.sum())


def symmetrise_chain(P: np.ndarray) -> np.ndarray:
    """Symmetrise a chain by its stationary distribution.

    Computes  (R P R^-1 + (R P R^-1)') / 2,  R = diag(pi)^1/2: the symmetric form of the
    chain's additive reversal (Chung 2005), with eigenvalues in [-1, 1].

    Parameters
    ----------
    P : ndarray of shape (n, n)

    Returns
    -------
    ndarray of shape (n, n)
    """
    root = np.sqrt(stationary_distribution(P))
    S: np.ndarray = P * root[:, None]
    S /= root
    S += S.T.copy()
    S /= 2
    return S
