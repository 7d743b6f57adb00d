"""Compiled loops over distances: finished, at given pairs, the smallest of a row."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def distances_at(U, V, rows, columns, out):
    """out[e] = ||U[rows[e]] - V[columns[e]]||^2."""
    for e in range(rows.shape[0]):
        i, j = rows[e], columns[e]
        total = 0.0
        for c in range(U.shape[1]):
            gap = U[i, c] - V[j, c]
            total += gap * gap
        out[e] = total


@kernel
def finish_distances(cross, a, b):
    """Turn products a_i . b_j into ||a_i||^2 + ||b_j||^2 - 2 a_i . b_j, at least 0."""
    for i in range(cross.shape[0]):
        x, norm = cross[i], a[i]
        for j in range(x.shape[0]):
            d = (norm - (x[j] + x[j])) + b[j]
            x[j] = 0.0 if d < 0 else d


@kernel
def add_scaled(total, scale, D):
    """Total += scale D, without an array for the product."""
    for i in range(total.shape[0]):
        x, y = D[i], total[i]
        for j in range(y.shape[0]):
            y[j] += scale * x[j]


FEW_LANES, MANY_LANES = 16, 64


@kernel
def _bound(x, k, least, rank):
    """Return a bound of the k smallest entries: that of the k smallest of the lanes.

    Lane l holds the entries l, l + lanes, ...; nothing branches.
    """
    lanes = least.shape[0]
    for lane in range(lanes):
        least[lane] = x[lane]
        rank[lane] = 0
    for start in range(lanes, x.shape[0], lanes):
        y = x[start : start + lanes]
        for lane in range(y.shape[0]):
            least[lane] = y[lane] if y[lane] < least[lane] else least[lane]
    for other in range(lanes):
        for lane in range(lanes):
            rank[lane] += least[other] < least[lane]
    top = -np.inf
    for lane in range(lanes):
        top = max(top, least[lane] if rank[lane] < k else -np.inf)
    return top


@kernel
def _smallest(x, idx, val, least, rank, near):
    """Keep the smallest entries of x, ascending, ties by index.

    Most entries are beyond a bound that is found without branches.
    """
    k, m, top = idx.shape[0], x.shape[0], np.inf
    lanes = FEW_LANES if k <= 3 * FEW_LANES // 4 else MANY_LANES
    if k <= 3 * lanes // 4 and m >= 4 * lanes:
        top = _bound(x, k, least[:lanes], rank)
    within = 0
    for j in range(m):
        near[within] = j
        within += x[j] <= top
    count = 0
    for e in range(within):
        j = near[e]
        d = x[j]
        if count == k and d >= val[k - 1]:
            continue
        p = count if count < k else k - 1
        while p > 0 and val[p - 1] > d:
            val[p] = val[p - 1]
            idx[p] = idx[p - 1]
            p -= 1
        val[p] = d
        idx[p] = j
        count = min(count + 1, k)


@kernel
def smallest_entries(D, idx, val):
    """Keep the k smallest entries of every row of D, ascending, ties by index."""
    least, rank = np.empty(MANY_LANES, D.dtype), np.empty(MANY_LANES, np.int32)
    near = np.empty(D.shape[1], np.int64)
    for i in range(D.shape[0]):
        _smallest(D[i], idx[i], val[i], least, rank, near)


@kernel
def nearest_of_others(D, scale, present, nearest, idx, own):
    """Find the k smallest entries of the sums of all matrices but one.

    D (V, n, m), each divided by scale (V,), 0 where present (V, n) is False. nearest
    (n,): the smallest of the sum of all; idx (V, n, k): those of all but matrix v, and
    own (V, n, k): what matrix v has there; V > 1.
    """
    V, n, m = D.shape
    total, others, scaled = np.empty(m), np.empty(m), np.empty((V, m))
    least, rank = np.empty(MANY_LANES), np.empty(MANY_LANES, np.int32)
    near, val = np.empty(m, np.int64), np.empty(idx.shape[2])
    for i in range(n):
        total[:] = 0
        for v in range(V):
            x, y, known = D[v, i], scaled[v], present[v, i]
            for j in range(m):
                y[j] = x[j] / scale[v] if known else 0.0
                total[j] += y[j]
        nearest[i] = total.argmin()
        for v in range(V if V > 1 else 0):
            x = scaled[v]
            for j in range(m):
                others[j] = total[j] - x[j]
            val[:] = np.inf
            _smallest(others, idx[v, i], val, least, rank, near)
            for t in range(idx.shape[2]):
                own[v, i, t] = x[idx[v, i, t]]
