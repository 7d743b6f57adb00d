"""Compiled loops of MGL on supports: a few anchors a row, -1 where there are fewer."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


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
