"""Leading eigenpairs of a Gram matrix, dense or by warm-started blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.sparse as sp

__all__ = ["leading_pairs", "leading_pairs_of", "leading_pairs_of_gram"]

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray | None]
Product = Callable[[np.ndarray], np.ndarray]

DENSE_BELOW = 600  # columns of T; a dense solver is as fast up to about here
GUARD = 6  # vectors beyond those wanted: they set the speed of convergence
TOL = 1e-10  # residual of every pair; the spectrum of T'T is in [0, 1]
MAX_PASSES = 40


def leading_pairs(T: sp.csr_matrix, K: int, start: np.ndarray | None = None) -> Pairs:
    """Find the K leading eigenvectors and K + 1 leading eigenvalues of T'T.

    Chebyshev-filtered subspace iteration from ``start``: a block larger than K + 1
    finds eigenvalues of any multiplicity up to its size, and all pairs are accepted
    only with ||T'T v - w v|| <= 1e-10; else, and for small T, a dense solver.

    Parameters
    ----------
    T : csr_matrix of shape (N, M), ||T||_2 <= 1
    K : int, 1 <= K <= M
    start : ndarray of shape (M, any), optional
        Block of a similar problem, as returned.

    Returns
    -------
    V : ndarray of shape (M, K)
    values : ndarray of shape (min(K + 1, M),), descending
    block : ndarray or None
        Start for the next similar problem.
    """
    Tt = T.T.tocsr()
    return leading_pairs_of(
        lambda X: Tt @ (T @ X), lambda: (T.T @ T).toarray(), T.shape[1], K, start
    )


def leading_pairs_of_gram(
    G: np.ndarray, K: int, start: np.ndarray | None = None
) -> Pairs:
    """Find leading_pairs where the matrix G = T'T (M, M) itself is at hand."""
    # G = G': for a few columns BLAS is faster from the left
    return leading_pairs_of(lambda X: (X.T @ G).T, lambda: G, len(G), K, start)


def leading_pairs_of(
    multiply: Product,
    gram: Callable[[], np.ndarray],
    M: int,
    K: int,
    start: np.ndarray | None = None,
    tol: float = TOL,
) -> Pairs:
    """Find leading_pairs where T'T X and, if needed, T'T (M, M) can be computed.

    ``tol`` bounds the residual of every pair, which bounds the error of the
    eigenvalues and is about the square root of it.
    """
    found = _by_blocks(multiply, M, K, start, tol)
    return _dense(gram(), K) if found is None else found


def _by_blocks(
    multiply: Product, M: int, K: int, start: np.ndarray | None, tol: float
) -> Pairs | None:
    """Iterate on a block; None where the dense solver is as fast or more reliable."""
    size = K + 1 + GUARD
    if max(DENSE_BELOW, 4 * size) >= M:
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

    W = T'T X. Its degree is what the pair of w[K] needs to gain that factor.
    """
    cut = max(w[-1], 1e-3)
    rates = np.arccosh(np.maximum(2 * w[[0, K]] / cut - 1, 1))
    spread = max(rates[0] - rates[1], 1e-3)
    most = np.clip(np.log(1e8) / spread, 4, 24)  # keep the smaller ones' digits
    degree = int(np.clip(np.log(4 * gain) / max(rates[1], 1e-3), 2, most))
    old, new = X, W * (2 / cut) - X
    for _ in range(degree - 1):
        old, new = new, multiply(new) * (4 / cut) - 2 * new - old
    return new


def _dense(G: np.ndarray, K: int) -> Pairs:
    M = len(G)
    w, V = scipy.linalg.eigh(G, subset_by_index=[max(M - K - 1, 0), M - 1])
    return V[:, ::-1][:, :K], w[::-1], None
