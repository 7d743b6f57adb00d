"""Compiled loops of the steps of MGL on dense graphs."""

import numpy as np

from mvgraph.ops.kernels.common import any_order, kernel, simplex_threshold_by_passes


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
