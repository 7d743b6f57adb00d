"""Graphs with a wanted number of components: row updates and the rank controller.

The weight lambda of  2 lambda tr(F' L_S F)  doubles while a graph has too few
components and halves while it has too many.
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

__all__ = [
    "Cut",
    "compare_zeros",
    "component_labels",
    "nearest_rows",
    "nearest_rows_on_support",
    "progress",
    "rank_step",
    "record",
    "squared_gaps",
    "start_cut",
]

NOISE = 1e-14  # share of the largest weight that is rounding
BLOCK = 512  # dense rows held at a time


class Cut(NamedTuple):
    """A graph on its way to exactly K components."""

    graph: sp.csr_matrix  # (N, N), rows on the simplex
    symmetric: sp.csr_matrix  # (graph + graph') / 2 without its diagonal
    F: np.ndarray  # (N, K) bottom eigenvectors of its Laplacian
    values: np.ndarray  # (K + 1,) bottom eigenvalues, ascending
    weight: float  # lambda of the next step
    excess: int  # of components: -1 fewer than K, 0 exactly K, 1 more

    @property
    def trace(self) -> float:
        """tr(F' L F): zero with K components."""
        return float(self.values[: self.F.shape[1]].sum())


def start_cut(graph: sp.csr_matrix, K: int, weight: float, tol: float = 1e-10) -> Cut:
    """Embed a first graph; see :func:`rank_step`."""
    symmetric = symmetrise(graph)
    values, vectors = bottom_eigenpairs(laplacian(symmetric), K + 1)
    excess = compare_zeros(values, K, tol)
    return Cut(graph, symmetric, vectors[:, :K], values, weight, excess)


def rank_step(
    s: Cut,
    solve: Callable[[np.ndarray, float], sp.csr_matrix],
    *,
    tol: float = 1e-10,
    mirrored: bool = False,
) -> Cut:
    """Solve for the graph, embed it, and steer lambda by the number of components.

    Parameters
    ----------
    s : Cut
    solve : callable, (F, lambda) -> csr_matrix of shape (N, N)
    tol : float
        Of the rank test, on a sum of eigenvalues.
    mirrored : bool
        True where ``solve`` divides by lambda instead of multiplying.

    Returns
    -------
    Cut
        With too many components F stays the one before.
    """
    new = start_cut(solve(s.F, s.weight), s.F.shape[1], s.weight, tol)
    factor = 2.0 ** (new.excess if mirrored else -new.excess)
    F = s.F if new.excess > 0 else new.F
    return new._replace(F=F, weight=s.weight * factor)


def record(s: Cut, A: sp.csr_matrix, scale: float = 1.0) -> dict[str, Any]:
    """Return what a history keeps: the penalised objective and how far the rank is.

    The objective is  scale ||S - A / scale||_F^2 + 2 lambda tr(F' L_S F)  with the
    lambda of the next step.
    """
    gap = s.graph - A / scale
    objective = scale * float(gap.multiply(gap).sum()) + 2 * s.weight * s.trace
    return {"objective": objective} | progress(s)


def progress(s: Cut) -> dict[str, Any]:
    """Return how far the rank of a graph is from the wanted one."""
    return {
        "residual": s.trace,
        "weight": s.weight,
        "n_components": component_labels(s.symmetric)[0],
    }


def compare_zeros(values: np.ndarray, K: int, tol: float = 1e-10) -> int:
    """Compare the number of components with K by ascending Laplacian eigenvalues.

    Returns
    -------
    int
        -1: the K smallest sum to more than tol, fewer than K components; 1: so few
        that even the K + 1 smallest sum to less, more than K; 0: exactly K.
    """
    if values[:K].sum() > tol:
        return -1
    return int(len(values) > K and values[: K + 1].sum() < tol)


def component_labels(symmetric: sp.csr_matrix) -> tuple[int, np.ndarray]:
    """Count and number the connected components of a graph.

    Weights of rounding size do not link: where the threshold of a projection meets an
    entry exactly, as between clusters of equal size, zeros come out as 1e-17.
    """
    links = abs(symmetric) > NOISE * max(abs(symmetric).max(), 1e-300)
    return connected_components(links, directed=False)


def squared_gaps(F: np.ndarray, pattern: sp.csr_matrix) -> np.ndarray:
    """||f_i - f_j||^2 on the pattern of a CSR matrix, in the order of its data."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return squared_distances_at(F, F, rows, pattern.indices)


def nearest_rows_on_support(
    A: sp.csr_matrix, F: np.ndarray, weight: float, scale: float = 1.0
) -> sp.csr_matrix:
    """Update a graph on the pattern of A.

    Solves, for every row,  min_s  scale ||s - a / scale||^2 + weight sum_j d_j s_j,
    with s on the simplex, zero where A is, and d_j = ||f_i - f_j||^2 (weight is
    lambda of  2 lambda tr(F' L F)).
    """
    data = (A.data - weight / 2 * squared_gaps(F, A)) / scale
    S = sp.csr_matrix((project_segments(data, A.indptr), A.indices, A.indptr), A.shape)
    S = S.copy()  # A keeps its pattern
    S.eliminate_zeros()
    return S


def nearest_rows(A: sp.csr_matrix, F: np.ndarray, weight: float) -> sp.csr_matrix:
    """Update a graph as :func:`nearest_rows_on_support`, but on all columns."""
    blocks = []
    for start in range(0, A.shape[0], BLOCK):
        rows = slice(start, min(start + BLOCK, A.shape[0]))
        X = A[rows].toarray() - weight / 2 * squared_distances(F[rows], F)
        blocks.append(sp.csr_matrix(project_simplex(X)))
    return sp.vstack(blocks, format="csr")
