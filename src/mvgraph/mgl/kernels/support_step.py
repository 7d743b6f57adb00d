"""Compiled steps of MGL on supports, with 64 rows side by side; see lanes.

Anchors are unsigned: a signed index could count from the end and is tested for it.
"""

import numpy as np

from mvgraph.mgl.kernels.packed_rows import add, add_product, take, threshold
from mvgraph.ops.kernels.common import any_order, kernel


@kernel
def _count(support, group):
    """Return the entries of the last row of a group: it has the most."""
    used, last = 0, support.shape[2] - 1
    while used < support.shape[1] and support[group, used, last] >= 0:
        used += 1
    return used


@any_order
def _read_support(support, group, used, column, live):
    """Anchor of every entry; live is 0, or -1e300 beyond the support of a row."""
    for a in range(used):
        for r in range(support.shape[2]):
            j = support[group, a, r]
            live[a, r] = 0.0 if j >= 0 else -1e300
            column[a, r] = np.uint64(max(j, 0))


@any_order
def _read(A, group, used, out):
    """Copy the used entries of a group to float64."""
    for v in range(A.shape[1]):
        for a in range(used):
            for r in range(A.shape[3]):
                out[v, a, r] = A[group, v, a, r]


@any_order
def _write(values, group, used, A):
    """Copy them back; 0 beyond."""
    for v in range(A.shape[1]):
        for a in range(used):
            for r in range(A.shape[3]):
                A[group, v, a, r] = values[v, a, r]
        for a in range(used, A.shape[2]):
            for r in range(A.shape[3]):
                A[group, v, a, r] = 0.0


@any_order
def _average(Z, Y, inverse_mu, used, zbar, X, total):
    """Mean rows zbar over views, scaled to sum one, and X = Z + Y / mu."""
    lanes = total.shape[0]
    total[:] = 0.0
    for a in range(used):
        zbar[a] = 0.0
        for v in range(Z.shape[0]):
            add(Z[v, a], zbar[a])
            for r in range(lanes):
                X[v, a, r] = Z[v, a, r] + Y[v, a, r] * inverse_mu
        add(zbar[a], total)
    for r in range(lanes):
        total[r] = 1.0 / total[r]
    for a in range(used):
        for r in range(lanes):
            zbar[a, r] *= total[r]


@any_order
def _low_rank(X, W, column, used, h, J):
    """J[v, a] = sum_w X[w, a] W_vw at the anchor of entry a (eq. 14); h: work."""
    V = X.shape[0]
    J[:, :used] = 0.0
    for a in range(used):
        pair = 0
        for v in range(V):
            for w in range(v, V):
                take(W[pair], column[a], h)
                add_product(h, X[w, a], J[v, a])
                if w > v:
                    add_product(h, X[v, a], J[w, a])
                pair += 1


@any_order
def _embedding_distances(zbar, H, qq, weight, column, used, h, dF):
    """dF[a] = weight (||q_j||^2 - 2 <p, q_j>), j the anchor of entry a (eq. 20).

    H[j, i] = <p_i, q_j> for the embedding p_i of a row that is anchor i alone, so that
    <p, q_j> = sum_i zbar_i H[j, i]. The missing ||p||^2 is the same for all entries of
    a row and does not change its projection. h: work.
    """
    dF[:used] = 0.0
    for a in range(used):
        for b in range(a + 1):
            for r in range(h.shape[0]):
                h[r] = H[column[a, r], column[b, r]]
            add_product(h, zbar[b], dF[a])
            if b < a:  # H is symmetric
                add_product(h, zbar[a], dF[b])
    for a in range(used):
        take(qq, column[a], h)
        for r in range(h.shape[0]):
            dF[a, r] = weight * (h[r] - 2.0 * dF[a, r])


@any_order
def _project(D, J, Z, Y, dF, live, inverse_g, mu, two_alpha, used, x, work, sums, v):
    """Z- and Y-step of a view (eq. 23, 24), in place; adds to sums."""
    lanes, factor = x.shape[1], 1.0 / (mu + two_alpha)
    for a in range(used):
        for r in range(lanes):
            target = mu * J[a, r] - Y[a, r] - D[a, r] * inverse_g - dF[a, r]
            x[a, r] = target * factor + live[a, r]
    t = work[0]
    threshold(x, Z, used, t, work[1], work[2], work[3])
    fit, primal, dual, size = 0.0, 0.0, 0.0, 0.0
    for a in range(used):
        for r in range(lanes):
            x[a, r] = max(x[a, r] - t[r], 0.0)
        for r in range(lanes):
            z = x[a, r]
            gap, change = z - J[a, r], z - Z[a, r]
            fit += D[a, r] * z
            primal += gap * gap
            dual += change * change
            size += z * z
        for r in range(lanes):
            Y[a, r] += mu * (x[a, r] - J[a, r])
        for r in range(lanes):
            Z[a, r] = x[a, r]
    V = sums.shape[0] - 3
    sums[v] += fit
    sums[V] += primal
    sums[V + 1] += dual
    sums[V + 2] += size


