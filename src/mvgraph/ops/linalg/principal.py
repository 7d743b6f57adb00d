"""Principal components through the smaller Gram matrix; sparse input stays sparse.

The Gram matrix of thousands of rows and features is not formed: a few components are
found by products with the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from mvgraph.ops.arrays import Matrix, dense
from mvgraph.ops.distance import squared_norms
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.shifted import Shifted, multiply

#: From this size on, a few eigenvectors are found by iteration.
ITERATIVE_SOLVER_MIN = 1000
#: Components are found by products with the rows if the smaller side of the data is
#: more than this many times their number.
FEW_DENSE, FEW_SPARSE = 80, 24
EIGENVECTOR_TOL, MAX_CYCLES = 1e-7, 2


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


def centred_unit_rows(x: sp.csr_matrix, mean: np.ndarray) -> Shifted:
    """Subtract a mean from sparse rows, scale them to length 1, subtract their mean.

    Parameters
    ----------
    x : csr_matrix of shape (n, d)
    mean : ndarray of shape (d,)

    Returns
    -------
    Shifted
        Rows equal to the mean are zero before their mean is subtracted.
    """
    squares = squared_norms(x)
    lengths = squares - 2 * np.asarray(x @ mean).ravel() + mean @ mean
    differs = lengths > 1e-12 * (squares + mean @ mean)  # the rest is rounding error
    scale = np.where(differs, 1 / np.sqrt(np.where(differs, lengths, 1)), 0)
    scaled = sp.csr_matrix(sp.diags(scale) @ x)
    centre = np.asarray(scaled.sum(axis=0)).ravel() - scale.sum() * mean
    P = np.column_stack([scale, np.ones(len(scale))])
    return Shifted(scaled, P, np.column_stack([mean, centre / len(scale)]))


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
    mean = np.asarray(x.mean(axis=0), dtype=np.float64).ravel()
    centred = Shifted(x, np.ones((x.shape[0], 1)), mean[:, None])
    scores, axes = _scores_and_axes(centred, n_components)
    return Components(scores, x, mean, axes)


class KnownComponents:
    """Principal components of several arrays, found once for each that is asked for."""

    def __init__(self) -> None:
        self._known: list[tuple[Matrix, int, Components]] = []

    def __call__(self, x: Matrix, n_components: int) -> Components:
        """See :func:`principal_components`; arrays are the same if they are one."""
        for other, n, components in self._known:
            if other is x and n == n_components:
                return components
        found = principal_components(x, n_components)
        self._known.append((x, n_components, found))
        return found


def principal_scores(x: Matrix | Shifted, n_components: int) -> np.ndarray:
    """Return the scores of :func:`principal_components`, or of centred shifted rows."""
    if isinstance(x, Shifted):
        return _scores_and_axes(x, n_components)[0]
    return principal_components(x, n_components).scores


def iterates(n: int, d: int, n_components: int, sparse: bool) -> bool:
    """Return whether so few components are found by products with the rows."""
    per_component = FEW_SPARSE if sparse else FEW_DENSE
    return min(n, d) > max(ITERATIVE_SOLVER_MIN, per_component * n_components)


def _scores_and_axes(
    centred: Shifted, n_components: int
) -> tuple[np.ndarray, np.ndarray | None]:
    n, d = centred.x.shape
    r = min(n_components, n, d)
    iterative = iterates(n, d, r, not isinstance(centred.x, np.ndarray))
    w, V = _leading(_gram_products(centred) if iterative else _formed_gram(centred), r)
    if d <= n:
        return centred.times(V), V
    return V * np.sqrt(np.maximum(w, 0)), None


def _formed_gram(centred: Shifted) -> np.ndarray:
    """Return the smaller Gram matrix of the rows."""
    x, P, Q = centred
    if x.shape[1] > x.shape[0]:  # of the columns of the transpose
        x, P, Q = x.T, Q, P
    cross = np.asarray(x.T @ P) @ Q.T
    return np.asarray(dense(x.T @ x) - cross - cross.T + Q @ (P.T @ P) @ Q.T)


def _gram_products(centred: Shifted) -> LinearOperator:
    """Return the smaller Gram matrix of the rows as a pair of products."""
    x, P, Q = centred
    n, d = x.shape
    transposed = x.T if isinstance(x, np.ndarray) else x.T.tocsr()

    def back(U: np.ndarray) -> np.ndarray:  # (d, r)
        return np.asarray(multiply(transposed, U) - Q @ (P.T @ U))

    first, second = (centred.times, back) if d <= n else (back, centred.times)

    def product(X: np.ndarray) -> np.ndarray:
        return second(first(X))

    m = min(n, d)
    return LinearOperator((m, m), matvec=product, matmat=product, dtype=np.float64)


def _leading(G: np.ndarray | LinearOperator, r: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the r leading eigenpairs, largest first."""
    n = G.shape[0]
    if not isinstance(G, np.ndarray) or (n > ITERATIVE_SOLVER_MIN and r < n // 8):
        return leading_eigenvectors(G, r, tol=EIGENVECTOR_TOL, max_cycles=MAX_CYCLES)
    w, V = scipy.linalg.eigh(G, subset_by_index=[n - r, n - 1])
    return w[::-1], V[:, ::-1]
