"""Compiled loops of MGL on supports: a few anchors a row, -1 where there are fewer."""

import numpy as np

from mvgraph.ops._kernels import any_order, kernel, simplex_threshold_by_passes


@kernel
def merge_supports(idx, Z, support, z):
    """Join the nearest anchors of all views into one ascending support a row.

    idx, Z : (V, n, k) anchors and weights; support : (n, s), -1 where it is not filled
    with anchors; z : (n, V, s), zeros, receives the weights.
    """
    V, n, k = Z.shape
    for i in range(n):
        every = np.sort(idx[:, i].copy().reshape(-1))
        count, last = 0, -1
        for j in every:
            if j != last:
                support[i, count] = last = j
                count += 1
        for v in range(V):
            at = np.searchsorted(support[i, :count], idx[v, i])
            for h in range(k):
                z[i, v, at[h]] += Z[v, i, h]


@kernel
def gather_distances(D, v, support, d):
    """d[i, v, a] = D[i, support[i, a]]; 0 beyond the support."""
    n, s = support.shape
    for i in range(n):
        for a in range(s):
            j = support[i, a]
            d[i, v, a] = D[i, j] if j >= 0 else 0.0


@kernel
def _count(support):
    """Return how many entries of an ascending support are filled."""
    used = 0
    while used < support.shape[0] and support[used] >= 0:
        used += 1
    return used


@any_order
def _read_row(Z, Y, inverse_mu, used, zbar, X):
    """Mean row zbar over views, scaled to sum one, and X = Z + Y / mu; Z : (V, s)."""
    for a in range(used):
        zbar[a] = 0.0
    for v in range(Z.shape[0]):
        z, y, x = Z[v], Y[v], X[v]
        for a in range(used):
            zbar[a] += z[a]
            x[a] = z[a] + y[a] * inverse_mu
    total = 0.0
    for a in range(used):
        total += zbar[a]
    for a in range(used):
        zbar[a] /= total


@any_order
def _add_outer(support, zbar, used, C, dq, j, z):
    """C += zbar zbar' (upper part), dq += zbar; zeros are left out first."""
    n = 0
    for a in range(used):
        if zbar[a] != 0.0:
            j[n], z[n] = support[a], zbar[a]
            n += 1
    for a in range(n):
        dq[j[a]] += z[a]
        row = C[j[a]]
        for b in range(a, n):
            row[j[b]] += z[a] * z[b]


@any_order
def _add_gram(support, X, used, G):
    """G[j] += x x' (upper part) for the column x of X at anchor j."""
    V = X.shape[0]
    for a in range(used):
        g = G[support[a]]
        for v in range(V):
            for w in range(v, V):
                g[v, w] += X[v, a] * X[w, a]


@any_order
def support_sums(support, Z, Y, inverse_mu, C, dq, G):
    """Add, over rows, what the next F-step and J-step need.

    C (M, M), upper part: sum of zbar zbar'; dq (M,): sum of zbar, zbar the mean row
    over views scaled to sum one; G (M, V, V), upper part: Gram matrices of Z + Y / mu.
    """
    n, V, s = Z.shape
    X, zbar = np.empty((V, s)), np.empty(s)
    j, z = np.empty(s, dtype=np.int64), np.empty(s)
    for i in range(n):
        used = _count(support[i])
        _read_row(Z[i], Y[i], inverse_mu, used, zbar, X)
        _add_outer(support[i], zbar, used, C, dq, j, z)
        _add_gram(support[i], X, used, G)


@any_order
def _low_rank_row(support, X, W, used, J):
    """J[v, a] = sum_w X[w, a] W[j, w, v] at anchor j (eq. 14)."""
    V = X.shape[0]
    for a in range(used):
        filters = W[support[a]]
        for v in range(V):
            t = 0.0
            for w in range(V):
                t += X[w, a] * filters[w, v]
            J[v, a] = t


@any_order
def _embedding_distances(support, zbar, toP, Q, qq, weight, used, P, dF):
    """dF[a] = weight ||p - q_j||^2 for p = zbar' toP (eq. 20)."""
    K = P.shape[0]
    P[:] = 0.0
    for a in range(used):
        if zbar[a] != 0.0:
            row = toP[support[a]]
            for c in range(K):
                P[c] += zbar[a] * row[c]
    pp = 0.0
    for c in range(K):
        pp += P[c] * P[c]
    for a in range(used):
        q, t = Q[support[a]], 0.0
        for c in range(K):
            t += P[c] * q[c]
        dF[a] = weight * max(pp + qq[support[a]] - 2 * t, 0.0)


@any_order
def _project(D, J, Y, Z, dF, inverse_g, mu, two_alpha, x, newZ, newY):
    """Z- and Y-step of one row and view (eq. 23, 24); returns four sums."""
    factor = 1.0 / (mu + two_alpha)
    for a in range(x.shape[0]):
        x[a] = (mu * J[a] - Y[a] - D[a] * inverse_g - dF[a]) * factor
    top, t = simplex_threshold_by_passes(x)
    fit, primal, dual, size = 0.0, 0.0, 0.0, 0.0
    for a in range(x.shape[0]):
        z = max((x[a] - top) - t, 0.0)
        gap, change = z - J[a], z - Z[a]
        fit += D[a] * z
        primal += gap * gap
        dual += change * change
        size += z * z
        newY[a] = Y[a] + mu * gap
        newZ[a] = z
    return fit, primal, dual, size


@any_order
def support_step(
    support, D, Z, Y, W, toP, Q, qq, inverse_g, mu, two_alpha, beta_v, newZ, newY, sums
):
    """J-, Z- and Y-step of a block of rows on their supports (eq. 14, 20, 23, 24).

    W (M, V, V): filters of the J-step; toP (M, K): maps a mean row to P D_P^-1/2;
    Q (M, K): Q D_Q^-1/2, qq its squared row norms; newZ, newY: zeros, filled; sums
    (V + 3,) receives sum D Z of each view, squared primal and dual residual and the
    squared norm of Z.
    """
    n, V, s = Z.shape
    P, dF, zbar, x = np.empty(Q.shape[1]), np.empty(s), np.empty(s), np.empty(s)
    J, X = np.empty((V, s)), np.empty((V, s))
    for i in range(n):
        u = _count(support[i])
        _read_row(Z[i], Y[i], 1.0 / mu, u, zbar, X)
        _low_rank_row(support[i], X, W, u, J)
        _embedding_distances(support[i], zbar, toP, Q, qq, beta_v, u, P, dF)
        for v in range(V):
            fit, primal, dual, size = _project(
                D[i, v, :u],
                J[v, :u],
                Y[i, v, :u],
                Z[i, v, :u],
                dF[:u],
                inverse_g[v],
                mu,
                two_alpha,
                x[:u],
                newZ[i, v, :u],
                newY[i, v, :u],
            )
            sums[v] += fit
            sums[V] += primal
            sums[V + 1] += dual
            sums[V + 2] += size
