"""Compiled loop of average linkage."""

import numpy as np

from mvgraph.ops.kernels.common import kernel


@kernel
def average_linkage(D, size, merges, heights):
    """Merge all items by average linkage, following chains of nearest neighbours.

    D : (n, n) symmetric dissimilarities, overwritten; size : (n,) float64, number of
    samples that an item stands for, overwritten. merges : (n - 1, 2) and heights :
    (n - 1,) receive the merges in the order in which they are found, as pairs of
    items, each named by the smallest item in it. Ties go to the smaller item.
    """
    n = len(D)
    alive = np.ones(n, dtype=np.bool_)
    chain = np.empty(n, dtype=np.int64)
    length = 0
    for step in range(n - 1):
        if length == 0:
            first = 0
            while not alive[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            i = chain[length - 1]
            before = chain[length - 2] if length > 1 else -1
            best, low = before, D[i, before] if before >= 0 else np.inf
            for j in range(n):
                if alive[j] and j != i and D[i, j] < low:
                    best, low = j, D[i, j]
            if best == before and before >= 0:
                break
            chain[length] = best
            length += 1
        length -= 2
        i, j = min(i, best), max(i, best)
        merges[step, 0], merges[step, 1], heights[step] = i, j, low
        share = size[j] / (size[i] + size[j])
        alive[j] = False
        size[i] += size[j]
        for h in range(n):
            if alive[h] and h != i:
                # never beyond the two, whatever the rounding: else a chain could turn
                # back into itself
                a, b = D[i, h], D[j, h]
                mean = min(max(a + share * (b - a), min(a, b)), max(a, b))
                D[i, h] = mean
                D[h, i] = mean
