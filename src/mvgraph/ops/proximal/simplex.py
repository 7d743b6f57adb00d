"""Projections on the probability simplex, and quadratic programs over it."""

import numpy as np

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
    from mvgraph.ops.kernels import common as _kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    out = np.empty_like(X)
    _kernels.project_rows(X, out)
    return out


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


OPTIMALITY_TOL = 1e-11  # of the gradient, in units of the largest numbers


def simplex_qp(Q: Float, s: Float) -> Float:
    """Minimise a quadratic form over the simplex, exactly.

    Solves  min_a  a'Q a - s'a  s.t.  a >= 0, a'1 = 1,  by a primal active-set method.
    It starts at the best vertex; every step frees the entry with the most negative
    reduced gradient, moves to the minimum over the free entries, and fixes at zero
    those that would become negative.

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
    v = len(s)
    unit = max(float(np.abs(Q).max()), float(np.abs(s).max())) or 1.0
    Q, s = Q / unit, s / unit
    a: Float = np.zeros(v)
    a[int(np.argmin(np.diag(Q) - s))] = 1
    for _ in range(20 * v):  # every pass descends; about 2 v are needed
        slope = 2 * Q @ a - s
        entering = int(np.argmin(slope))
        if slope[entering] >= a @ slope - 1e-13:  # a @ slope: gradient of free entries
            break
        free = a > 0
        free[entering] = True
        a = _descend(Q, s, a, free)
    return np.asarray(a / a.sum())


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


def _descend(Q: Float, s: Float, a: Float, free: np.ndarray) -> Float:
    """Move to the minimum over the free entries; at a boundary, fix those that hit it.

    free : boolean mask of shape (v,)
    """
    while True:
        target = np.zeros(len(s))
        target[free] = _minimum_on_plane(Q[np.ix_(free, free)], s[free])
        falling = np.flatnonzero(target < 0)
        if len(falling) == 0:
            return target
        ratios = a[falling] / (a[falling] - target[falling])
        a = np.maximum(a + ratios.min() * (target - a), 0)
        a[falling[ratios == ratios.min()]] = 0
        free = free & (a > 0)


def _minimum_on_plane(Q: Float, s: Float) -> Float:
    """Solve  min_a  a'Q a - s'a  s.t.  a'1 = 1."""
    k = len(s)
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = 2 * Q
    system[:k, k] = system[k, :k] = 1
    return np.asarray(np.linalg.lstsq(system, np.append(s, 1.0), rcond=None)[0][:k])
