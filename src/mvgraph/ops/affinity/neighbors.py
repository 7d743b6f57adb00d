"""Nearest-neighbour graphs with weights in closed form (PKN)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Float, Int, Matrix
from mvgraph.ops.distance import nearest_columns, squared_distances, squared_norms
from mvgraph.ops.parallel import map_rows

ROWS_PER_BLOCK = 512  # rows of distances in memory at a time
DISTANCE_ROUNDING = 1e-14  # error of a squared distance, relative to squared norms


def nearest_others(X: Matrix, k: int, *, drop_first: bool = False) -> tuple[Int, Float]:
    """Find the k nearest other samples of every sample, nearest first.

    Distances within rounding error count as 0; ties go to the smaller index, as in a
    stable sort. Only a few blocks of rows of the distances are in memory at a time.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)
        Computed in float64.
    k : int, 1 <= k <= n - 1
    drop_first : bool, default=False
        Drop the first of the sorted samples, as the published routines do, instead of
        the sample itself. Among duplicates, all but the first are then their own
        neighbours.

    Returns
    -------
    idx : ndarray of int64, shape (n, k)
    d : ndarray of shape (n, k)
        Squared distances, ascending.
    """
    X = X.astype(np.float64, copy=False)
    n, norms = X.shape[0], squared_norms(X)
    idx, d = np.empty((n, k), dtype=np.int64), np.empty((n, k))

    def search(rows: slice) -> None:
        D = distances_of_rows(X, norms, rows)
        if not drop_first:
            D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = -1
        near, values = nearest_columns(D, k + 1)
        idx[rows], d[rows] = near[:, 1:], values[:, 1:]

    map_rows(search, n, ROWS_PER_BLOCK)
    return idx, d


def distances_of_rows(X: Matrix, norms: Float, rows: slice) -> Float:
    """Compute the squared distances of some rows to all; rounding error counts as 0.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)
        In float64: duplicates are found by rounding error.
    norms : ndarray of shape (n,)
        Squared norms of the rows.
    rows : slice

    Returns
    -------
    ndarray of shape (number of rows, n)
    """
    D: Float = squared_distances(X[rows], X)
    D[DISTANCE_ROUNDING * (norms[rows, None] + norms) >= D] = 0
    return D


def closed_form_weights(d: Float) -> tuple[Float, Float]:
    """Compute the weights of the k nearest points from k + 1 squared distances.

    Solves, for every row,  min_z  sum_j d_j z_j + alpha z_j^2  on the simplex, with
    the alpha that leaves k non-zeros:  z_j = (d_{k+1} - d_j) / (k d_{k+1} - sum d),
    alpha = (k d_{k+1} - sum d) / 2. If all k + 1 distances are equal, the k weights
    are 1 / k.

    Parameters
    ----------
    d : ndarray of shape (n, k + 1), ascending

    Returns
    -------
    weights : ndarray of shape (n, k)
    alpha : ndarray of shape (n,)
    """
    d = np.asarray(d, dtype=np.float64)
    k = d.shape[1] - 1
    gaps: Float = d[:, k:] - d[:, :k]
    total = gaps.sum(axis=1)
    flat = total <= 1e-14 * d[:, k]  # equal up to rounding
    weights = gaps / np.where(flat, 1, total)[:, None]
    weights[flat] = 1 / k
    return weights, total / 2


def gaussian_weights(D: Float, k: int) -> tuple[Int, Float]:
    """Link every row to its k nearest columns, with rows of weights that sum to one.

    Parameters
    ----------
    D : ndarray of shape (n, m)
        Squared distances; their mean is the width of the Gaussian.
    k : int
        At most m are used.

    Returns
    -------
    indices, weights : ndarray of shape (n, k)
    """
    width = float(D.mean()) or 1.0
    idx, d = nearest_columns(D, min(k, D.shape[1]))
    W = np.exp((d[:, :1] - d) / (2 * width**2))  # differences do not underflow to 0 / 0
    return idx, W / W.sum(axis=1, keepdims=True)


def neighbor_graph(
    X: Matrix, n_neighbors: int, *, drop_first: bool = False
) -> sp.csr_matrix:
    """Link every sample to its nearest others (probabilistic k-nearest neighbours).

    Solves, for every sample i,  min_s  sum_j d_ij s_j + gamma_i s_j^2  on the simplex
    without s_i, with the gamma_i that leaves n_neighbors non-zeros.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)
    n_neighbors : int, >= 1
        At most n - 2 are used.
    drop_first : bool, default=False
        See :func:`nearest_others`.

    Returns
    -------
    csr_matrix of shape (n, n)
        Rows sum to one; not symmetric, see :func:`symmetrise`.
    """
    n = X.shape[0]
    if n == 2:
        return sp.csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
    k = min(n_neighbors, n - 2)
    idx, d = nearest_others(X, k + 1, drop_first=drop_first)
    return rows_to_csr(idx[:, :k], closed_form_weights(d)[0], n)


def rows_to_csr(idx: Int, weights: Float, n_columns: int) -> sp.csr_matrix:
    """Build a CSR matrix from k column indices and weights per row; drop zeros."""
    return sum_of_rows(idx[None], weights[None], n_columns)


def sum_of_rows(idx: Int, weights: Float, n_columns: int) -> sp.csr_matrix:
    """Build the sum of V matrices with k entries per row as a CSR matrix; drop zeros.

    Parameters
    ----------
    idx, weights : ndarray of shape (V, n, k)
    n_columns : int

    Returns
    -------
    csr_matrix of shape (n, n_columns)
        With sorted indices.
    """
    from mvgraph.ops.kernels import common as _kernels

    idx, weights = np.ascontiguousarray(idx, np.int64), np.ascontiguousarray(weights)
    n, most = idx.shape[1], max(idx.size, idx.shape[1], n_columns)
    index = np.int32 if most <= np.iinfo(np.int32).max else np.int64
    sums, seen = np.empty(n_columns, weights.dtype), np.full(n_columns, -1)
    indptr, indices = np.empty(n + 1, index), np.empty(idx.size, index)
    data = np.empty(idx.size, weights.dtype)
    _kernels.sum_rows(idx, weights, sums, seen, indptr, indices, data)
    nnz = indptr[-1]
    shape = (n, n_columns)
    return sp.csr_matrix((data[:nnz], indices[:nnz], indptr), shape=shape)


def symmetrise(W: sp.csr_matrix, *, keep_diagonal: bool = False) -> sp.csr_matrix:
    """Return (W + W') / 2, by default with a zero diagonal."""
    S = ((W + W.T) / 2).tocsr()
    S.sort_indices()
    return S if keep_diagonal else without_diagonal(S)


def larger_of_both(W: sp.csr_matrix) -> sp.csr_matrix:
    """Return max(W, W') of a square matrix with sorted indices, entries >= 0."""
    from mvgraph.ops.kernels import common as _kernels

    indptr, indices, data = _kernels.larger_of_both(W.indptr, W.indices, W.data)
    return sp.csr_matrix((data, indices, indptr), shape=W.shape)


def without_diagonal(W: sp.csr_matrix) -> sp.csr_matrix:
    """Return W with a zero diagonal and sorted column indices."""
    S = (W - sp.diags(W.diagonal())).tocsr()
    S.eliminate_zeros()
    S.sort_indices()
    return S
