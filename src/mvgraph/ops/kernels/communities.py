"""Kernels of communities and of linkage."""

import numpy as np

from mvgraph.ops.kernels.common import kernel, transposed


@kernel
def move_nodes(indptr, indices, weights, degree, scale, order, community):
    """Move nodes to the neighbouring community of largest gain until none improves.

    The gain of node i in community c is sum of weights from i to c minus
    scale degree_i (sum of degrees in c), scale = resolution / total weight. Nodes are
    visited in the given order; later, those whose neighbours moved are visited again
    (queue). A node that no community gains from becomes one of its own.
    community : (n,) labels below n, changed in place.
    """
    n = len(degree)
    total, size = np.zeros(n), np.zeros(n, dtype=np.int64)
    for i in range(n):
        total[community[i]] += degree[i]
        size[community[i]] += 1
    queue, queued = order.copy(), np.ones(n, dtype=np.bool_)
    link = np.zeros(n)
    near = np.empty(n, dtype=np.int64)
    head, tail, waiting = 0, 0, n
    while waiting > 0:
        i = queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        queued[i] = False
        current, pull, count = community[i], scale * degree[i], 0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j != i:
                c = community[j]
                near[count] = c  # stays if it is new; no branch, half of them are
                count += link[c] == 0.0
                link[c] += weights[e]
        total[current] -= degree[i]
        best, top = current, link[current] - pull * total[current]
        for h in range(count):
            c = near[h]
            gain = link[c] - pull * total[c]
            link[c] = 0.0
            # ties stay; equal gains go to the smaller number, in any order
            if gain > top + 1e-12 * abs(top) + 1e-15:
                best, top = c, gain
        if top < -1e-12 * degree[i] and size[current] > 1:
            best = 0
            while size[best] > 0:
                best += 1
        total[best] += degree[i]
        size[current] -= 1
        size[best] += 1
        if best != current:
            community[i] = best
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                if not queued[j] and community[j] != best:
                    queued[j] = True
                    queue[tail] = j
                    tail = tail + 1 if tail + 1 < n else 0
                    waiting += 1


@kernel
def refine(indptr, indices, weights, degree, scale, order, community, part):
    """Split communities into well-connected parts, by merging single nodes.

    Starts from single nodes; a node that is still alone, and well connected to the rest
    of its community, joins the part of its community with the largest gain, if that is
    positive and the part is well connected too. part : (n,), filled with labels below
    n.
    """
    n = len(degree)
    whole, total, outside = np.zeros(n), degree.copy(), np.zeros(n)
    for i in range(n):
        whole[community[i]] += degree[i]
        part[i] = i
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j != i and community[j] == community[i]:
                outside[i] += weights[e]  # from the part to the rest of its community
    size = np.ones(n, dtype=np.int64)
    link = np.zeros(n)
    near = np.empty(n, dtype=np.int64)
    for i in order:
        c = community[i]
        if size[part[i]] > 1 or part[i] != i:
            continue
        if outside[i] < scale * degree[i] * (whole[c] - degree[i]):
            continue
        count = 0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j != i and community[j] == c:
                p = part[j]
                if link[p] == 0.0:
                    near[count] = p
                    count += 1
                link[p] += weights[e]
        best, top = i, 0.0
        for h in range(count):
            p = near[h]
            gain = link[p] - scale * degree[i] * total[p]
            good = outside[p] >= scale * total[p] * (whole[c] - total[p])
            if good and gain > top + 1e-12 * abs(top) + 1e-15:
                best, top = p, gain
        if best != i:
            outside[best] += outside[i] - 2 * link[best]
            total[best] += degree[i]
            size[best] += 1
            size[i] = 0
            part[i] = best
        for h in range(count):
            link[near[h]] = 0.0


