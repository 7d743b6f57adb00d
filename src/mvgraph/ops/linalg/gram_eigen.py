"""Leading eigenpairs of a Gram matrix, dense or by warm-started blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import scipy.linalg
import scipy.sparse as sp

#: Eigenvectors (M, K), eigenvalues (K + 1,), and the start of the next problem.
LeadingPairs = tuple[np.ndarray, np.ndarray, np.ndarray | None]
Product = Callable[[np.ndarray], np.ndarray]

DENSE_SOLVER_MAX = 600  # columns of T; up to about here a dense solver is as fast
FEW_COLUMNS = 64  # up to here, a matrix with few zeros is multiplied as a dense one
GUARD_VECTORS = 6  # vectors beyond the K + 1 leading ones, for faster convergence
RESIDUAL_TOL = 1e-10  # residual of every pair; the spectrum of T'T is in [0, 1]
MAX_PASSES = 40


def leading_pairs(
    T: sp.csr_matrix, K: int, start: np.ndarray | None = None
) -> LeadingPairs:
    """Find the K leading eigenvectors and K + 1 leading eigenvalues of T'T.

    Uses Chebyshev-filtered subspace iteration from ``start``: a block of more than
    K + 1 vectors finds eigenvalues of any multiplicity up to its size, and pairs are
    accepted only if all satisfy ||T'T v - w v|| <= 1e-10. Otherwise, and for small T,
    uses a dense solver.

    Parameters
    ----------
    T : csr_matrix of shape (N, M), ||T||_2 <= 1
    K : int, 1 <= K <= M
    start : ndarray of shape (M, any), optional
        ``block`` returned for a similar problem.

    Returns
    -------
    V : ndarray of shape (M, K)
    values : ndarray of shape (min(K + 1, M),), descending
    block : ndarray or None
        Start for the next similar problem.
    """
    transposed = cache(lambda: T.T.tocsr())  # few columns do without it

    def multiply(X: np.ndarray) -> np.ndarray:
        return np.asarray(transposed() @ (T @ X))

    return leading_pairs_of(multiply, lambda: _gram(T), T.shape[1], K, start)


def _gram(T: sp.csr_matrix) -> np.ndarray:
    """Return T'T (M, M)."""
    n, m = T.shape
    if m > FEW_COLUMNS or T.nnz < n * m / 4:
        return np.asarray((T.T @ T).toarray())
    full = T.toarray()
    return np.asarray(full.T @ full)


def leading_pairs_of_gram(G: np.ndarray, K: int) -> LeadingPairs:
    """Find the pairs of :func:`leading_pairs` from the matrix G = T'T (M, M)."""
    # G = G': for a few columns BLAS is faster from the left
    return leading_pairs_of(lambda X: (X.T @ G).T, lambda: G, len(G), K)


def leading_pairs_of(
    multiply: Product,
    gram: Callable[[], np.ndarray],
    M: int,
    K: int,
    start: np.ndarray | None = None,
    tol: float = RESIDUAL_TOL,
) -> LeadingPairs:
    """Find the pairs of :func:`leading_pairs` from functions for T'T X and T'T.

    ``gram`` is called only for the dense solver. ``tol`` bounds the residual of every
    pair; the error of the eigenvalues is about its square.
    """
    pairs = _by_blocks(multiply, M, K, start, tol)
    if pairs is not None:
        return pairs
    w, V = scipy.linalg.eigh(gram(), subset_by_index=[max(M - K - 1, 0), M - 1])
    return V[:, ::-1][:, :K], w[::-1], None


def _by_blocks(
    multiply: Product, M: int, K: int, start: np.ndarray | None, tol: float
) -> LeadingPairs | None:
    """Iterate on a block of vectors; return None if the dense solver should be used."""
    size = K + 1 + GUARD_VECTORS
    if max(DENSE_SOLVER_MAX, 4 * size) >= M:
        return None
    X = np.random.default_rng(0).standard_normal((M, size)) if start is None else start
    for _ in range(MAX_PASSES):
        X = np.linalg.qr(X)[0]
        W = multiply(X)
        w, Y = np.linalg.eigh(X.T @ W)
        w, Y = w[::-1], Y[:, ::-1]
        X, W = np.ascontiguousarray(X @ Y), W @ Y
        gap = W[:, : K + 1] - X[:, : K + 1] * w[: K + 1]  # W = T'T X still
        residual = np.linalg.norm(gap, axis=0).max()
        if residual <= tol:
            return X[:, :K], w[: K + 1], X
        X = _filter(multiply, X, W, w, K, residual / tol)
    return None


def _filter(
    multiply: Product, X: np.ndarray, W: np.ndarray, w: np.ndarray, K: int, gain: float
) -> np.ndarray:
    """Apply the Chebyshev polynomial that is small on [0, w[-1]] and grows above.

    W = T'T X. The degree is chosen such that the pair of w[K] gains the factor
    ``gain``.
    """
    cut = max(w[-1], 1e-3)
    rates = np.arccosh(np.maximum(2 * w[[0, K]] / cut - 1, 1))
    spread = max(rates[0] - rates[1], 1e-3)
    most = np.clip(np.log(1e8) / spread, 4, 24)  # keeps the digits of small pairs
    degree = int(np.clip(np.log(4 * gain) / max(rates[1], 1e-3), 2, most))
    old, new = X, W * (2 / cut) - X
    for _ in range(degree - 1):
        old, new = new, multiply(new) * (4 / cut) - 2 * new - old
    return np.asarray(new)
