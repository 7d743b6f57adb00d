"""Slow, obvious twins of fast routines: loops only, nothing shared with the package."""

from itertools import combinations, permutations
from math import log

import numpy as np


def pair_counts(labels_true, labels_pred):
    """tp, fp, fn, tn over all pairs of samples."""
    tp = fp = fn = tn = 0
    for i, j in combinations(range(len(labels_true)), 2):
        same_class = labels_true[i] == labels_true[j]
        same_cluster = labels_pred[i] == labels_pred[j]
        if same_class and same_cluster:
            tp += 1
        elif same_cluster:
            fp += 1
        elif same_class:
            fn += 1
        else:
            tn += 1
    return tp, fp, fn, tn


def accuracy(labels_true, labels_pred, balanced=False):
    """Best agreement over all one-to-one matchings, tried one by one."""
    classes = sorted(set(labels_true))
    clusters = sorted(set(labels_pred))
    while len(classes) < len(clusters):
        classes.append(object())  # a class that nobody belongs to
    best = 0
    for chosen in permutations(classes, len(clusters)):
        match = dict(zip(clusters, chosen, strict=True))
        pairs = list(zip(labels_true, labels_pred, strict=True))
        weight = {y: 1 / labels_true.count(y) if balanced else 1 for y in labels_true}
        best = max(best, sum(weight[y] for y, c in pairs if match[c] == y))
    return best / (len(set(labels_true)) if balanced else len(labels_true))


def purity(labels_true, labels_pred):
    """Share of samples that belong to the majority class of their cluster."""
    hits = 0
    for cluster in set(labels_pred):
        inside = [
            y for y, c in zip(labels_true, labels_pred, strict=True) if c == cluster
        ]
        hits += max(inside.count(y) for y in set(inside))
    return hits / len(labels_true)


def mutual_information(labels_true, labels_pred):
    """I(y; c), H(y), H(c) in nats, by their definitions."""
    n = len(labels_true)
    pairs = list(zip(labels_true, labels_pred, strict=True))
    shared = 0.0
    for y, c in set(pairs):
        joint = pairs.count((y, c)) / n
        chance = labels_true.count(y) / n * labels_pred.count(c) / n
        shared += joint * log(joint / chance)

    def entropy(labels):
        shares = [labels.count(v) / n for v in set(labels)]
        return -sum(share * log(share) for share in shares)

    return shared, entropy(labels_true), entropy(labels_pred)


def project_simplex(x):
    """Project one vector on the simplex by trying every size of the support."""
    best, best_gap = None, np.inf
    order = np.argsort(-x, kind="stable")
    for size in range(1, len(x) + 1):
        support = order[:size]
        z = np.zeros(len(x))
        z[support] = x[support] - (x[support].sum() - 1) / size
        gap = ((z - x) ** 2).sum()
        if (z >= -1e-15).all() and gap < best_gap:
            best, best_gap = z, gap
    return best


