"""A few leading eigenvectors of a large symmetric matrix, by block Krylov iteration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator

from mvgraph.ops.arrays import Eigenpairs, Matrix, dense
from mvgraph.ops.parallel import map_rows

#: W (n, r) and c of the term c W W'.
LowRank = tuple[np.ndarray, float]

DENSE_SOLVER_MAX = 600  # up to this size the dense solver is faster
KRYLOV_DEPTH = 6  # blocks after the first in a cycle
ROWS_PER_BLOCK = 512  # rows that a thread multiplies at a time
MAX_CYCLES = 60


def leading_eigenvectors(
    A: Matrix | LinearOperator,
    K: int,
    *,
    low_rank: LowRank | None = None,
    by_magnitude: bool = False,
    start: np.ndarray | None = None,
    tol: float = 1e-12,
    max_cycles: int | None = None,
) -> Eigenpairs:
    """Find the K leading eigenpairs of A + c W W', largest first.

    Uses restarted block Krylov iteration with full orthogonalisation and Rayleigh-Ritz.
    A block has more than K vectors, so that eigenvalues of multiplicity up to K are
    found, which plain Lanczos misses. Small matrices are solved by a dense solver, and
    so are dense ones for which the iteration does not converge.

    Parameters
    ----------
    A : ndarray, sparse matrix or LinearOperator of shape (n, n), symmetric
        An operator must be too large for the dense solver.
    K : int, 1 <= K <= n
    low_rank : tuple of ndarray (n, r) and float, optional
        W and c; the sum is never formed for large n.
    by_magnitude : bool, default=False
        Order by absolute value instead of by value.
    start : ndarray of shape (n, K), optional
        Approximate eigenvectors to start from; default: a fixed random block.
    tol : float, default=1e-12
        Largest residual ||A x - w x||, relative to the largest eigenvalue.
    max_cycles : int, optional
        Return the vectors after this many restarts, converged or not: where the
        spectrum is flat, any directions do. By default, a dense A that has not
        converged is solved exactly.

    Returns
    -------
    values : ndarray of shape (K,)
    vectors : ndarray of shape (n, K), orthonormal
    """
    n = A.shape[0]
    width = K + max(4, K // 2)
    if n <= max(DENSE_SOLVER_MAX, 2 * width * (KRYLOV_DEPTH + 1)):
        return _solve_dense(A, K, low_rank, by_magnitude)
    X = np.random.default_rng(0).standard_normal((n, width))
    if start is not None:
        X[:, : start.shape[1]] = start
    for _ in range(max_cycles or MAX_CYCLES):
        for V, AV in _krylov_bases(A, low_rank, X):
            w, S = _sort(scipy.linalg.eigh(V.T @ AV), by_magnitude)
            gap = AV @ S[:, :K] - V @ (S[:, :K] * w[:K])
            residual = np.linalg.norm(gap, axis=0).max()
            if residual <= tol * max(np.abs(w[0]), 1e-300):
                return w[:K], V @ S[:, :K]
        X = V @ S[:, :width]
    if not isinstance(A, np.ndarray) or max_cycles is not None:
        return w[:K], X[:, :K]
    return _solve_dense(A, K, low_rank, by_magnitude)


def _multiply(
    A: Matrix | LinearOperator, low_rank: LowRank | None, X: np.ndarray
) -> np.ndarray:
    Y: np.ndarray
    if not isinstance(A, np.ndarray):
        Y = A @ X
    else:  # A = A': for a few columns BLAS is faster from the left
        Xt = np.ascontiguousarray(X.T)
        Y = np.hstack(map_rows(lambda rows: Xt @ A[:, rows], len(A), ROWS_PER_BLOCK)).T
    if low_rank is not None:
        W, c = low_rank
        Y = Y + W @ (c * (W.T @ X))
    return Y


def _krylov_bases(
    A: Matrix | LinearOperator, low_rank: LowRank | None, X: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield growing orthonormal bases V of [X, A X, A^2 X, ...], and A V."""
    n, width = X.shape
    V, AV = (np.empty((n, width * (KRYLOV_DEPTH + 1)), order="F") for _ in range(2))
    Y = np.linalg.qr(X)[0]
    for at in range(0, V.shape[1], width):
        earlier, block = V[:, :at], slice(at, at + width)
        for _ in range(2 if at else 0):
            Y = np.linalg.qr(Y - earlier @ (earlier.T @ Y))[0]
        V[:, block] = Y
        AV[:, block] = Y = _multiply(A, low_rank, Y)
        yield V[:, : at + width], AV[:, : at + width]


def _sort(pairs: Eigenpairs, by_magnitude: bool) -> Eigenpairs:
    w, V = pairs
    order = np.argsort(-(np.abs(w) if by_magnitude else w), kind="stable")
    return w[order], V[:, order]


def _solve_dense(
    A: Matrix, K: int, low_rank: LowRank | None, by_magnitude: bool
) -> Eigenpairs:
    A = dense(A)
    if low_rank is not None:
        W, c = low_rank
        A = A + c * (W @ W.T)
    n = len(A)
    only = None if by_magnitude else [n - K, n - 1]
    w, V = _sort(scipy.linalg.eigh(A, subset_by_index=only), by_magnitude)
    return w[:K], V[:, :K]
