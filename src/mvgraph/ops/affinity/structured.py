"""Bipartite graphs with a given number of components, close to another graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Float, Int, Matrix
from mvgraph.ops.distance import squared_distances_at
from mvgraph.ops.linalg.gram_eigen import leading_pairs
from mvgraph.ops.linalg.spectral import compare_components, inverse_sqrt
from mvgraph.ops.proximal.simplex import project_segments

FIRST_WEIGHT, MAX_ITER = 0.1, 50  # as in the public code


class Structured(NamedTuple):
    """A structured graph, its embedding, and how the iteration ended."""

    graph: sp.csr_matrix  # (N, M), no explicit zeros
    embedding: np.ndarray  # (N, K) left singular vectors / sqrt 2
    rank_gap: int  # sign of components - K: -1 fewer, 0 exactly K, 1 more
    weight: float  # lambda at the end
    n_iter: int


class _Pattern(NamedTuple):
    """The sparsity pattern of a bipartite graph, by rows and by columns."""

    rows: Int  # (nnz,) row of every entry, in CSR order
    columns: Int  # (nnz,)
    row_starts: Int  # (N + 1,)
    column_starts: Int  # (M + 1,)
    by_column: Int  # (nnz,) CSR positions in column order


class _Spectrum(NamedTuple):
    U: np.ndarray  # (N, K)
    V: np.ndarray  # (M, K)
    values: np.ndarray  # (K + 1,) eigenvalues of T'T, descending
    d1: np.ndarray  # (N,) D1^-1/2
    d2: np.ndarray  # (M,) D2^-1/2
    block: np.ndarray | None  # (M, .) start of the next eigenproblem


def structured_graph(A: Matrix, K: int, *, stop_early: bool = True) -> Structured:
    """Change a bipartite graph as little as possible until it has K components.

    Solves  min_P  ||P - A||_F^2 + lambda tr(F' L_P F),  F'F = I, L_P the normalised
    Laplacian of [0 P; P' 0], on the sparsity pattern of A; the projections of rows and
    of columns on the simplex are averaged [1]_. lambda is doubled while there are fewer
    than K components and halved while there are more.

    Parameters
    ----------
    A : ndarray or sparse matrix of shape (N, M), non-negative
    K : int, 1 <= K <= M
    stop_early : bool, default=True
        False: go on after a success, with half of lambda, and return the last of
        50 graphs with any number of components. Some public code does so.

    Returns
    -------
    Structured
        With ``stop_early``, its graph is A itself if A has K components or more.

    References
    ----------
    .. [1] Nie, Wang, Deng, Huang, "Learning a structured optimal bipartite graph for
       co-clustering", NIPS 2017.
    """
    A = sp.csr_matrix(A, dtype=np.float64, copy=True)
    A.eliminate_zeros()
    A.sort_indices()
    pattern = _pattern(A)
    spectrum = _spectrum(A, A.data, pattern, K, None)
    if stop_early and spectrum.values[:K].sum() > K * (1 - 1e-10):
        gap = compare_components(spectrum.values, K)
        return Structured(A, spectrum.U, gap, FIRST_WEIGHT, 0)
    left, right = spectrum.U, 10 * spectrum.V  # first pass: constants of public code
    weight = FIRST_WEIGHT
    n_iter = 0
    while n_iter < MAX_ITER:
        n_iter += 1
        d = squared_distances_at(left, right, pattern.rows, pattern.columns)
        H = A.data - weight / 2 * d
        values = _project_both(H, pattern)
        spectrum = _spectrum(A, values, pattern, K, spectrum.block)
        left = spectrum.U * spectrum.d1[:, None]
        right = spectrum.V * spectrum.d2[:, None]
        rank_gap = compare_components(spectrum.values, K)
        if rank_gap == 0 and stop_early:
            break
        weight *= 2.0**-rank_gap if rank_gap else 0.5
    graph = sp.csr_matrix((values, pattern.columns, pattern.row_starts), A.shape)
    graph.eliminate_zeros()
    return Structured(graph, spectrum.U, rank_gap, weight, n_iter)


def _pattern(A: sp.csr_matrix) -> _Pattern:
    order = sp.csr_matrix((np.arange(A.nnz), A.indices, A.indptr), A.shape).tocsc()
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return _Pattern(rows, A.indices, A.indptr, order.indptr, order.data)


def _project_both(H: Float, pattern: _Pattern) -> Float:
    """Average the projections of rows and of columns on the simplex."""
    by_rows = project_segments(H, pattern.row_starts)
    by_columns = project_segments(H[pattern.by_column], pattern.column_starts)
    by_rows[pattern.by_column] += by_columns
    return np.asarray(by_rows / 2)


def _spectrum(
    A: sp.csr_matrix, values: Float, pattern: _Pattern, K: int, start: np.ndarray | None
) -> _Spectrum:
    """Embed samples and anchors by T = D1^-1/2 P D2^-1/2."""
    rows, columns = pattern.rows, pattern.columns
    d1 = inverse_sqrt(np.bincount(rows, values, A.shape[0]))
    d2 = inverse_sqrt(np.bincount(columns, values, A.shape[1]))
    T = sp.csr_matrix(
        (values * d1[rows] * d2[columns], columns, pattern.row_starts), A.shape
    )
    V, s, block = leading_pairs(T, K, start)
    U = (T @ V) / np.sqrt(np.maximum(s[:K], 1e-24))
    return _Spectrum(U / np.sqrt(2), V / np.sqrt(2), s, d1, d2, block)
