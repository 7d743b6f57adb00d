"""Compiled loops of MGL on dense tensors: the Z- and Y-step, and slices of a tensor."""

import numpy as np

from mvgraph.ops.kernels.common import (
    any_order,
    kernel,
    part,
    simplex_threshold_by_passes,
)


@any_order
def update_graphs(D, J, Y, Z, dF, Zbar, first, inverse_g, mu, two_alpha, beta_v, sums):
    """Z-step and Y-step for a block of rows, all views (eq. 23, 24, algorithm 1).

    D, Y, Z : (V, N, M); Zbar : (N, M); of their rows first, first + 1, ...:
    J : (V, n, M); dF : (n, M); sums : (n, V + 3) receives for every row
    sum D Z of each view, squared primal and dual residual, squared norm of Z.
    """
    V, n, M = J.shape
    x = np.empty(M)
    scale, share = 1.0 / (mu + two_alpha), 1.0 / V
    for i in range(n):
        mean, f = Zbar[first + i], dF[i]
        mean[:] = 0.0
        for v in range(V):
            d, y, z_row = D[v, first + i], Y[v, first + i], Z[v, first + i]
            j, w = J[v, i], inverse_g[v]
            for m in range(M):
                x[m] = (mu * j[m] - y[m] - d[m] * w - beta_v * f[m]) * scale
            top, t = simplex_threshold_by_passes(x, M)
            dz, primal, dual, norm = 0.0, 0.0, 0.0, 0.0
            for m in range(M):
                z = max((x[m] - top) - t, 0.0)
                gap, change = z - j[m], z - z_row[m]
                primal += gap * gap
                dual += change * change
                dz += d[m] * z
                norm += z * z
                z_row[m] = z
                y[m] += mu * gap
                mean[m] += z * share
            sums[i, v] = dz
            sums[i, V] += primal
            sums[i, V + 1] += dual
            sums[i, V + 2] += norm


@kernel
def absolute_sums(Z, Y, scale, first, last, sums):
    """sums[v, m] += sum over first <= i < last of |Z[v, i, m] + scale * Y[v, i, m]|."""
    V, _, M = Z.shape
    for v in range(V):
        for i in range(first, last):
            for m in range(M):
                sums[v, m] += abs(Z[v, i, m] + scale * Y[v, i, m])


@kernel
def gram_slices_rows(A, G):
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


@part
def _filter_entry(A, i, j, W, f, x):
    """A[v, i, j] <- sum_w A[w, i, j] W[f, w, v], in place; x (V,) is overwritten."""
    V = A.shape[0]
    for w in range(V):
        x[w] = A[w, i, j]
    for v in range(V):
        s = x[0] * W[f, 0, v]
        for w in range(1, V):
            s += x[w] * W[f, w, v]
        A[v, i, j] = s


@kernel
def apply_slices_rows(A, W):
    """Filter the slices A[:, f, :] of A (V, F, M), in place."""
    V, F, M = A.shape
    x = np.empty(V, dtype=A.dtype)
    for f in range(F):
        for m in range(M):
            _filter_entry(A, f, m, W, f, x)


@kernel
def gram_slices_columns(A, G):
    """G[f, v, w] += sum_n conj(A[v, n, f]) A[w, n, f] for A (V, N, F)."""
    V, N, F = A.shape
    for n in range(N):
        for v in range(V):
            for w in range(V):
                for f in range(F):
                    G[f, v, w] += np.conj(A[v, n, f]) * A[w, n, f]


@kernel
def apply_slices_columns(A, W):
    """Filter the slices A[:, :, f] of A (V, N, F), in place."""
    V, N, F = A.shape
    x = np.empty(V, dtype=A.dtype)
    for n in range(N):
        for f in range(F):
            _filter_entry(A, n, f, W, f, x)
