"""Quadratic programmes on the simplex, one per row, by a primal active-set method."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def _append(Q, L, free, r):
    """Fill row r of the Cholesky factor L of Q on the free entries."""
    a = free[r]
    for c in range(r):
        t = Q[a, free[c]]
        for e in range(c):
            t -= L[r, e] * L[c, e]
        L[r, c] = t / L[c, c]
    t = Q[a, a]
    for e in range(r):
        t -= L[r, e] * L[r, e]
    L[r, r] = np.sqrt(max(t, 1e-14 * Q[a, a] + 1e-300))  # singular but for rounding


@kernel
def _minimum_on_plane(L, s, free, size, u, w):
    """Set u to the minimum of a'Qa - s'a with a'1 = 1 on the free entries."""
    for r in range(size):
        u[r], w[r] = s[free[r]], 1.0
        for e in range(r):
            u[r] -= L[r, e] * u[e]
            w[r] -= L[r, e] * w[e]
        u[r] /= L[r, r]
        w[r] /= L[r, r]
    total_u, total_w = 0.0, 0.0
    for r in range(size - 1, -1, -1):
        for e in range(r + 1, size):
            u[r] -= L[e, r] * u[e]
            w[r] -= L[e, r] * w[e]
        u[r] /= L[r, r]
        w[r] /= L[r, r]
        total_u += u[r]
        total_w += w[r]
    for r in range(size):
        u[r] = (u[r] - (total_u - 2.0) / total_w * w[r]) / 2.0


@kernel
def _move(z, free, size, target):
    """Move z towards the target as far as it stays non-negative; drop what hits zero.

    Returns the number of free entries that are left, and the first that changed.
    """
    ratio = 1.0
    for r in range(size):
        if target[r] < 0.0:
            ratio = min(ratio, z[free[r]] / (z[free[r]] - target[r]))
    kept, first = 0, size
    for r in range(size):
        a = free[r]
        hits = target[r] < 0.0 and z[a] / (z[a] - target[r]) <= ratio
        z[a] = 0.0 if hits else max(z[a] + ratio * (target[r] - z[a]), 0.0)
        if hits:
            first = min(first, kept)
        else:
            free[kept] = a
            kept += 1
    return kept, first


@kernel
def _slopes(Q, s, z, free, size, slope):
    """Set slope to the gradient 2 Q z - s; return its mean over z and its minimum."""
    mean, best = 0.0, 0
    for j in range(s.shape[0]):
        slope[j] = -s[j]
        for r in range(size):
            slope[j] += 2.0 * Q[free[r], j] * z[free[r]]
        mean += z[j] * slope[j]
        if slope[j] < slope[best]:
            best = j
    return mean, best


@kernel
def _solve(Q, s, z, L, free, slope, u, w, unit):
    """Solve one programme from the best vertex; return the violation of optimality."""
    best = 0
    for j in range(s.shape[0]):
        if Q[j, j] - s[j] < Q[best, best] - s[best]:
            best = j
    z[best], free[0], size = 1.0, best, 1
    _append(Q, L, free, 0)
    for _ in range(20 * s.shape[0]):
        mean, entering = _slopes(Q, s, z, free, size, slope)
        if slope[entering] >= mean - 1e-13 * unit or np.any(free[:size] == entering):
            break
        free[size] = entering
        _append(Q, L, free, size)
        size += 1
        before = size + 1
        while size < before:  # until nothing hits zero
            before = size
            _minimum_on_plane(L, s, free, size, u, w)
            size, first = _move(z, free, size, u)
            for r in range(first, size):
                _append(Q, L, free, r)
    mean, lowest = _slopes(Q, s, z, free, size, slope)
    worst = mean - slope[lowest]
    for r in range(size):
        worst = max(worst, abs(slope[free[r]] - mean))
    return worst / unit


@kernel
def solve_rows(Q, S, Z, residual):
    """Z[i] = argmin z'Qz - S[i]'z on the simplex; Z starts at zero."""
    n, m = S.shape
    L = np.empty((m, m))
    free = np.empty(m, dtype=np.int64)
    slope, u, w = np.empty(m), np.empty(m), np.empty(m)
    top = max(np.abs(Q).max(), 1e-300)
    for i in range(n):
        unit = max(top, np.abs(S[i]).max())
        residual[i] = _solve(Q, S[i], Z[i], L, free, slope, u, w, unit)
