"""Compiled loops over rows of fused graphs: weights are integers that sum to TOTAL.

Sums of products of integers are exact in float64 below 2^53, in any order and
with any blocks.
"""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def fuse_rows(idx, weights, shares, total, pattern, counts):
    """Add up graphs by rows and round the sums to integers.

    idx, weights : (G, n, k) of every graph; shares : (G, n), columns sum to one;
    pattern : (n, s), filled with -1, receives the anchors, ascending; counts : (n, s)
    integers that sum to total; what rounding leaves goes to the largest entry.
    """
    G, n, k = weights.shape
    anchors = np.empty(G * k, dtype=np.int64)
    values = np.empty(G * k)
    for i in range(n):
        m = 0
        for g in range(G):
            for h in range(k):
                w = shares[g, i] * weights[g, i, h]
                if w <= 0.0:
                    continue
                j, at = idx[g, i, h], 0
                while at < m and anchors[at] < j:
                    at += 1
                if at < m and anchors[at] == j:
                    values[at] += w
                    continue
                for b in range(m, at, -1):
                    anchors[b], values[b] = anchors[b - 1], values[b - 1]
                anchors[at], values[at] = j, w
                m += 1
        largest, remainder, used = 0, total, 0
        for a in range(m):
            largest = a if values[a] > values[largest] else largest
        for a in range(m):
            q = int(np.rint(values[a] * total))
            if a != largest:
                remainder -= q
                if q > 0:
                    pattern[i, used], counts[i, used] = anchors[a], q
                    used += 1
            else:
                pattern[i, used], place = anchors[a], used
                used += 1
        counts[i, place] = remainder


@kernel
def add_products(a, x, b, y, weight, out):
    """out[a_i, b_i'] += weight_i x_i y_i for the entries of every row i."""
    for i in range(a.shape[0]):
        for s in range(a.shape[1]):
            if a[i, s] < 0:
                break
            factor = weight[i] * x[i, s]
            for t in range(b.shape[1]):
                if b[i, t] < 0:
                    break
                out[a[i, s], b[i, t]] += factor * y[i, t]


@kernel
def add_squares(a, x, weight, out):
    """out[a_i, a_i'] += weight_i x_i x_i', upper part only: a is ascending."""
    for i in range(a.shape[0]):
        for s in range(a.shape[1]):
            if a[i, s] < 0:
                break
            factor = weight[i] * x[i, s]
            for t in range(s, a.shape[1]):
                if a[i, t] < 0:
                    break
                out[a[i, s], a[i, t]] += factor * x[i, t]


@kernel
def add_by_cluster(a, x, labels, weight, out):
    """out[a_i, label_i] += weight_i x_i for the entries of every row i."""
    for i in range(a.shape[0]):
        for s in range(a.shape[1]):
            if a[i, s] < 0:
                break
            out[a[i, s], labels[i]] += weight[i] * x[i, s]


@kernel
def map_rows(a, x, A, b, y, B, out):
    """out_i += x_i A + y_i B, A and B read at the entries of row i, in their order."""
    for i in range(a.shape[0]):
        for s in range(a.shape[1]):
            if a[i, s] < 0:
                break
            for k in range(out.shape[1]):
                out[i, k] += x[i, s] * A[a[i, s], k]
        for s in range(b.shape[1]):
            if b[i, s] < 0:
                break
            for k in range(out.shape[1]):
                out[i, k] += y[i, s] * B[b[i, s], k]


@kernel
def rows_of_own_cluster(a, x, keep, b, y, R, labels, start, indices, data, sizes):
    """Weights of a row on the anchors of its cluster, the others left out.

    Anchors are numbered by cluster: those of cluster c are start[c] to start[c + 1].
    keep x + y R : the smooth row; R : (L, M). indices, data : (n, s), s the size of the
    largest cluster, receive the anchors and weights that sum to one; sizes : (n,).
    """
    row = np.empty(R.shape[1])
    for i in range(a.shape[0]):
        low, high = start[labels[i]], start[labels[i] + 1]
        row[low:high] = 0.0
        for s in range(a.shape[1]):
            if a[i, s] < 0:
                break
            if low <= a[i, s] < high:
                row[a[i, s]] += keep * x[i, s]
        for s in range(b.shape[1]):
            if b[i, s] < 0:
                break
            for j in range(low, high):
                row[j] += y[i, s] * R[b[i, s], j]
        total = row[low:high].sum()
        if total <= 0.0:
            row[low] = total = 1.0
        used = 0
        for j in range(low, high):
            if row[j] > 0.0:
                indices[i, used], data[i, used] = j, row[j] / total
                used += 1
        sizes[i] = used


@kernel
def closest(P, centers, labels):
    """labels_i : the centre nearest to p_i / |p_i|; the first of several."""
    K, d = centers.shape
    half = np.empty(K)
    for c in range(K):
        half[c] = 0.5 * (centers[c] * centers[c]).sum()
    for i in range(P.shape[0]):
        norm = 0.0
        for j in range(d):
            norm += P[i, j] * P[i, j]
        norm, best = np.sqrt(norm), -np.inf
        scale = 1.0 / norm if norm > 1e-12 else 1.0
        for c in range(K):
            score = 0.0
            for j in range(d):
                score += P[i, j] * centers[c, j]
            score = score * scale - half[c]
            if score > best:
                best, labels[i] = score, c
