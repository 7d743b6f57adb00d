"""SNF and WNN: the graphs of all views, fused."""

import numpy as np
import scipy.sparse as sp

from reference_implementations.common import (
    EPS,
    from_rows,
    kmeans,
    leading,
    nearest,
    normalised,
    squared_distances,
    unit_rows,
)
from reference_implementations.concat import leiden


def snf(X, p, rng):
    """As the library: Euclidean distances, the views scaled by p.scaling.

    The links are kept sparse, which is much faster than dense products.
    """
    V, n = len(X), len(X[0])
    P = [_density(x, min(p.n_neighbors, n - 1), p.mu) for x in X]
    S = [_strongest(x, min(p.n_neighbors, n)) for x in P]
    for _ in range(p.max_iter):
        total = sum(P)
        fed = [(total - x) / (V - 1) if V > 1 else x for x in P]
        P = [s @ (s @ x).T + np.eye(n) for s, x in zip(S, fed, strict=True)]
        P = [(x + x.T) / 2 for x in P]
    W = sum(P) / V
    W = W / W.sum(axis=1, keepdims=True)
    W = (W + W.T + np.eye(n)) / 2
    F = leading(normalised(W), p.n_clusters, rng) / np.sqrt(W.sum(axis=1))[:, None]
    return kmeans(F, p.n_clusters, rng, p.n_init)


def _density(x, k, mu):
    rho = np.sqrt(np.maximum(squared_distances(x, x), 0))
    np.fill_diagonal(rho, np.inf)
    near = np.partition(rho, k - 1, axis=1)[:, :k].mean(axis=1) + EPS
    np.fill_diagonal(rho, 0)
    sigma = (near[:, None] + near + rho) / 3 + EPS
    W = np.exp(-np.square(rho / (mu * sigma)) / 2) / (np.sqrt(2 * np.pi) * mu * sigma)
    P = W / W.sum(axis=1, keepdims=True)
    return (P + P.T) / 2


def _strongest(P, k):
    idx, lowest = nearest(-P, k)
    return from_rows(idx, lowest / lowest.sum(axis=1, keepdims=True), len(P))


def wnn_leiden(X, p, rng):
    """All pairs in every view: exact neighbours. Leiden is that of mvgraph.

    As the library: principal components of scaled views, rows of length 1 beyond two
    of them; links that pruning would take from a sample altogether stay.
    """
    V, n = len(X), len(X[0])
    k = min(p.n_neighbors, n - 1)
    reach = min(max(p.n_candidates - 1, k), n - 1)
    E = [_components(x, p.n_components) for x in X]
    D = [_distances(e) for e in E]
    order = [nearest(d, reach)[0] for d in D]
    delta = [np.take_along_axis(d, o[:, :1], 1) for d, o in zip(D, order, strict=True)]
    lists = [_lists(o[:, : k - 1], own=True) for o in order]
    sigma = [
        np.maximum(_far(d, a, k) - low, 1e-12)
        for d, a, low in zip(D, lists, delta, strict=True)
    ]
    means = [_lists(o[:, : k - 1]) / (k - 1) for o in order]
    theta = np.empty((V, V, n))
    for v in range(V):
        for u in range(V):
            gap = np.linalg.norm(E[v] - means[u] @ E[v], axis=1)[:, None]
            theta[v, u] = np.exp(-np.maximum(gap - delta[v], 0) / sigma[v])[:, 0]
    own = theta[np.arange(V), np.arange(V)].copy()
    theta[np.arange(V), np.arange(V)] = 0
    score = np.minimum(own / (theta.max(axis=1) + 1e-4), 200)
    w = np.exp(score - score.max(axis=0))
    w = (w / w.sum(axis=0))[:, :, None]
    total = np.zeros((n, n))
    for v in range(V):
        np.fill_diagonal(D[v], 0)
        total += w[v] * np.exp(-np.maximum(D[v] - delta[v], 0) / sigma[v])
    candidate = sum(_lists(o) for o in order).toarray() > 0
    joint = nearest(np.where(candidate, -total, np.inf), k)[0]
    W = _shared_neighbours(joint, p.prune)
    return leiden(W, p.n_clusters, int(rng.integers(2**31)))


def _components(x, r):
    x = x - x.mean(axis=0)
    U, s, _ = np.linalg.svd(x, full_matrices=False)
    E = U[:, :r] * s[:r]
    return unit_rows(E) if E.shape[1] > 2 else E


def _distances(E):
    D = np.sqrt(np.maximum(squared_distances(E, E), 0))
    np.fill_diagonal(D, np.inf)
    return D


def _lists(idx, own=False):
    n = len(idx)
    if own:
        idx = np.hstack([np.arange(n)[:, None], idx])
    return from_rows(idx, np.ones(idx.shape), n)


def _far(D, lists, k):
    """Mean distance of the k farthest among those that share least, but something."""
    shared = (lists @ lists.T).toarray()
    np.fill_diagonal(shared, 0)
    shared[shared == 0] = np.inf
    last = np.partition(shared, k - 1, axis=1)[:, k - 1 : k]
    kept = np.isfinite(shared) & (shared <= last)
    far = -np.sort(-np.where(kept, D, 0), axis=1)[:, :k]
    return far.sum(axis=1, keepdims=True) / np.clip(kept.sum(1, keepdims=True), 1, k)


def _shared_neighbours(idx, prune):
    """Jaccard indices of the lists of joint neighbours."""
    lists = _lists(idx)
    W = (lists @ lists.T).toarray()
    np.fill_diagonal(W, 0)
    W /= 2 * idx.shape[1] - W
    strong = prune <= W
    lone = ~(strong & (W > 0)).any(axis=1)
    return sp.csr_matrix(np.where(strong | lone[:, None] | lone, W, 0))