@kernel
def average_linkage(D, size, merges, heights):
    """Merge all items by average linkage, following chains of nearest neighbours.

    D : (n, n) symmetric dissimilarities, overwritten; size : (n,) float64, number of
    samples in an item, overwritten. merges : (n - 1, 2) and heights :
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
            previous = chain[length - 2] if length > 1 else -1
            best, low = previous, D[i, previous] if previous >= 0 else np.inf
            for j in range(n):
                if alive[j] and j != i and D[i, j] < low:
                    best, low = j, D[i, j]
            if best == previous and previous >= 0:
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
                # not beyond the two by rounding: a chain could turn back into itself
                a, b = D[i, h], D[j, h]
                mean = min(max(a + share * (b - a), min(a, b)), max(a, b))
                D[i, h] = mean
                D[h, i] = mean


@kernel
def sum_links(indptr, indices, data, labels, row, S):
    """S[a, b] = sum_ij [labels[i] = a] [labels[j] = b] W[i, j] of a CSC matrix W.

    row (C,): 0, and 0 afterwards. The links of every column are added up first.
    """
    for j in range(labels.shape[0]):
        for e in range(indptr[j], indptr[j + 1]):
            row[labels[indices[e]]] += data[e]
        for e in range(indptr[j], indptr[j + 1]):
            a = labels[indices[e]]
            S[a, labels[j]] += row[a]
            row[a] = 0.0


@kernel
def sum_inside(indptr, indices, data, labels, total):
    """total[b] += the links of a CSR matrix between nodes of the same labels[:, b].

    labels : (n, B), all partitions in one pass over the links.
    """
    for i in range(labels.shape[0]):
        own = labels[i]
        for e in range(indptr[i], indptr[i + 1]):
            other, weight = labels[indices[e]], data[e]
            for b in range(total.shape[0]):
                total[b] += weight if other[b] == own[b] else 0.0


@kernel
def join_nodes(indptr, indices, data, labels, C):
    """Return the links of a CSR matrix between C groups of nodes, summed, as CSR.

    As `sum_links`, to the bit, where most pairs of groups have no link.
    """
    n = labels.shape[0]
    indptr, indices, data = transposed(indptr, indices, data, n)
    each = np.arange(n + 1).astype(indptr.dtype)
    starts, members, _ = transposed(each, labels, labels, C)
    out_indices, out_data = np.empty_like(indices), np.empty_like(data)
    out_indptr = np.zeros(C + 1, indptr.dtype)
    row, total = np.zeros(C), np.zeros(C)
    seen, own = np.full(C, -1), np.empty(n, dtype=np.int64)
    start = 0
    for c in range(C):
        end = start
        for j in members[starts[c] : starts[c + 1]]:
            count = 0
            for e in range(indptr[j], indptr[j + 1]):
                a = labels[indices[e]]
                own[count] = a  # stays if it is new
                count += row[a] == 0.0
                row[a] += data[e]
            for a in own[:count]:
                if seen[a] != c:
                    seen[a] = c
                    out_indices[end] = a
                    end += 1
                total[a] += row[a]
                row[a] = 0.0
        for e in range(start, end):
            out_data[e] = total[out_indices[e]]
            total[out_indices[e]] = 0.0
        out_indptr[c + 1] = start = end
    return transposed(out_indptr, out_indices, out_data, C)


@kernel
def largest_share(indptr, indices, data, shares, members, starts, labels, out):
    """out[i] = the member of the group of row i whose column of Z shares is largest.

    Z: CSR matrix; shares: its columns by group, those of members; group c has those
    from starts[c] to starts[c + 1]. Ties go to the first; rows of a group without
    members stay.
    """
    total = np.empty(shares.shape[1])
    for i in range(labels.shape[0]):
        a, b = starts[labels[i]], starts[labels[i] + 1]
        own = total[: b - a]
        own[:] = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            weight, share = data[e], shares[indices[e], a:b]
            for h in range(own.shape[0]):
                own[h] += weight * share[h]
        top = -1.0
        for h in range(own.shape[0]):
            if own[h] > top:
                top, out[i] = own[h], members[a + h]


@kernel
def merge_densest(S, d, group, mean, children, distances):
    """Merge the two communities of densest connection, again and again.

    The density of a and b is S[a, b] / (d[a] d[b]); those of one group are merged
    first. Ties go to the smaller numbers. S, d : (C, C), (C,), overwritten; children :
    (C - 1, 2), distances : (C - 1,) of the merges, as in `ops.merges`.
    """
    C = len(d)
    density, best = np.full((C, C), -1.0), np.full(C, -1.0)
    name, alive = np.arange(C), np.ones(C, dtype=np.bool_)
    inside = C - len(np.unique(group))
    for step in range(C - 1):
        if step == inside:  # a community per group is left: these are merged now
            group = np.zeros_like(group)
        if step == inside or step == 0:
            for a in range(C):
                for b in range(C):
                    if a != b and alive[a] and alive[b] and group[a] == group[b]:
                        density[a, b] = S[a, b] / (d[a] * d[b])
                best[a] = density[a].max()
        i = best.argmax()
        j = density[i].argmax()
        i, j = min(i, j), max(i, j)
        top = density[i, j]
        ratio = mean / top if top > 0 else np.inf
        children[step, 0] = min(name[i], name[j])
        children[step, 1] = max(name[i], name[j])
        distances[step] = max(ratio, distances[step - 1]) if step else max(ratio, 0.0)
        for b in range(C):
            S[i, b] += S[j, b]
        for a in range(C):
            S[a, i] += S[a, j]
        d[i] += d[j]
        name[i], alive[j] = C + step, False
        for a in range(C):
            stale = best[a] >= 0 and max(density[a, i], density[a, j]) >= best[a]
            density[a, j] = density[j, a] = -1.0
            if a != i and alive[a] and group[a] == group[i]:
                density[a, i] = density[i, a] = S[i, a] / (d[i] * d[a])
            if stale and alive[a]:
                best[a] = density[a].max()
            best[a] = max(best[a], density[a, i]) if a != j else -1.0
        best[i] = density[i].max()
