"""Principal components through the smaller Gram matrix; sparse input stays sparse.

The Gram matrix of thousands of rows and features is not formed: a few components are
found by products with the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator

from mvgraph.ops.arrays import dense
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.typing import Matrix

#: From this size on, a few eigenvectors are found by iteration.
ITERATIVE_SOLVER_MIN = 1000
#: Few enough for products with the rows: at most 1 of so many.
FEW_DENSE, FEW_SPARSE = 80, 24
EIGENVECTOR_TOL, MAX_CYCLES = 1e-7, 2
PER_BLOCK = 512  # rows or columns that a thread multiplies at a time

__all__ = ["Components", "principal_components", "principal_scores"]


class Components(NamedTuple):
    """Scores on the leading principal components, and the map back to features."""

    scores: np.ndarray  # (n, r), largest component first
    x: Matrix  # (n, d), the rows
    mean: np.ndarray  # (d,)
    axes: np.ndarray | None  # (d, r); None if there are more features than rows

    def weights(self, coef: np.ndarray) -> np.ndarray:
        """Return w (d, K) with (x - mean) @ w = scores @ coef, for coef (r, K).

        If there are more features than rows, no d x r array is formed.
        """
        if self.axes is not None:
            return np.asarray(self.axes @ coef)
        squares = (self.scores**2).sum(axis=0)
        kept = squares > 1e-10 * max(squares.max(initial=0), 1e-300)
        dual = (self.scores[:, kept] / squares[kept]) @ coef[kept]
        return np.asarray(self.x.T @ dual) - np.outer(self.mean, dual.sum(axis=0))


def principal_components(x: Matrix, n_components: int) -> Components:
    """Project on the leading principal components.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    n_components : int
        At most min(n, d) are returned.

    Returns
    -------
    Components
    """
    n, d = x.shape
    mean = np.asarray(x.mean(axis=0), dtype=np.float64).ravel()
    r = min(n_components, n, d)
    per_component = FEW_DENSE if isinstance(x, np.ndarray) else FEW_SPARSE
    few = min(n, d) > max(ITERATIVE_SOLVER_MIN, per_component * r)
    w, V = _leading(_centred_gram(x, mean) if few else _formed_gram(x, mean), r)
    if d <= n:
        return Components(np.asarray(x @ V) - mean @ V, x, mean, V)
    return Components(V * np.sqrt(np.maximum(w, 0)), x, mean, None)


def principal_scores(x: Matrix, n_components: int) -> np.ndarray:
    """Return the scores of :func:`principal_components`."""
    return principal_components(x, n_components).scores


def _formed_gram(x: Matrix, mean: np.ndarray) -> np.ndarray:
    """Return the smaller Gram matrix of the centred rows."""
    n, d = x.shape
    if d <= n:
        return np.asarray(dense(x.T @ x) - n * np.outer(mean, mean))
    G = dense(x @ x.T)
    rows = G.mean(axis=0)
    return np.asarray(G - rows - rows[:, None] + rows.mean())


def _centred_gram(x: Matrix, mean: np.ndarray) -> LinearOperator:
    """Return the smaller Gram matrix of the centred rows as a pair of products."""
    n, d = x.shape
    columns = x if isinstance(x, np.ndarray) else x.tocsc()

    def right(V: np.ndarray) -> np.ndarray:  # (n, r)
        found = map_rows(lambda rows: x[rows] @ V, n, PER_BLOCK)
        return np.asarray(np.concatenate(found) - mean @ V)

    def left(U: np.ndarray) -> np.ndarray:  # (d, r)
        found = map_rows(lambda part: columns[:, part].T @ U, d, PER_BLOCK)
        return np.asarray(np.concatenate(found) - np.outer(mean, U.sum(axis=0)))

    first, second = (right, left) if d <= n else (left, right)
    m = min(n, d)

    def product(X: np.ndarray) -> np.ndarray:
        return second(first(X))

    return LinearOperator((m, m), matvec=product, matmat=product, dtype=np.float64)


def _leading(G: np.ndarray | LinearOperator, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the r leading eigenpairs, largest first."""
    n = G.shape[0]
    if not isinstance(G, np.ndarray) or (n > ITERATIVE_SOLVER_MIN and r < n // 8):
        return leading_eigenvectors(G, r, tol=EIGENVECTOR_TOL, max_cycles=MAX_CYCLES)
    w, V = scipy.linalg.eigh(G, subset_by_index=[n - r, n - 1])
    return w[::-1], V[:, ::-1]
