"""Small convex quadratic programmes on the probability simplex."""

import numpy as np

from mvgraph.ops.typing import Float

__all__ = ["simplex_qp", "simplex_qp_rows"]


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


def simplex_qp_rows(Q: Float, S: Float) -> tuple[Float, Float]:
    """Minimise one quadratic form over the simplex for every row of S, compiled.

    Solves, for every row s,  min_z  z'Q z - s'z  s.t.  z >= 0, z'1 = 1,  by the method
    of :func:`simplex_qp` with Cholesky factors that grow and shrink with the support.

    Parameters
    ----------
    Q : ndarray of shape (m, m), symmetric positive definite
    S : ndarray of shape (n, m)

    Returns
    -------
    Z : ndarray of shape (n, m)
    residual : ndarray of shape (n,)
        Violation of the optimality condition, divided by the largest entry of Q and s:
        the gradient 2 Q z - s is equal on the support of z and nowhere smaller.
    """
    from mvgraph.ops.kernels import simplex_qp as _kernels

    Q, S = (np.ascontiguousarray(x, dtype=np.float64) for x in (Q, S))
    Z, residual = np.zeros(S.shape), np.zeros(len(S))
    _kernels.solve_rows(Q, S, Z, residual)
    return Z, residual


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
