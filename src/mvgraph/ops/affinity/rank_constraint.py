"""Graphs with a given number of components: row updates and the control of lambda.

The weight lambda of  2 lambda tr(F' L_S F)  is doubled while a graph has too few
components and halved while it has too many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.affinity.neighbors import symmetrise
from mvgraph.ops.distance import squared_distances, squared_distances_at
from mvgraph.ops.linalg.laplacian import bottom_eigenpairs, laplacian
from mvgraph.ops.proximal.simplex import project_segments, project_simplex

WEIGHT_ROUNDING = 1e-14  # share of the largest weight that counts as rounding error
ROWS_PER_BLOCK = 512  # dense rows in memory at a time


class Cut(NamedTuple):
    """A graph on its way to exactly K components."""

    graph: sp.csr_matrix  # (N, N), rows on the simplex
    symmetric: sp.csr_matrix  # (graph + graph') / 2 without its diagonal
    F: np.ndarray  # (N, K) bottom eigenvectors of its Laplacian
    values: np.ndarray  # (K + 1,) bottom eigenvalues, ascending
    weight: float  # lambda of the next step
    rank_gap: int  # sign of components - K: -1 fewer, 0 exactly K, 1 more

    @property
    def trace(self) -> float:
        """tr(F' L F): zero with K components."""
        return float(self.values[: self.F.shape[1]].sum())


def start_cut(graph: sp.csr_matrix, K: int, weight: float, tol: float = 1e-10) -> Cut:
    """Embed the first graph; see :func:`rank_step`."""
    symmetric = symmetrise(graph)
    values, vectors = bottom_eigenpairs(laplacian(symmetric), K + 1)
    rank_gap = compare_zeros(values, K, tol)
    return Cut(graph, symmetric, vectors[:, :K], values, weight, rank_gap)


def rank_step(
    s: Cut,
    solve: Callable[[np.ndarray, float], sp.csr_matrix],
    *,
    tol: float = 1e-10,
    mirrored: bool = False,
) -> Cut:
    """Solve for the graph, embed it, and adjust lambda to the number of components.

    Parameters
    ----------
    s : Cut
    solve : callable, (F, lambda) -> csr_matrix of shape (N, N)
    tol : float
        Tolerance of the rank test, on a sum of eigenvalues.
    mirrored : bool
        True if ``solve`` divides by lambda instead of multiplying.

    Returns
    -------
    Cut
        If there are too many components, F is that of ``s``.
    """
    new = start_cut(solve(s.F, s.weight), s.F.shape[1], s.weight, tol)
    factor = 2.0 ** (new.rank_gap if mirrored else -new.rank_gap)
    F = s.F if new.rank_gap > 0 else new.F
    return new._replace(F=F, weight=s.weight * factor)


def rank_objective(s: Cut, A: sp.csr_matrix) -> dict[str, Any]:
    """Return the history entry of a step: penalised objective and state of the rank.

    The objective is  ||S - A||_F^2 + 2 lambda tr(F' L_S F)  with the lambda of the next
    step.
    """
    gap = s.graph - A
    objective = float(gap.multiply(gap).sum()) + 2 * s.weight * s.trace
    return {"objective": objective} | rank_state(s)


def rank_state(s: Cut) -> dict[str, Any]:
    """Return trace, lambda and number of components, for the history."""
    return {
        "residual": s.trace,
        "weight": s.weight,
        "n_components": component_labels(s.symmetric)[0],
    }


def compare_zeros(values: np.ndarray, K: int, tol: float = 1e-10) -> int:
    """Compare the number of components with K through Laplacian eigenvalues.

    Parameters
    ----------
    values : ndarray
        The smallest eigenvalues, ascending, at least K.
    K : int
    tol : float, default=1e-10

    Returns
    -------
    int
        -1: fewer than K components, the K smallest values sum to more than tol; 1: more
        than K, the K + 1 smallest sum to less than tol; 0: exactly K.
    """
    if values[:K].sum() > tol:
        return -1
    return int(len(values) > K and values[: K + 1].sum() < tol)


def component_labels(symmetric: sp.csr_matrix) -> tuple[int, np.ndarray]:
    """Count and number the connected components of a graph.

    Weights within rounding error are not links: if the threshold of a projection equals
    an entry, as between clusters of equal size, zeros become 1e-17.
    """
    links = abs(symmetric) > WEIGHT_ROUNDING * max(abs(symmetric).max(), 1e-300)
    count, labels = connected_components(links, directed=False)
    return count, labels


def nearest_rows_on_pattern(
    A: sp.csr_matrix, F: np.ndarray, weight: float, scale: float = 1.0
) -> sp.csr_matrix:
    """Update a graph on the sparsity pattern of A.

    Solves, for every row,  min_s  scale ||s - a / scale||^2 + weight sum_j d_j s_j,
    with s on the simplex, zero where A is zero, and d_j = ||f_i - f_j||^2 (weight is
    lambda of  2 lambda tr(F' L F)).
    """
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    gaps = squared_distances_at(F, F, rows, A.indices)
    data = (A.data - weight / 2 * gaps) / scale
    S = sp.csr_matrix((project_segments(data, A.indptr), A.indices, A.indptr), A.shape)
    S = S.copy()  # eliminate_zeros must not change the pattern of A
    S.eliminate_zeros()
    return S


def nearest_rows(A: sp.csr_matrix, F: np.ndarray, weight: float) -> sp.csr_matrix:
    """Update a graph as :func:`nearest_rows_on_pattern`, but on all columns."""
    blocks = []
    for start in range(0, A.shape[0], ROWS_PER_BLOCK):
        rows = slice(start, min(start + ROWS_PER_BLOCK, A.shape[0]))
        X = A[rows].toarray() - weight / 2 * squared_distances(F[rows], F)
        blocks.append(sp.csr_matrix(project_simplex(X)))
    return sp.vstack(blocks, format="csr")
