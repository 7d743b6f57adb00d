"""Compiled loops, imported on first use; the decorators are defined here only.

Every kernel processes a block of rows, releases the GIL and adds in index order, so
that results do not depend on the number of threads.
"""

import os
from functools import partial

import numpy as np
from numba import njit

# MVGRAPH_CACHE=0 keeps compiled code out of the package folder (read-only installs)
_compile = partial(
    njit,
    cache=os.environ.get("MVGRAPH_CACHE", "1") != "0",
    nogil=True,
    error_model="numpy",  # no check for division by zero
)
kernel = _compile()
# sums may be vectorised: the compiler sets the order, the number of threads does not
any_order = _compile(fastmath={"reassoc", "nnan", "nsz", "contract"})
# part of another kernel, inlined: a call takes longer than a short row
part = _compile(inline="always")


@kernel
def _mix(z):
    """Finaliser of splitmix64, a bijection of 64-bit words that mixes all bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def hash_words(rows, columns, words, seed, out):
    """Add the hash of entry (rows[e], columns[e], words[e]) to out[rows[e]]."""
    for e in range(words.shape[0]):
        key = _mix(np.uint64(columns[e]) * np.uint64(0x9E3779B97F4A7C15) + seed)
        out[rows[e]] += _mix(words[e] ^ key)


@kernel
def hash_rows(words, seed, out):
    """Hash the rows of a dense (n, d) array of 64-bit words; zero words are skipped."""
    n, d = words.shape
    for j in range(d):
        key = _mix(np.uint64(j) * np.uint64(0x9E3779B97F4A7C15) + seed)
        for i in range(n):
            if words[i, j] != 0:
                out[i] += _mix(words[i, j] ^ key)


@kernel
def simplex_threshold(x, active):
    """Return top = max(x) and t with sum_j max((x_j - top) - t, 0) = 1.

    Since t >= -1, only entries within 1 of the largest can stay positive: they fill
    ``active``. The active set then shrinks monotonically (Michelot 1986) and ends
    with the exact set. Differences to the largest entry keep huge numbers exact.
    """
    top = x[0]
    for j in range(1, x.shape[0]):
        top = max(top, x[j])
    size, total = 0, 0.0
    for j in range(x.shape[0]):
        if x[j] - top > -1.0:
            active[size] = j
            total += x[j] - top
            size += 1
    while True:
        t = (total - 1.0) / size
        kept, new_total = 0, 0.0
        for s in range(size):
            if x[active[s]] - top > t:
                active[kept] = active[s]
                new_total += x[active[s]] - top
                kept += 1
        if kept == size:
            return top, t
        size, total = kept, new_total


@kernel
def multiply_rows(indptr, indices, data, X, out):
    """Multiply the rows of a CSR matrix with X, four of its rows at a time.

    Loads and stores of out are what takes the time.
    indptr: as many rows as out has, not necessarily the first ones.
    """
    b = X.shape[1]
    for i in range(out.shape[0]):
        y = out[i]
        y[:] = 0.0
        e, end = indptr[i], indptr[i + 1]
        while e + 4 <= end:
            w0, w1, w2, w3 = data[e], data[e + 1], data[e + 2], data[e + 3]
            x0, x1 = X[indices[e]], X[indices[e + 1]]
            x2, x3 = X[indices[e + 2]], X[indices[e + 3]]
            for c in range(b):
                y[c] += (w0 * x0[c] + w1 * x1[c]) + (w2 * x2[c] + w3 * x3[c])
            e += 4
        while e < end:
            w0, x0 = data[e], X[indices[e]]
            for c in range(b):
                y[c] += w0 * x0[c]
            e += 1


@kernel
def sum_rows(columns, weights, sums, seen, indptr, indices, data):
    """Add up V sparse matrices of k entries per row, to a CSR matrix without zeros.

    columns, weights : (V, n, k); sums, seen : (m,), seen -1; indices and data have room
    for all entries.
    """
    V, n, k = columns.shape
    near, end = np.empty(V * k, dtype=np.int64), 0
    indptr[0] = 0
    for i in range(n):
        count = 0
        for v in range(V):
            for t in range(k):
                j = columns[v, i, t]
                if weights[v, i, t] == 0:
                    continue
                if seen[j] != i:
                    seen[j], sums[j] = i, 0.0
                    at = count
                    while at > 0 and near[at - 1] > j:
                        near[at] = near[at - 1]
                        at -= 1
                    near[at] = j
                    count += 1
                sums[j] += weights[v, i, t]
        for j in near[:count]:
            indices[end], data[end] = j, sums[j]
            end += data[end] != 0
        indptr[i + 1] = end


@kernel
def transposed(indptr, indices, data, n_columns):
    """Return the transpose of a CSR matrix; its indices are sorted."""
    starts = np.zeros(n_columns + 1, indptr.dtype)
    for e in range(indptr[-1]):
        starts[indices[e] + 1] += 1
    for c in range(n_columns):
        starts[c + 1] += starts[c]
    at, rows, values = starts.copy(), np.empty_like(indices), np.empty_like(data)
    for i in range(indptr.shape[0] - 1):
        for e in range(indptr[i], indptr[i + 1]):
            c = indices[e]
            rows[at[c]], values[at[c]] = i, data[e]
            at[c] += 1
    return starts, rows[: starts[-1]], values[: starts[-1]]


@kernel
def larger_of_both(indptr, indices, data):
    """Return max(W, W') of a square CSR matrix with sorted indices, entries >= 0."""
    n = indptr.shape[0] - 1
    other_ptr, others, values = transposed(indptr, indices, data, n)
    out_indptr = np.zeros_like(indptr)
    out_indices = np.empty(2 * indices.shape[0], indices.dtype)
    out_data, end = np.empty(2 * indices.shape[0], data.dtype), 0
    for i in range(n):
        a, b = indptr[i], other_ptr[i]
        while a < indptr[i + 1] or b < other_ptr[i + 1]:
            here = indices[a] if a < indptr[i + 1] else n
            there = others[b] if b < other_ptr[i + 1] else n
            out_indices[end] = min(here, there)
            if here == there:
                out_data[end] = max(data[a], values[b])
            else:
                out_data[end] = data[a] if here < there else values[b]
            a, b, end = a + (here <= there), b + (there <= here), end + 1
        out_indptr[i + 1] = end
    return out_indptr, out_indices[:end], out_data[:end]


@kernel
def multiply_neighbors(columns, weights, X, out):
    """Add up out = W X, W with k entries per row, by column, as of sorted CSR rows.

    columns, weights : (n, k); out : (n, q), 0.
    """
    n, k = columns.shape
    order = np.empty(k, dtype=np.int64)
    for i in range(n):
        for t in range(k):
            j, at = columns[i, t], t
            while at > 0 and columns[i, order[at - 1]] > j:
                order[at] = order[at - 1]
                at -= 1
            order[at] = t
        for t in order:
            weight, x = weights[i, t], X[columns[i, t]]
            for c in range(out.shape[1]):
                out[i, c] += weight * x[c]


@kernel
def add_by_label(X, labels, sums):
    """sums[labels[i]] += X[i], rows in order, in float64."""
    n, d = X.shape
    for i in range(n):
        c = labels[i]
        for j in range(d):
            sums[c, j] += X[i, j]


@kernel
def nearest_centers(G, half, labels, best):
    """Find the centre with the largest <x_i, c> - ||c||^2 / 2; ties go to the first.

    G (n, R, K): products of x_i with R sets of K centres; half (R, K); labels, best:
    (R, n).
    """
    n, R, K = G.shape
    for i in range(n):
        for r in range(R):
            g, h = G[i, r], half[r]
            top, where = g[0] - h[0], 0
            for k in range(1, K):
                x = g[k] - h[k]
                if x > top:
                    top, where = x, k
            labels[r, i] = where
            best[r, i] = top


@kernel
def project_segments(x, starts, out):
    """Project x[starts[s]:starts[s + 1]] on the simplex for every s."""
    active = np.empty(np.diff(starts).max(), dtype=np.int64)
    for s in range(starts.shape[0] - 1):
        low, high = starts[s], starts[s + 1]
        if low == high:
            continue
        top, t = simplex_threshold(x[low:high], active)
        for j in range(low, high):
            out[j] = max((x[j] - top) - t, 0.0)


@kernel
def shared_links(indptr, indices, data, near, out):
    """out[i, t] = sum_m S[i, m] S[m, j] for j = near[i, t], S symmetric and sorted."""
    for i in range(near.shape[0]):
        for t in range(near.shape[1]):
            a, b = indptr[i], indptr[near[i, t]]
            a_end, b_end = indptr[i + 1], indptr[near[i, t] + 1]
            total = 0.0
            while a < a_end and b < b_end:
                if indices[a] == indices[b]:
                    total += data[a] * data[b]
                    a += 1
                    b += 1
                elif indices[a] < indices[b]:
                    a += 1
                else:
                    b += 1
            out[i, t] = total


@kernel
def _find_root(root, j):
    """Return the root of j, and make it the parent of all nodes on the way."""
    top = j
    while root[top] != top:
        top = root[top]
    while root[j] != top:
        root[j], j = top, root[j]
    return top


@kernel
def join_columns(indptr, indices, data, root, first):
    """Find the components of columns that share rows (union-find); zeros are no links.

    root (M,): 0, 1, ..., receives the smallest column in the component of each column;
    first (N,): -1, receives a column of every row that has one.
    """
    for i in range(first.shape[0]):
        for e in range(indptr[i], indptr[i + 1]):
            if data[e] == 0:
                continue
            a = _find_root(root, np.int64(indices[e]))
            if first[i] < 0:
                first[i] = a
                continue
            b = _find_root(root, first[i])
            root[max(a, b)] = min(a, b)
    for j in range(root.shape[0]):
        root[j] = _find_root(root, j)