def squared_distances(A, B):
    """Sum squared differences, entry by entry."""
    out = np.zeros((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            out[i, j] = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    return out


def nearest(row, k):
    """Return indices of the k smallest entries, ties by index."""
    return sorted(range(len(row)), key=lambda j: (row[j], j))[:k]


def anchor_weights(row, k):
    """Weigh the k nearest anchors of one sample in closed form."""
    order = nearest(row, k + 1)
    d = [row[j] for j in order]
    total = sum(d[k] - x for x in d[:k])
    z = np.zeros(len(row))
    for j, x in zip(order[:k], d, strict=False):
        z[j] = (d[k] - x) / total if total > 1e-14 * d[k] else 1 / k
    return z


def shrink_tensor(X, tau, p, axis, transform, scale):
    """Shrink slices of a transformed (V, N, M) tensor through full SVDs."""
    from mvgraph.ops.proximal.threshold import shrink_power

    A = np.moveaxis(transform(X), axis, 0)
    out = np.empty_like(A)
    for f, matrix in enumerate(A):
        U, s, Vh = np.linalg.svd(matrix, full_matrices=False)
        out[f] = (U * shrink_power(s, tau * scale, p)) @ Vh
    return np.moveaxis(out, 0, axis)


def components(Z):
    """Flood-fill a bipartite graph; return one label a sample."""
    labels = np.full(len(Z), -1)
    count = 0
    for seed in range(len(Z)):
        if labels[seed] >= 0:
            continue
        stack = [seed]
        while stack:
            i = stack.pop()
            if labels[i] >= 0:
                continue
            labels[i] = count
            for j in np.flatnonzero(Z[i] > 0):
                stack += [k for k in np.flatnonzero(Z[:, j] > 0) if labels[k] < 0]
        count += 1
    return labels


def neighbor_graph(X, k):
    """Links to the k nearest others, one sample at a time."""
    n = len(X)
    k = min(k, n - 2)
    W = [[0.0] * n for _ in range(n)]
    for i in range(n):
        d = [
            sum((a - b) ** 2 for a, b in zip(X[i], X[j], strict=True)) for j in range(n)
        ]
        others = sorted((d[j], j) for j in range(n) if j != i)[: k + 1]
        total = sum(others[k][0] - value for value, _ in others[:k])
        for value, j in others[:k]:
            W[i][j] = (others[k][0] - value) / total if total else 1 / k
    return W


def nearest_rows(A, F, weight, scale, support):
    """Rows (a - weight / 2 d) / scale projected on the simplex, one at a time."""
    S = [[0.0] * len(A) for _ in A]
    for i, a in enumerate(A):
        where = [j for j in range(len(A)) if a[j] > 0 or not support]
        d = [sum((x - y) ** 2 for x, y in zip(F[i], F[j], strict=True)) for j in where]
        row = [(a[j] - weight / 2 * e) / scale for j, e in zip(where, d, strict=True)]
        for j, s in zip(where, project_simplex(np.array(row)), strict=True):
            S[i][j] = s
    return S


def accelerated_simplex_qp(Q, s, max_iter=500):
    """Minimise a'Qa - s'a on the simplex as published with SFMC: it stops early."""

    def value(a):
        return a @ Q @ a - a @ s

    a = before = np.full(len(s), 1 / len(s))
    momentum, momentum_before, step = 1.0, 0.0, 0.5
    for _ in range(max_iter):
        ahead = a + (momentum_before - 1) / momentum * (a - before)
        before = a
        for _ in range(20):
            a = project_simplex(ahead - step * (2 * Q @ ahead - s))
            if value(a) <= value(before):
                break
            step /= 2
        else:
            return before
        momentum_before, momentum = momentum, (1 + np.sqrt(1 + 4 * momentum**2)) / 2
    return a


def structured_step(A, U, V, weight):
    """Rows and columns of A - weight / 2 d projected on the support, averaged."""
    P = np.zeros_like(A)
    H = np.zeros_like(A)
    for i, j in zip(*np.nonzero(A), strict=True):
        H[i, j] = A[i, j] - weight / 2 * sum((U[i] - V[j]) ** 2)
    for i in range(A.shape[0]):
        where = np.flatnonzero(A[i])
        P[i, where] += np.asarray(project_simplex(H[i, where])) / 2
    for j in range(A.shape[1]):
        where = np.flatnonzero(A[:, j])
        P[where, j] += np.asarray(project_simplex(H[where, j])) / 2
    return P


def gaussian_kernel(X):
    """exp(-d^2 / (2 sigma^2)), sigma the median of all n^2 distances; and sigma."""
    n = len(X)
    d = [[np.sqrt(sum((X[i] - X[j]) ** 2)) for j in range(n)] for i in range(n)]
    flat = sorted(value for row in d for value in row)
    sigma = (flat[(n * n - 1) // 2] + flat[n * n // 2]) / 2
    K = [[np.exp(-(value**2) / (2 * sigma**2)) for value in row] for row in d]
    return np.array(K), sigma


def joined_neighbor_graph(views, k):
    """(A + A') / 2 with a_ij = 1 for the k nearest others j of i, all features."""
    X = np.hstack(views)
    n = len(X)
    A = np.zeros((n, n))
    for i in range(n):
        others = sorted((sum((X[i] - X[j]) ** 2), j) for j in range(n) if j != i)
        for _, j in others[:k]:
            A[i, j] = 1
    return (A + A.T) / 2


def csmsc(views, common_weight, specific_weight, steps):
    """Published steps of CSMSC on N x N matrices: C, all D, and the similarity."""
    X = [(x / np.linalg.norm(x, axis=1, keepdims=True)).T for x in views]
    n, eye = X[0].shape[1], np.eye(X[0].shape[1])
    C = Y2 = np.zeros((n, n))
    D = [C] * len(X)
    E, W, Y1, Y3 = ([np.zeros_like(x) for x in X] for _ in range(4))
    mu = 1e-6
    for _ in range(steps):
        for v, x in enumerate(X):
            right = mu * x.T @ (x + Y1[v] / mu - x @ C - E[v])
            D[v] = np.linalg.solve(mu * x.T @ x + 2 * specific_weight * eye, right)
            E[v] = (x + Y1[v] / mu - x @ (C + D[v]) + W[v] - Y3[v] / mu) / 2
            W[v] = np.zeros_like(x)
            for j in range(n):
                column = E[v][:, j] + Y3[v][:, j] / mu
                length = np.linalg.norm(column)
                if length > 1 / mu:
                    W[v][:, j] = column * (1 - 1 / (mu * length))
        U, s, Vt = np.linalg.svd(C + Y2 / mu)
        K = U @ np.diag([max(t - common_weight / mu, 0) for t in s]) @ Vt
        right = K - Y2 / mu
        for v, x in enumerate(X):
            right = right + x.T @ (x + Y1[v] / mu - x @ D[v] - E[v])
        C = np.linalg.solve(sum(x.T @ x for x in X) + eye, right)
        for v, x in enumerate(X):
            Y1[v] = Y1[v] + mu * (x - x @ (C + D[v]) - E[v])
            Y3[v] = Y3[v] + mu * (E[v] - W[v])
        Y2 = Y2 + mu * (C - K)
        mu *= 1.1
    Z = (abs(C) + abs(C).T) / 2
    return C, D, Z + sum(abs(d) + abs(d).T for d in D) / (2 * len(D))


def shrink_exclusive(x, weight):
    """Prox of weight ||o||_1^2 for one column, by the search over sorted sizes."""
    sizes = sorted(np.abs(x), reverse=True)
    threshold = 0.0
    for count in range(1, len(x) + 1):
        level = weight / (1 + weight * count) * sum(sizes[:count])
        if sizes[count - 1] >= level:
            threshold = level
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


def set_partitions(n):
    """All ways to label n items, each numbered by first occurrence."""
    if n == 0:
        return [[]]
    shorter = set_partitions(n - 1)
    return [[*p, c] for p in shorter for c in range(max(p, default=-1) + 2)]
