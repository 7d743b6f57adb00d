"""Projections on the probability simplex, and quadratic programs over it."""

import numpy as np
from scipy.optimize import nnls

from mvgraph.ops.arrays import Array, Float, Int, is_non_numpy, namespace
from mvgraph.ops.parallel import map_rows


def project_simplex(X: Array) -> Array:
    """Project every row on the simplex {z >= 0, sum z = 1}.

    Solves, for every row x,  min_z ||z - x||^2  s.t.  z >= 0, z'1 = 1.

    Parameters
    ----------
    X : array of shape (n, m), m >= 1

    Returns
    -------
    array of shape (n, m)
        A new array; entries that are not positive are exactly zero.
    """
    if is_non_numpy(X):
        return _project_by_sorting(X)
    ends = np.arange(0, X.size + 1, X.shape[1])
    return project_segments(X.ravel(), ends).reshape(X.shape)


def _project_by_sorting(X: Array) -> Array:
    """Find the threshold in the sorted row, at the last entry that stays positive."""
    xp = namespace(X)
    X = X - xp.max(X, axis=1, keepdims=True)  # keeps huge numbers exact
    top = xp.sort(X, axis=1, descending=True)
    count = xp.arange(1, X.shape[1] + 1, dtype=X.dtype, device=X.device)
    thresholds = (xp.cumulative_sum(top, axis=1) - 1) / count
    kept = xp.sum(xp.astype(top > thresholds, xp.int64), axis=1, keepdims=True)
    t = xp.take_along_axis(thresholds, xp.clip(kept, 1) - 1, axis=1)
    return xp.maximum(X - t, 0)


def project_segments(x: Float, starts: Int) -> Float:
    """Project every segment of a vector on the simplex: the rows of a sparse matrix.

    Solves, for every segment,  min_z ||z - x||^2  s.t.  z >= 0, z'1 = 1.

    Parameters
    ----------
    x : ndarray of shape (n,)
    starts : ndarray of int, shape (segments + 1,)
        Segment s is x[starts[s]:starts[s + 1]] (``indptr`` of a CSR matrix); empty
        segments stay empty.

    Returns
    -------
    ndarray of shape (n,)
    """
    from mvgraph.ops.kernels import common as _kernels

    x = np.ascontiguousarray(x, dtype=np.float64)
    out = np.empty_like(x)
    _kernels.project_segments(x, starts, out)
    return out


QP_ROUNDING = 1e-15  # of eigenvalues, as a share of the largest
OPTIMALITY_TOL = 1e-11  # of the gradient, in units of the largest numbers


def simplex_qp(Q: Float, s: Float) -> Float:
    """Minimise a quadratic form over the simplex, exactly.

    Solves  min_a  a'Q a - s'a  s.t.  a >= 0, a'1 = 1,  as a problem of non-negative
    least squares.

    Parameters
    ----------
    Q : ndarray of shape (v, v), symmetric positive semidefinite
    s : ndarray of shape (v,)
        In the range of Q, as in least squares: Q = B'B and s = 2 B'p.

    Returns
    -------
    ndarray of shape (v,)
        If Q is singular, one of the solutions.
    """
    unit = max(float(np.abs(Q).max()), float(np.abs(s).max())) or 1.0
    w, V = np.linalg.eigh(Q / unit)
    used = w > QP_ROUNDING * w[-1]
    root, V = np.sqrt(w[used])[:, None], V[:, used]
    # a'1 = 1, so that the objective is |C a|^2 plus a constant. Over x = t a, t > 0,
    # |C x|^2 + (x'1 - 1)^2 has its minimum at the same a.
    C = root * V.T - V.T @ s[:, None] / (2 * unit * root)
    x = nnls(np.vstack([C, np.ones(len(s))]), np.eye(len(C) + 1)[-1])[0]
    return np.asarray(x / x.sum())


def simplex_qps(H: Float, B: Float, start: Float | None = None) -> Float:
    """Minimise many quadratic forms with one matrix over the simplex, exactly.

    Solves, for every row b of B,  min_z  z'H z - 2 b'z  s.t.  z >= 0, z'1 = 1,  by a
    primal active-set method. In the solution, the gradient is equal on the positive
    entries and not smaller elsewhere.

    Parameters
    ----------
    H : ndarray of shape (m, m), symmetric positive definite
    B : ndarray of shape (n, m)
    start : ndarray of shape (n, m), optional
        Rows on the simplex near the solutions, for speed: rows with the right positive
        entries take one step.

    Returns
    -------
    ndarray of shape (n, m)
        Entries that are not positive are exactly zero.
    """
    from mvgraph.ops.kernels import proximal as _kernels

    n, m = B.shape
    H, B = (np.ascontiguousarray(x, dtype=np.float64) for x in (H, B))
    if start is None:
        Z = np.zeros((n, m))
        Z[np.arange(n), np.argmin(np.diag(H) - 2 * B, axis=1)] = 1
    else:
        Z = np.array(start, dtype=np.float64, order="C")
    unit = float(np.abs(H).max() + np.abs(B).max(initial=0))
    map_rows(
        lambda rows: _kernels.solve_rows(
            H, B[rows], Z[rows], OPTIMALITY_TOL * unit, 20 * m
        ),
        n,
    )
    return Z


def optimality_gaps(H: Float, B: Float, Z: Float) -> Float:
    """Measure how far rows of Z are from solutions of :func:`simplex_qps`.

    Parameters
    ----------
    H, B : as there
    Z : ndarray of shape (n, m)
        Rows on the simplex.

    Returns
    -------
    ndarray of shape (n,)
        Violation of the optimality condition, divided by the largest entry of H and
        2 b: the gradient 2 H z - 2 b is equal on the support of z and nowhere smaller.
    """
    slope = 2 * (Z @ H - B)
    mean = np.einsum("ij,ij->i", Z, slope)
    gap = mean - slope.min(axis=1)
    on_support = np.where(Z > 0, np.abs(slope - mean[:, None]), 0).max(axis=1)
    unit = np.maximum(np.abs(H).max(), 2 * np.abs(B).max(axis=1))
    return np.asarray(np.maximum(gap, on_support) / np.maximum(unit, 1e-300))
