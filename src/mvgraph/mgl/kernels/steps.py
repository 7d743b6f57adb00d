"""Compiled loops of the steps of MGL on dense graphs."""

import numpy as np

from mvgraph.ops.kernels.common import any_order, kernel, part


@part
def simplex_threshold_by_passes(x, n):
    """Return top and t of simplex_threshold by passes over the first n entries of x.

    Without an index list, this is faster if many entries stay positive.
    """
    top = x[0]
    for j in range(1, n):
        top = max(top, x[j])
    t, size = -1.0, n + 1
    while True:
        total, kept = 0.0, 0
        for j in range(n):
            above = x[j] - top > t
            total += (x[j] - top) if above else 0.0
            kept += 1 if above else 0
        if kept >= size:  # the set no longer shrinks: it is the exact one
            return top, t
        size, t = kept, (total - 1.0) / kept


@any_order
def update_graphs(D, J, Y, Z, dF, Zbar, first, row, sums):
    """Z-step and Y-step for a block of rows, all views (eq. 23, 24, algorithm 1).

    D, Y, Z : (V, N, M); Zbar : (N, M); for rows first, first + 1, ...:
    J : (V, n, M); dF : (n, M); row : RowProblem; sums : (n, V + 3) receives, for
    every row, sum D Z of each view, squared primal and dual residual, ||Z||^2.
    """
    V, n, M = J.shape
    x = np.empty(M)
    inverse_g, mu, beta_v = row.inverse_g, row.mu, row.beta_v
    scale, share = 1.0 / (mu + row.two_alpha), 1.0 / V
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
