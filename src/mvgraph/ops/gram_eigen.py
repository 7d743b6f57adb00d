"""Leading eigenpairs of T'T for a sparse T, dense or by warm-started blocks."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp

__all__ = ["leading_pairs"]

DENSE_BELOW = 600  # columns of T; a dense solver is as fast up to about here
GUARD = 6  # vectors beyond those wanted: they set the speed of convergence
TOL = 1e-10  # residual of every pair; the spectrum of T'T is in [0, 1]
MAX_PASSES = 40


def leading_pairs(
    T: sp.csr_matrix, K: int, start: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
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
    M = T.shape[1]
    size = K + 1 + GUARD
    if max(DENSE_BELOW, 4 * size) >= M:
        return _dense(T, K)
    fresh = np.random.default_rng(0).standard_normal((M, size))
    X = fresh if start is None else start
    Tt = T.T.tocsr()
    for _ in range(MAX_PASSES):
        X = np.linalg.qr(X)[0]
        W = Tt @ (T @ X)
        w, Y = np.linalg.eigh(X.T @ W)
        w, Y = w[::-1], Y[:, ::-1]
        X, W = np.ascontiguousarray(X @ Y), W @ Y
        gap = W[:, : K + 1] - X[:, : K + 1] * w[: K + 1]
        if np.linalg.norm(gap, axis=0).max() <= TOL:
            return X[:, :K], w[: K + 1], X
        X = _filter(T, Tt, X, w[0], w[K], max(w[-1], 1e-3))
    return _dense(T, K)


def _filter(T, Tt, X, first: float, last: float, cut: float) -> np.ndarray:
    """Apply the Chebyshev polynomial that is small on [0, cut] and grows above."""
    rates = np.arccosh(np.maximum(2 * np.array([first, last]) / cut - 1, 1))
    spread = max(rates[0] - rates[1], 1e-3)
    degree = int(np.clip(np.log(1e8) / spread, 4, 24))  # keep the smaller ones' digits
    old, new = X, Tt @ (T @ X) * (2 / cut) - X
    for _ in range(degree - 1):
        old, new = new, Tt @ (T @ new) * (4 / cut) - 2 * new - old
    return new


def _dense(T, K: int):
    M = T.shape[1]
    w, V = scipy.linalg.eigh(
        (T.T @ T).toarray(), subset_by_index=[max(M - K - 1, 0), M - 1]
    )
    return V[:, ::-1][:, :K], w[::-1], None
