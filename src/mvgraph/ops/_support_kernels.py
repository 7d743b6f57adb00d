"""Compiled loops of MGL on supports: a few anchors a row, -1 where there are fewer."""

import numpy as np

from mvgraph.ops._kernels import any_order, kernel, part, simplex_threshold_by_passes


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


# The functions below take whole arrays and the row i: to cut a row out of an array
# takes longer than most of the work on its few entries.


@part
def _count(support, i):
    """Return how many entries of the ascending support of row i are filled."""
    used = 0
    while used < support.shape[1] and support[i, used] >= 0:
        used += 1
    return used


@part
def _read_row(Z, Y, i, inverse_mu, used, zbar, X):
    """Mean row zbar over views, scaled to sum one, and X = Z + Y / mu of row i."""
    for a in range(used):
        zbar[a] = 0.0
    for v in range(Z.shape[1]):
        for a in range(used):
            zbar[a] += Z[i, v, a]
            X[v, a] = Z[i, v, a] + Y[i, v, a] * inverse_mu
    total = 0.0
    for a in range(used):
        total += zbar[a]
    for a in range(used):
        zbar[a] /= total


@part
def _add_sums(support, i, zbar, X, used, C, dq, G):
    """C += zbar zbar', dq += zbar, G[j] += x x' for the column x of X at anchor j."""
    V = X.shape[0]
    for a in range(used):
        j, z = support[i, a], zbar[a]
        dq[j] += z
        if z != 0.0:
            for b in range(a, used):
                C[j, support[i, b]] += z * zbar[b]
        for v in range(V):
            for w in range(v, V):
                G[j, v, w] += X[v, a] * X[w, a]


@any_order
def support_sums(support, Z, Y, inverse_mu, C, dq, G):
    """Add, over rows, what the next F-step and J-step need.

    C (M, M), upper part: sum of zbar zbar'; dq (M,): sum of zbar, zbar the mean row
    over views scaled to sum one; G (M, V, V), upper part: Gram matrices of Z + Y / mu.
    """
    n, V, s = Z.shape
    X, zbar = np.empty((V, s)), np.empty(s)
    for i in range(n):
        used = _count(support, i)
        _read_row(Z, Y, i, inverse_mu, used, zbar, X)
        _add_sums(support, i, zbar, X, used, C, dq, G)


@part
def _low_rank_row(support, i, X, W, used, J):
    """J[v, a] = sum_w X[w, a] W[j, w, v] at anchor j (eq. 14)."""
    V = X.shape[0]
    for a in range(used):
        j = support[i, a]
        for v in range(V):
            t = 0.0
            for w in range(V):
                t += X[w, a] * W[j, w, v]
            J[v, a] = t


@part
def _embedding_distances(support, i, zbar, toP, Q, qq, weight, used, P, dF):
    """dF[a] = weight ||p - q_j||^2 for p = zbar' toP (eq. 20)."""
    K = P.shape[0]
    for c in range(K):
        P[c] = 0.0
    for a in range(used):
        j, z = support[i, a], zbar[a]
        if z != 0.0:
            for c in range(K):
                P[c] += z * toP[j, c]
    pp = 0.0
    for c in range(K):
        pp += P[c] * P[c]
    for a in range(used):
        j, t = support[i, a], 0.0
        for c in range(K):
            t += P[c] * Q[j, c]
        dF[a] = weight * max(pp + qq[j] - 2 * t, 0.0)


@part
def _project(D, J, Y, Z, dF, i, v, used, inverse_g, mu, factor, x, newZ, newY, sums):
    """Z- and Y-step of view v of row i (eq. 23, 24); adds to sums."""
    for a in range(used):
        x[a] = (mu * J[v, a] - Y[i, v, a] - D[i, v, a] * inverse_g - dF[a]) * factor
    top, t = simplex_threshold_by_passes(x, used)
    fit, primal, dual, size = 0.0, 0.0, 0.0, 0.0
    for a in range(used):
        z = max((x[a] - top) - t, 0.0)
        gap, change = z - J[v, a], z - Z[i, v, a]
        fit += D[i, v, a] * z
        primal += gap * gap
        dual += change * change
        size += z * z
        newY[i, v, a] = Y[i, v, a] + mu * gap
        newZ[i, v, a] = z
    for a in range(used, x.shape[0]):
        newY[i, v, a] = 0.0
        newZ[i, v, a] = 0.0
    V = Z.shape[1]
    sums[v] += fit
    sums[V] += primal
    sums[V + 1] += dual
    sums[V + 2] += size


@any_order
def support_step(
    support,
    D,
    Z,
    Y,
    next_mu,
    newZ,
    newY,
    sums,
    C,
    dq,
    G,
    W,
    toP,
    Q,
    qq,
    inverse_g,
    mu,
    two_alpha,
    beta_v,
):
    """J-, Z- and Y-step of a block of rows on their supports (eq. 14, 20, 23, 24).

    W (M, V, V): filters of the J-step; toP (M, K): maps a mean row to P D_P^-1/2;
    Q (M, K): Q D_Q^-1/2, qq its squared row norms; newZ, newY: filled; sums (V + 3,)
    receives sum D Z of each view, squared primal and dual residual and the squared
    norm of Z; C, dq, G: see support_sums, of newZ, newY and next_mu.
    """
    n, V, s = Z.shape
    P, dF, zbar, x = np.empty(Q.shape[1]), np.empty(s), np.empty(s), np.empty(s)
    J, X = np.empty((V, s)), np.empty((V, s))
    factor = 1.0 / (mu + two_alpha)
    for i in range(n):
        u = _count(support, i)
        _read_row(Z, Y, i, 1.0 / mu, u, zbar, X)
        _low_rank_row(support, i, X, W, u, J)
        _embedding_distances(support, i, zbar, toP, Q, qq, beta_v, u, P, dF)
        for v in range(V):
            g = inverse_g[v]
            _project(D, J, Y, Z, dF, i, v, u, g, mu, factor, x, newZ, newY, sums)
        _read_row(newZ, newY, i, 1.0 / next_mu, u, zbar, X)
        _add_sums(support, i, zbar, X, u, C, dq, G)