@any_order
def _add_outer(weight, zbar, column, used, C, h, at):
    """C[i, j] += weight zbar_i zbar_j for anchors i <= j of every row; h, at: work."""
    flat, M = C.reshape(-1), np.uint64(C.shape[0])
    for a in range(used):
        for b in range(a, used):
            for r in range(h.shape[0]):
                at[r] = column[a, r] * M + column[b, r]
            for r in range(h.shape[0]):
                h[r] = weight[r] * zbar[a, r] * zbar[b, r]
            for r in range(h.shape[0]):
                flat[at[r]] += h[r]


@any_order
def _add_gram(X, column, used, G, products):
    """G[j, pair] += x_v x_w for the column x of X at anchor j; products: work."""
    V = X.shape[0]
    for a in range(used):
        pair = 0
        for v in range(V):
            for w in range(v, V):
                for r in range(X.shape[2]):
                    products[pair, r] = X[v, a, r] * X[w, a, r]
                pair += 1
        for r in range(X.shape[2]):
            j = column[a, r]
            for p in range(G.shape[1]):
                G[j, p] += products[p, r]


@any_order
def support_sums(weights, support, Z, Y, inverse_mu, C, G):
    """Add, over rows, what the next F-step and J-step need.

    weights (groups, lanes), support (groups, s, lanes), Z, Y (groups, V, s, lanes); C
    (M, M), upper part: sum of weight zbar zbar', zbar the mean row over views scaled
    to sum one; G (M, V (V + 1) / 2): for every anchor the upper part of the Gram matrix
    of Z + Y / mu.
    """
    n, V, s, lanes = Z.shape
    many = np.empty((3, V, s, lanes))
    z, y, X = many[0], many[1], many[2]
    zbar, live = np.empty((s, lanes)), np.empty((s, lanes))
    column = np.empty((s, lanes), dtype=np.uint64)
    products, work = np.empty((V * (V + 1) // 2, lanes)), np.empty(lanes)
    at = np.empty(lanes, dtype=np.uint64)
    for group in range(n):
        used = _count(support, group)
        _read_support(support, group, used, column, live)
        _read(Z, group, used, z)
        _read(Y, group, used, y)
        _average(z, y, inverse_mu, used, zbar, X, work)
        _add_outer(weights[group], zbar, column, used, C, work, at)
        _add_gram(X, column, used, G, products)


@any_order
def support_step(
    weights,
    support,
    D,
    Z,
    Y,
    next_mu,
    newZ,
    newY,
    sums,
    C,
    G,
    W,
    H,
    qq,
    inverse_g,
    mu,
    two_alpha,
    beta_v,
):
    """J-, Z- and Y-step of groups of rows on their supports (eq. 14, 20, 23, 24).

    W (V (V + 1) / 2, M): filters of the J-step, upper parts; H (M, M), qq (M,): see
    _embedding_distances; newZ, newY: filled; sums (V + 3,) receives sum D Z of each
    view, squared primal and dual residual and the squared norm of Z; C, G: see
    support_sums, of newZ, newY and next_mu.
    """
    n, V, s, lanes = Z.shape
    many, few = np.empty((5, V, s, lanes)), np.empty((4, s, lanes))
    d, z, y, X, J = many[0], many[1], many[2], many[3], many[4]
    zbar, live, dF, x = few[0], few[1], few[2], few[3]
    column = np.empty((s, lanes), dtype=np.uint64)
    products, work = np.empty((V * (V + 1) // 2, lanes)), np.empty((4, lanes))
    at, h = np.empty(lanes, dtype=np.uint64), work[0]
    for group in range(n):
        used = _count(support, group)
        _read_support(support, group, used, column, live)
        _read(D, group, used, d)
        _read(Z, group, used, z)
        _read(Y, group, used, y)
        _average(z, y, 1.0 / mu, used, zbar, X, h)
        _low_rank(X, W, column, used, h, J)
        _embedding_distances(zbar, H, qq, beta_v, column, used, h, dF)
        for v in range(V):
            g, view = inverse_g[v], (d[v], J[v], z[v], y[v])
            _project(*view, dF, live, g, mu, two_alpha, used, x, work, sums, v)
        _write(z, group, used, newZ)
        _write(y, group, used, newY)
        _average(z, y, 1.0 / next_mu, used, zbar, X, h)
        _add_outer(weights[group], zbar, column, used, C, h, at)
        _add_gram(X, column, used, G, products)
