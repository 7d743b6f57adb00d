"""Compiled steps of MGL on sparsity patterns, 64 rows at a time; see packing.

Anchors are unsigned: a signed index may count from the end, which costs a test.
"""

import numpy as np

from mvgraph.mgl.kernels.packed_rows import add, add_product, take, threshold
from mvgraph.mgl.kernels.records import Work
from mvgraph.ops.kernels.common import any_order, any_order_part, kernel


@kernel
def _count(pattern, group):
    """Return the number of entries of the last row of a group, which has the most."""
    used, last = 0, pattern.shape[2] - 1
    while used < pattern.shape[1] and pattern[group, used, last] >= 0:
        used += 1
    return used


@any_order_part
def _read_pattern(pattern, group, used, column, live):
    """Read the anchor of every entry; live is 0, or -1e300 beyond a row's pattern."""
    for a in range(used):
        for r in range(pattern.shape[2]):
            j = pattern[group, a, r]
            live[a, r] = 0.0 if j >= 0 else -1e300
            column[a, r] = np.uint64(max(j, 0))


@any_order_part
def _read(A, group, used, out):
    """Copy the used entries of a group to float64."""
    for v in range(A.shape[1]):
        for a in range(used):
            for r in range(A.shape[3]):
                out[v, a, r] = A[group, v, a, r]


@any_order_part
def _write(values, group, used, A):
    """Copy the used entries back; the others become 0."""
    for v in range(A.shape[1]):
        for a in range(used):
            for r in range(A.shape[3]):
                A[group, v, a, r] = values[v, a, r]
        for a in range(used, A.shape[2]):
            for r in range(A.shape[3]):
                A[group, v, a, r] = 0.0


@any_order_part
def _average(Z, Y, inverse_mu, used, zbar, X, total):
    """Compute mean rows zbar over views, scaled to sum one, and X = Z + Y / mu."""
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


@any_order_part
def _low_rank(X, W, column, used, h, J):
    """J[v, a] = sum_w X[w, a] W_vw at the anchor of entry a (eq. 14); h: buffer."""
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


@any_order_part
def _embedding_distances(work, terms, used):
    """dF[a] = beta / V (||q_j||^2 - 2 <p, q_j>), j the anchor of entry a (eq. 20).

    H[j, i] = <p_i, q_j> for the embedding p_i of a row linked to anchor i only, so that
    <p, q_j> = sum_i zbar_i H[j, i]. The missing ||p||^2 is the same for all entries of
    a row and does not change its projection.
    """
    zbar, column, h, dF = work.zbar, work.column, work.h[0], work.dF
    H, weight = terms.H, terms.beta_v
    dF[:used] = 0.0
    for a in range(used):
        for b in range(a + 1):
            for r in range(h.shape[0]):
                h[r] = H[column[a, r], column[b, r]]
            add_product(h, zbar[b], dF[a])
            if b < a:  # H is symmetric
                add_product(h, zbar[a], dF[b])
    for a in range(used):
        take(terms.qq, column[a], h)
        for r in range(h.shape[0]):
            dF[a, r] = weight * (h[r] - 2.0 * dF[a, r])


@any_order_part
def _project(work, v, used, terms, sums):
    """Z- and Y-step of view v (eq. 23, 24), in place; adds to sums."""
    D, J, Z, Y = work.d[v], work.J[v], work.z[v], work.y[v]
    dF, live, x, t = work.dF, work.live, work.x, work.h[0]
    mu, inverse_g = terms.mu, terms.inverse_g[v]
    lanes, factor = x.shape[1], 1.0 / (mu + terms.two_alpha)
    for a in range(used):
        for r in range(lanes):
            target = mu * J[a, r] - Y[a, r] - D[a, r] * inverse_g - dF[a, r]
            x[a, r] = target * factor + live[a, r]
    threshold(x, Z, used, t, work.h[1], work.h[2], work.h[3])
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


@any_order_part
def _add_outer(weight, zbar, column, used, C, h, at):
    """C[i, j] += weight zbar_i zbar_j for anchors i <= j of each row; h, at: buffer."""
    flat, M = C.reshape(-1), np.uint64(C.shape[0])
    for a in range(used):
        for b in range(a, used):
            for r in range(h.shape[0]):
                at[r] = column[a, r] * M + column[b, r]
            for r in range(h.shape[0]):
                h[r] = weight[r] * zbar[a, r] * zbar[b, r]
            for r in range(h.shape[0]):
                flat[at[r]] += h[r]


@any_order_part
def _add_gram(X, column, used, G, products):
    """G[j, pair] += x_v x_w for the column x of X at anchor j; products: buffer."""
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


@kernel
def _make_work(V, s, rows):
    """Allocate the arrays of a group."""
    many, few = np.empty((5, V, s, rows)), np.empty((4, s, rows))
    return Work(
        many[0], many[1], many[2], many[3], many[4],
        few[0], few[1], few[2], few[3],
        np.empty((s, rows), dtype=np.uint64),
        np.empty(rows, dtype=np.uint64),
        np.empty((V * (V + 1) // 2, rows)),
        np.empty((4, rows)),
    )  # fmt: skip


@any_order_part
def _add_sums(weight, work, used, sums):
    """Add the sums C and G of a group, from zbar and X in work."""
    _add_outer(weight, work.zbar, work.column, used, sums.C, work.h[0], work.at)
    _add_gram(work.X, work.column, used, sums.G, work.products)


@any_order
def pattern_sums(groups, inverse_mu, sums):
    """Add up the sums over rows that the next F-step and J-step need.

    groups : Groups; sums.C (M, M), upper part: sum of weight zbar zbar', zbar the mean
    row over views scaled to sum one; sums.G (M, V (V + 1) / 2): for every anchor, the
    upper part of the Gram matrix of Z + Y / mu.
    """
    n, V, s, rows = groups.Z.shape
    work = _make_work(V, s, rows)
    for group in range(n):
        used = _count(groups.pattern, group)
        _read_pattern(groups.pattern, group, used, work.column, work.live)
        _read(groups.Z, group, used, work.z)
        _read(groups.Y, group, used, work.y)
        _average(work.z, work.y, inverse_mu, used, work.zbar, work.X, work.h[0])
        _add_sums(groups.weight[group], work, used, sums)


@any_order
def pattern_step(groups, terms, newZ, newY, sums):
    """J-, Z- and Y-step of groups of rows on their patterns (eq. 14, 20, 23, 24).

    groups : Groups; terms : StepTerms; newZ, newY : receive the new rows; sums : Sums,
    receives the sums of newZ, newY with next_mu, see pattern_sums.
    """
    n, V, s, rows = groups.Z.shape
    work = _make_work(V, s, rows)
    z, y, h, column = work.z, work.y, work.h[0], work.column
    for group in range(n):
        used = _count(groups.pattern, group)
        _read_pattern(groups.pattern, group, used, column, work.live)
        _read(groups.D, group, used, work.d)
        _read(groups.Z, group, used, z)
        _read(groups.Y, group, used, y)
        _average(z, y, 1.0 / terms.mu, used, work.zbar, work.X, h)
        _low_rank(work.X, terms.W, column, used, h, work.J)
        _embedding_distances(work, terms, used)
        for v in range(V):
            _project(work, v, used, terms, sums.totals)
        _write(z, group, used, newZ)
        _write(y, group, used, newY)
        _average(z, y, 1.0 / terms.next_mu, used, work.zbar, work.X, h)
        _add_sums(groups.weight[group], work, used, sums)
