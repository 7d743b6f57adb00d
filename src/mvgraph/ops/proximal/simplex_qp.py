"""Small convex quadratic programmes on the probability simplex."""

import numpy as np

__all__ = ["simplex_qp"]


def simplex_qp(Q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Minimise a quadratic form over the simplex, exactly.

    Solves  min_a  a'Q a - s'a  s.t.  a >= 0, a'1 = 1,  by a primal active-set method:
    from the best corner, let in the entry with the most negative reduced gradient,
    go to the minimum on the support, drop what would turn negative.

    Parameters
    ----------
    Q : ndarray of shape (v, v), symmetric positive semidefinite
    s : ndarray of shape (v,)
        In the range of Q, as in least squares: Q = B'B and s = 2 B'p.

    Returns
    -------
    ndarray of shape (v,)
        Where Q is singular, one of the solutions.
    """
    v = len(s)
    unit = max(float(np.abs(Q).max()), float(np.abs(s).max())) or 1.0
    Q, s = Q / unit, s / unit
    a = np.zeros(v)
    a[int(np.argmin(np.diag(Q) - s))] = 1
    for _ in range(20 * v):  # every pass descends; about 2 v are needed
        slope = 2 * Q @ a - s
        entering = int(np.argmin(slope))
        if slope[entering] >= a @ slope - 1e-13:  # a @ slope: level of the support
            break
        support = a > 0
        support[entering] = True
        a = _descend(Q, s, a, support)
    return a / a.sum()


def _descend(Q, s, a: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Go to the minimum on the support; at a boundary, shrink it and go on."""
    while True:
        target = np.zeros(len(s))
        target[support] = _minimum_on_plane(Q[np.ix_(support, support)], s[support])
        falling = np.flatnonzero(target < 0)
        if len(falling) == 0:
            return target
        ratios = a[falling] / (a[falling] - target[falling])
        a = np.maximum(a + ratios.min() * (target - a), 0)
        a[falling[ratios == ratios.min()]] = 0
        support = support & (a > 0)


def _minimum_on_plane(Q, s) -> np.ndarray:
    """Solve  min_a  a'Q a - s'a  s.t.  a'1 = 1."""
    k = len(s)
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = 2 * Q
    system[:k, k] = system[k, :k] = 1
    return np.linalg.lstsq(system, np.append(s, 1.0), rcond=None)[0][:k]
