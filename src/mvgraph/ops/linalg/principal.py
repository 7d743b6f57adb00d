"""Principal components through the smaller Gram matrix; sparse input stays sparse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from mvgraph.ops.arrays import dense
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.typing import Matrix

#: From this size on, a few eigenvectors are found by iteration.
LARGE = 2000
TOL = 1e-7

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
    if d <= n:
        G = dense(x.T @ x) - n * np.outer(mean, mean)
        V = _leading(G, r)[1]
        return Components(np.asarray(x @ V) - mean @ V, x, mean, V)
    G = dense(x @ x.T)
    rows = G.mean(axis=0)
    G = G - rows - rows[:, None] + rows.mean()
    w, U = _leading(G, r)
    return Components(U * np.sqrt(np.maximum(w, 0)), x, mean, None)


def principal_scores(x: Matrix, n_components: int) -> np.ndarray:
    """Return the scores of :func:`principal_components`."""
    return principal_components(x, n_components).scores


def _leading(G: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the r leading eigenpairs, largest first."""
    n = len(G)
    if n > LARGE and r < n // 8:
        return leading_eigenvectors(G, r, tol=TOL)
    w, V = scipy.linalg.eigh(G, subset_by_index=[n - r, n - 1])
    return w[::-1], V[:, ::-1]
