"""Compiled loops over the rows of draws, and over the cuts of their trees."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def likeness(a, b, p, q, rows, of_a, of_b):
    """of_a[i, c] = the largest Jaccard index of cluster c of cut a[i] with one of b[i].

    of_b: the same for those of b. a (cuts, A), b (cuts, B): clusters of the leaves of
    two trees; p, q, rows: leaves of either, and how many rows are in both; of_a
    (cuts, A), of_b (cuts, B): 0.
    """
    A, B = a.shape[1], b.shape[1]
    shared, left, right = np.zeros((A, B)), np.zeros(A), np.zeros(B)
    for i in range(a.shape[0]):
        for e in range(p.shape[0]):
            c, d = a[i, p[e]], b[i, q[e]]
            shared[c, d] += rows[e]
            left[c] += rows[e]
            right[d] += rows[e]
        for e in range(p.shape[0]):
            c, d = a[i, p[e]], b[i, q[e]]
            J = shared[c, d] / (left[c] + right[d] - shared[c, d])
            of_a[i, c] = max(of_a[i, c], J)
            of_b[i, d] = max(of_b[i, d], J)
        for e in range(p.shape[0]):
            shared[a[i, p[e]], b[i, q[e]]] = 0.0
        left[:] = 0.0
        right[:] = 0.0


@kernel
def among(indices, distances, rows, place, near, far):
    """Keep the nearest of every row that are among the rows, as places among these.

    place (n,): that of a row, -1 for others; near, far (len(rows), k) receive the
    places and the distances. A row that has fewer is linked to itself instead, as far
    as to its last; as to its first of all, if none is there.
    """
    k = near.shape[1]
    for i in range(rows.shape[0]):
        count, row = 0, rows[i]
        last = distances[row, 0]
        for t in range(indices.shape[1]):
            j = place[indices[row, t]]
            if j >= 0 and count < k:
                last = distances[row, t]
                near[i, count], far[i, count] = j, last
                count += 1
        near[i, count:], far[i, count:] = i, last
