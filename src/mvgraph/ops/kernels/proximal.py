"""Compiled loops of proximal maps: slices of a tensor, programs on the simplex."""

import numpy as np

from mvgraph.ops.kernels.common import kernel, part


@kernel
def gram_slices(A, G):
    """G[f, v, w] = sum_m conj(A[v, f, m]) A[w, f, m] for A (V, F, M)."""
    V, F, M = A.shape
    for f in range(F):
        for v in range(V):
            for w in range(v, V):
                s = np.conj(A[v, f, 0]) * A[w, f, 0]
                for m in range(1, M):
                    s += np.conj(A[v, f, m]) * A[w, f, m]
                G[f, v, w] = s
                G[f, w, v] = np.conj(s)


@kernel
def apply_slices(A, W):
    """A[v, f, m] <- sum_w A[w, f, m] W[f, w, v] for A (V, F, M), in place."""
    V, F, M = A.shape
    x = np.empty(V, dtype=A.dtype)
    for f in range(F):
        for m in range(M):
            for w in range(V):
                x[w] = A[w, f, m]
            for v in range(V):
                s = x[0] * W[f, 0, v]
                for w in range(1, V):
                    s += x[w] * W[f, w, v]
                A[v, f, m] = s


@part
def factorise(H, free, k, L):
    """Fill L with the Cholesky factor of H on the first k free entries."""
    for a in range(k):
        for b in range(a + 1):
            total = H[free[a], free[b]]
            for c in range(b):
                total -= L[a, c] * L[b, c]
            if a == b:  # singular but for rounding: stay above zero
                L[a, a] = np.sqrt(max(total, 1e-14 * H[free[a], free[a]] + 1e-300))
            else:
                L[a, b] = total / L[b, b]


@part
def minimum_on_plane(L, k, u, w):
    """Solve H y + t = b, y'1 = 1 from the factor of H; u is b, then y; return t."""
    for a in range(k):
        for c in range(a):
            u[a] -= L[a, c] * u[c]
            w[a] -= L[a, c] * w[c]
        u[a] /= L[a, a]
        w[a] /= L[a, a]
    sum_u, sum_w = 0.0, 0.0
    for a in range(k - 1, -1, -1):
        for c in range(a + 1, k):
            u[a] -= L[c, a] * u[c]
            w[a] -= L[c, a] * w[c]
        u[a] /= L[a, a]
        w[a] /= L[a, a]
        sum_u += u[a]
        sum_w += w[a]
    t = (sum_u - 1.0) / sum_w
    for a in range(k):
        u[a] -= t * w[a]
    return t


@kernel
def solve_rows(H, B, Z, tol, max_steps):
    """Minimise z'Hz - 2 b'z over the simplex for every row b of B, from rows of Z.

    A primal active-set method: move to the minimum over the free entries, fix one that
    would become negative; at the minimum, free the entry of the steepest descent.
    """
    n, m = B.shape
    free = np.empty(m, dtype=np.int64)
    u, w, L = np.empty(m), np.empty(m), np.empty((m, m))
    for i in range(n):
        z, k = Z[i], 0
        for j in range(m):
            if z[j] > 0.0:
                free[k] = j
                k += 1
        for _ in range(max_steps):
            factorise(H, free, k, L)
            for a in range(k):
                u[a] = B[i, free[a]]
                w[a] = 1.0
            t = minimum_on_plane(L, k, u, w)
            step, block = 1.0, -1
            for a in range(k):
                if u[a] < 0.0:
                    ratio = z[free[a]] / (z[free[a]] - u[a])
                    if ratio < step:
                        step, block = ratio, a
            for a in range(k):
                z[free[a]] += step * (u[a] - z[free[a]])
            if block >= 0:
                z[free[block]] = 0.0
                k -= 1
                free[block] = free[k]
                continue
            steepest, entering = -tol, -1
            for j in range(m):
                if z[j] > 0.0:
                    continue
                slope = t - B[i, j]
                for a in range(k):
                    slope += H[j, free[a]] * z[free[a]]
                if slope < steepest:
                    steepest, entering = slope, j
            if entering < 0:
                break
            free[k] = entering
            k += 1


@kernel
def exclusive_thresholds(X, weight, t):
    """t[j] = weight * sum_i max(|x_ij| - t[j], 0) for every column j.

    As in simplex_threshold, the active sets shrink monotonically to the exact ones.
    """
    n, m = X.shape
    sizes = np.full(m, n + 1)
    t[:] = -1.0
    changed = True
    while changed:
        totals = np.zeros(m)
        counts = np.zeros(m, dtype=np.int64)
        for i in range(n):
            for j in range(m):
                a = abs(X[i, j])
                if a > t[j]:
                    totals[j] += a
                    counts[j] += 1
        changed = False
        for j in range(m):
            if counts[j] < sizes[j]:  # never grows: rounding could make it oscillate
                changed = True
                sizes[j] = counts[j]
                t[j] = weight * totals[j] / (1.0 + weight * counts[j])
