"""MVSC, SFMC, TBGL: bipartite graphs of samples and anchors."""

from itertools import combinations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.cluster import KMeans

from reference_implementations.common import (
    EPS,
    closed_form,
    components,
    from_rows,
    gaps_at,
    kmeans,
    nearest,
    project_on_pattern,
    project_simplex,
    squared_distances,
    unit_rows,
)


def mvsc(X, p, rng):
    K, n, r = p.n_clusters, len(X[0]), p.exponent
    joined, M = np.hstack(X), min(p.n_anchors, n)
    first = joined[rng.choice(n, M, replace=False)]
    clusters = KMeans(M, init=first, n_init=1, max_iter=30, tol=0).fit(joined)
    ends = np.cumsum([x.shape[1] for x in X])[:-1]
    points = np.split(clusters.cluster_centers_, ends, axis=1)
    graphs = [
        _gaussian_anchors(x, a, p.n_neighbors) for x, a in zip(X, points, strict=True)
    ]
    alpha, before = np.full(len(X), 1 / len(X)), np.inf
    for _ in range(p.max_iter):
        Z = sum(a**r * B for a, B in zip(alpha, graphs, strict=True))
        U, _, Vt = np.linalg.svd(Z, full_matrices=False)
        U, V = unit_rows(U[:, 1 : K + 1]), unit_rows(Vt[1 : K + 1].T)
        h = np.array([np.square(B.T @ U).sum() for B in graphs])
        alpha = (r * np.maximum(h, 1e-12)) ** (1 / (1 - r))
        alpha /= alpha.sum()
        objective = alpha**r @ h
        if before - objective < 1e-6:
            break
        before = objective
    return kmeans(np.vstack([U, V]), K, rng, p.n_init)[:n]


def _gaussian_anchors(x, points, k):
    D = squared_distances(x, points)
    idx, d = nearest(D, k)
    W = np.exp(-d / (2 * D.mean() ** 2))
    Z = from_rows(idx, W / W.sum(axis=1, keepdims=True), len(points)).toarray()
    return Z / np.sqrt(np.maximum(Z.sum(axis=0), 1e-12))


def sfmc(X, p, rng):
    K, n = p.n_clusters, len(X[0])
    M = max(int(n * p.n_anchors + 1e-9), K)
    rows = _alternate_sampling(X, M)
    graphs = [_anchor_graph(x, x[rows], p.n_neighbors) for x in X]
    stack = np.stack([B.toarray().ravel() for B in graphs])
    Q = stack @ stack.T
    alpha = np.full(len(X), 1 / len(X))
    for step in range(p.max_iter + 1):
        mixed = sum(a * B for a, B in zip(alpha, graphs, strict=True)).tocsr()
        P = structured_graph(mixed, K)
        if step < p.max_iter:
            alpha = simplex_minimum(Q, stack @ P.toarray().ravel())
    return bipartite_components(P)


def _alternate_sampling(X, M):
    """Sums of features column by column: the choice hangs on their last bit."""
    joined = np.hstack([x - x.min(axis=0) for x in X])
    s = np.cumsum(joined, axis=1)[:, -1]
    s, picks = s / s.max(), []
    for _ in range(M):
        picks.append(s.argmax())
        s = s * (1 - s)
        s = s / s.max()
    return np.unique(picks)


def _anchor_graph(x, points, k):
    idx, d = nearest(squared_distances(x, points), k + 1)
    return from_rows(idx[:, :-1], closed_form(d)[0], len(points))


def simplex_minimum(Q, b):
    """Minimise a'Qa - 2 b'a on the simplex: the best of all supports."""
    best, value = None, np.inf
    for size in range(1, len(b) + 1):
        for support in map(list, combinations(range(len(b)), size)):
            system = np.ones((size + 1, size + 1))
            system[:size, :size] = Q[np.ix_(support, support)]
            system[size, size] = 0
            right = np.append(b[support], 1)
            part = np.linalg.lstsq(system, right, rcond=None)[0][:size]
            a = np.zeros(len(b))
            a[support] = part
            if (part >= 0).all() and a @ Q @ a - 2 * b @ a < value:
                best, value = a, a @ Q @ a - 2 * b @ a
    return best


def structured_graph(A, K, weight=0.1, max_iter=50):
    """The bipartite graph with K components near A, on its sparsity pattern."""
    A.sort_indices()
    by_column = sp.csr_matrix((np.arange(A.nnz), A.indices, A.indptr), A.shape).tocsc()
    order = by_column.data  # positions of the entries, column by column
    values, U, V, _, _ = _embed(A, K)
    if values[:K].sum() > K * (1 - 1e-10):
        return A
    left, right = U, 10 * V  # the constants of the first pass
    P = A.copy()
    for _ in range(max_iter):
        H = A.data - weight / 2 * gaps_at(left, right, A)
        P.data = project_on_pattern(H, A.indptr)
        P.data[order] += project_on_pattern(H[order], by_column.indptr)
        P.data /= 2
        values, U, V, d1, d2 = _embed(P, K)
        left, right = U * d1[:, None], V * d2[:, None]
        if values[:K].sum() < K - 1e-7:
            weight *= 2
        elif values.sum() > K + 1 - 1e-7:
            weight /= 2
        else:
            break
    return P


