"""Squared Euclidean distances and nearest columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Array, Float, Int, Matrix, dense, is_non_numpy, namespace


def squared_distances(A: Array, B: Array) -> Array:
    """Compute d_ij = ||a_i - b_j||^2 with one matrix product, clipped at 0.

    Parameters
    ----------
    A : array or csr_matrix of shape (n, d)
    B : array or csr_matrix of shape (m, d)

    Returns
    -------
    array of shape (n, m)
    """
    cross = A @ B.T
    if is_non_numpy(cross):
        cross *= -2
        cross += squared_norms(A)[:, None]
        cross += squared_norms(B)[None, :]
        return namespace(cross).maximum(cross, 0)
    from mvgraph.ops.kernels import distance as _kernels

    cross = np.ascontiguousarray(dense(cross))
    _kernels.finish_distances(cross, squared_norms(A), squared_norms(B))
    return cross


def squared_distances_at(A: Matrix, B: Matrix, rows: Int, columns: Int) -> Float:
    """Compute ||a_i - b_j||^2 for given pairs of rows i of A and j of B.

    Parameters
    ----------
    A : ndarray or csr_matrix of shape (n, d)
    B : as A, of shape (m, d)
    rows, columns : ndarray of int, shape (p,)

    Returns
    -------
    ndarray of shape (p,)
        float64.
    """
    from mvgraph.ops.kernels import distance as _kernels

    if sp.issparse(A):
        return np.asarray(squared_norms((A[rows] - B[columns]).astype(np.float64)))
    A, B = (np.ascontiguousarray(x, dtype=np.float64) for x in (A, B))
    out = np.empty(len(rows))
    _kernels.distances_at(A, B, rows, columns, out)
    return out


def join_features(
    arrays: Sequence[Matrix], weights: Sequence[float] | np.ndarray | None = None
) -> Matrix:
    """Concatenate the features of views.

    Squared distances become the weighted sum of the distances in the views.

    Parameters
    ----------
    arrays : sequence of ndarray or csr_matrix, shapes (n, d_v)
    weights : sequence of float, optional
        Weights of the squared distances, >= 0.

    Returns
    -------
    ndarray or csr_matrix of shape (n, sum of d_v)
        Sparse if any view is sparse.
    """
    if weights is not None:
        arrays = [x * np.sqrt(w) for x, w in zip(arrays, weights, strict=True)]
    sparse = any(sp.issparse(x) for x in arrays)
    return sp.hstack(arrays, format="csr") if sparse else np.hstack(arrays)


def squared_norms(A: Array) -> Array:
    """Compute ||a_i||^2 for every row."""
    if sp.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    if is_non_numpy(A):
        return namespace(A).sum(A * A, axis=1)
    return np.einsum("ij,ij->i", A, A)


def typical(D: Float) -> float:
    """Return the median distance, or the mean where most are 0."""
    return float(np.median(D)) or float(D.mean())


def nearest_columns(D: Float, k: int) -> tuple[Int, Float]:
    """Return indices and values of the k smallest entries per row, ascending.

    Ties go to the smaller index, as in a stable sort.

    Parameters
    ----------
    D : ndarray of shape (n, m)
    k : int, 1 <= k <= m

    Returns
    -------
    idx : ndarray of int64, shape (n, k)
    val : ndarray of shape (n, k)
    """
    from mvgraph.ops.kernels import distance as _kernels

    idx = np.zeros((len(D), k), dtype=np.int64)
    val = np.full((len(D), k), np.inf, dtype=D.dtype)
    _kernels.smallest_entries(np.ascontiguousarray(D), idx, val)
    return idx, val


def nearest_of_others(
    D: Float, scale: Float, present: np.ndarray, k: int
) -> tuple[Int, Int, Float]:
    """Return the k columns per row where the sum of all matrices but one is smallest.

    Parameters
    ----------
    D : ndarray of float64, shape (V, n, m)
    scale : ndarray of shape (V,)
        Every matrix is divided by its own.
    present : ndarray of bool, shape (V, n)
        Rows of a matrix that are False count as 0.
    k : int, 1 <= k <= m

    Returns
    -------
    nearest : ndarray of int64, shape (n,)
        Where the sum of all is smallest.
    idx : ndarray of int64, shape (V, n, k)
        Where the sum of all but matrix v is smallest; 0 for a single matrix.
    own : ndarray of shape (V, n, k)
        What matrix v has there.

    Raises
    ------
    ValueError
        If there are not V scales: compiled loops do not look.
    """
    from mvgraph.ops.kernels import distance as _kernels

    V, n, _ = D.shape
    if scale.shape != (V,) or present.shape != (V, n):
        raise ValueError(f"{scale.shape} scales, {present.shape} rows for {V} x {n}")
    nearest, idx = np.empty(n, np.int64), np.zeros((V, n, k), np.int64)
    own = np.zeros((V, n, k))
    _kernels.nearest_of_others(D, scale, present, nearest, idx, own)
    return nearest, idx, own
