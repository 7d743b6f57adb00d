"""Sparsity patterns of rows: a few anchors per row, -1 where there are fewer."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def merge_patterns(idx, Z, pattern, z):
    """Merge the nearest anchors of all views into one ascending pattern per row.

    idx, Z : (V, n, k) anchors and weights; pattern : (n, s), filled with -1, receives
    the anchors; z : (n, V, s), zeros, receives the weights.
    """
    V, n, k = Z.shape
    for i in range(n):
        every = np.sort(idx[:, i].copy().reshape(-1))
        count, last = 0, -1
        for j in every:
            if j != last:
                pattern[i, count] = last = j
                count += 1
        for v in range(V):
            at = np.searchsorted(pattern[i, :count], idx[v, i])
            for h in range(k):
                z[i, v, at[h]] += Z[v, i, h]


@kernel
def gather_distances(D, v, pattern, d):
    """d[i, v, a] = D[i, pattern[i, a]]; 0 beyond the pattern."""
    n, s = pattern.shape
    for i in range(n):
        for a in range(s):
            j = pattern[i, a]
            d[i, v, a] = D[i, j] if j >= 0 else 0.0