def _embed(P, K):
    """Singular vectors of D1^-1/2 P D2^-1/2 through the anchors' Gram matrix."""
    T = P.toarray()
    sums = T.sum(axis=1), T.sum(axis=0)
    d1, d2 = (np.where(d > 0, 1 / np.sqrt(np.maximum(d, 1e-300)), 0) for d in sums)
    T *= d1[:, None]
    T *= d2
    M = T.shape[1]
    values, V = scipy.linalg.eigh(T.T @ T, subset_by_index=[max(M - K - 1, 0), M - 1])
    values, V = values[::-1], V[:, ::-1][:, :K]
    U = T @ V / np.sqrt(np.maximum(values[:K], 1e-24))
    return values, U / np.sqrt(2), V / np.sqrt(2), d1, d2


def bipartite_components(P):
    P = sp.csr_matrix(P > 0)
    return components(sp.block_array([[None, P], [P.T, None]]))[: P.shape[0]]


def tbgl(X, p, rng):
    K, n = p.n_clusters, len(X[0])
    rows = _variance_sampling(X, max(int(n * p.n_anchors + 1e-9), K))
    B = np.stack([_anchor_graph(x, x[rows], p.n_neighbors).toarray() for x in X])
    V, beta, mu = len(B), 10.0, 1e-4
    E, J, O, W, Y, Y3 = (np.zeros_like(B) for _ in range(6))
    C = B
    kappa = np.full(V, 1 / V)
    P, Q, _, _ = _fuse(B, kappa, K)
    for _ in range(p.max_iter):
        pull = P @ (2 * beta / kappa[:, None, None] * Q).transpose(0, 2, 1)
        known = mu * (B - E + J + O) + W + Y - Y3 + pull
        C = np.stack([project_simplex(x / (3 * mu)) for x in known])
        O = np.stack([_exclusive(x, 2 * p.balance_weight / mu) for x in C + Y3 / mu])
        R = B - C + W / mu
        E = np.sign(R) * np.maximum(np.abs(R) - p.error_weight / mu, 0)
        J = _shrink_tensor(C - Y / mu, 1 / mu, p.p)
        P, Q, values, traces = _fuse(C, kappa, K)
        few, many = values[:K].sum() < K - 1e-7, values.sum() > K + 1 - 1e-7
        kappa = np.sqrt(np.maximum(traces, 1e-12))
        kappa /= kappa.sum()
        W, Y, Y3 = W + mu * (B - E - C), Y + mu * (J - C), Y3 + mu * (C - O)
        mu *= 1.1
        if not few and not many:
            break
        beta *= 2 if few else 0.5
    weights = 1 / kappa / (1 / kappa).sum()
    mean = sp.csr_matrix(np.tensordot(weights, C, 1))
    return bipartite_components(structured_graph(mean, K))


def _variance_sampling(X, M):
    s = np.hstack(X).var(axis=1, ddof=1)
    s, picks = s / s.max(), []
    for _ in range(M):
        picks.append(s.argmax())
        c = 1 / (1 + np.sqrt(np.abs(s[picks[-1]] - s)))
        s = s * (1 - c / c.max())
        s = s / s.max()
    return np.unique(picks)


def _fuse(C, kappa, K):
    """Embed samples and anchors by the weighted sum; traces of all Laplacians."""
    roots = np.sqrt(C.sum(axis=1) + EPS)
    Z = sum(c / (k * r) for c, k, r in zip(C, kappa, roots, strict=True))
    U, values, Vt = np.linalg.svd(Z, full_matrices=False)
    P, Q = U[:, :K] / np.sqrt(2), Vt[:K].T / np.sqrt(2) / roots[:, :, None]
    fits = [np.sum(P * (c @ q)) for c, q in zip(C, Q, strict=True)]
    return P, Q, values[: K + 1], K - 2 * np.array(fits)


def _exclusive(X, weight):
    """Prox of weight ||.||_1^2 of every column, by sorting."""
    sizes = -np.sort(-np.abs(X), axis=0)
    count = np.arange(1, len(X) + 1)[:, None]
    levels = weight / (1 + weight * count) * np.cumsum(sizes, axis=0)
    last = np.maximum((sizes >= levels).sum(axis=0) - 1, 0)
    level = np.take_along_axis(levels, last[None], axis=0)
    return np.sign(X) * np.maximum(np.abs(X) - level, 0)


def _shrink_tensor(T, tau, power):
    """FFT along the samples, singular values of every (M, V) slice shrunk."""
    slices = np.fft.rfft(T, axis=1).transpose(1, 2, 0)
    U, s, Vh = np.linalg.svd(slices, full_matrices=False)
    base = (2 * tau * (1 - power)) ** (1 / (2 - power))
    keep = s > base + tau * power * base ** (power - 1)
    t = np.where(keep, s, 1.0)
    for _ in range(10):
        t = np.where(keep, s - tau * power * t ** (power - 1), 1.0)
    slices = (U * np.where(keep, t, 0)[:, None]) @ Vh
    return np.fft.irfft(slices.transpose(2, 0, 1), n=T.shape[1], axis=1)
