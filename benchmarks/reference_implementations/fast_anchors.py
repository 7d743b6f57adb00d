"""LMVSC, FPMVS-CAG, UDBGL: few anchors, and weights of samples on the simplex."""

import numpy as np
import scipy.sparse as sp

from reference_implementations.anchors import (
    bipartite_components,
    simplex_minimum,
    structured_graph,
)
from reference_implementations.common import (
    fit_kmeans,
    from_rows,
    kmeans,
    nearest,
    polar,
    project_simplex,
    squared_distances,
    unit_rows,
)


def simplex_programmes(G, L, Z=None, max_iter=3000):
    """Minimise z'Gz - 2 l'z on the simplex for every row l of L, all rows at once.

    Accelerated projected gradient, restarted where it turns back.
    """
    step = 1 / np.linalg.eigvalsh(G)[-1]
    Z = np.full(L.shape, 1 / L.shape[1]) if Z is None else Z
    Y, t = Z, 1.0
    for _ in range(max_iter):
        new = project_simplex(Y - step * (Y @ G - L))
        move = new - Z
        t = 1.0 if np.sum((Y - new) * move) > 0 else t
        following = (1 + np.sqrt(1 + 4 * t**2)) / 2
        Y, Z, t = new + (t - 1) / following * move, new, following
        if np.abs(move).max() < 1e-7:
            break
    return Z


def lmvsc(X, p, rng):
    """As the library: scaled views, K anchors, programmes solved to the end."""
    K = p.n_clusters
    parts = []
    for x in X:
        clusters = fit_kmeans(x, p.n_anchors or K, rng, p.n_init, "random", 100)
        H = clusters.cluster_centers_
        parts.append(simplex_programmes(H @ H.T + p.alpha * np.eye(len(H)), x @ H.T))
    Z = np.hstack(parts) / np.sqrt(len(X))
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    U = U[:, :K][:, s[:K] > 1e-5 * s[0]]
    return kmeans(U, K, rng, p.n_init, "random")


def fpmvs_cag(X, p, rng):
    """The anchors start at random rows, or at the first rows and columns (p.start).

    As the library: random rows start with A = I, so that the first subspaces are those
    that fit them best; the Z-step ignores the weights in its numerator, as published;
    several starts of k-means.
    """
    K, V, n = p.n_clusters, len(X), len(X[0])
    X = [_feature_scores(x) for x in X]
    first = p.start == "first"
    rows = np.arange(K) if first else rng.choice(n, K, replace=False)
    A = np.zeros((K, K)) if first else np.eye(K)
    Z = np.zeros((n, K))  # transposed
    Z[rows, np.arange(K)] = 1
    alpha, before = np.full(V, 1 / V), np.inf
    for sweep in range(p.max_iter):
        C = [x.T @ Z for x in X]
        W = [polar(c @ A.T) if A.any() else np.eye(len(c), K) for c in C]
        A = polar(sum(a**2 * w.T @ c for a, w, c in zip(alpha, W, C, strict=True)))
        fit = sum(x @ w @ A for x, w in zip(X, W, strict=True))
        Z = project_simplex(fit / np.square(alpha).sum())
        gaps = [x - Z @ (w @ A).T for x, w in zip(X, W, strict=True)]
        r = np.array([np.square(gap).sum() for gap in gaps])
        alpha = 1 / r / (1 / r).sum()
        objective = np.square(alpha) @ r
        change = abs(before - objective) / objective
        if sweep >= 9 and (change < p.tol or objective < 1e-10):
            break
        before = objective
    U = np.linalg.svd(Z, full_matrices=False)[0]
    return kmeans(unit_rows(U), K, rng, p.n_init)


def _feature_scores(x):
    x = x - x.mean(axis=0)
    deviation = x.std(axis=0, ddof=1)
    return x / np.where(deviation > 1e-12, deviation, 1)


def udbgl(X, p, rng):
    """As the library: constant features become 0; unused anchors are left out of P.

    The search for K components ends at its first success (stop="success").
    """
    K, V = p.n_clusters, len(X)
    X = [_to_unit_range(x) for x in X]
    ends = np.cumsum([x.shape[1] for x in X])[:-1]
    clusters = fit_kmeans(np.hstack(X)[:10_000], K, rng, p.n_init, "random", 20)
    A = np.split(clusters.cluster_centers_, ends, axis=1)
    Z = np.stack([_gaussian_weights(x, a) for x, a in zip(X, A, strict=True)])
    delta, before = np.full(V, 1 / V), np.inf
    for _ in range(p.max_iter):
        P = _joint_graph(np.tensordot(delta, Z, 1), K).toarray()
        mean, new = np.tensordot(delta, Z, 1), []
        for x, a, z, d in zip(X, A, Z, delta, strict=True):
            G = a @ a.T + (p.ridge + p.coupling * d**2) * np.eye(K)
            L = x @ a.T - p.coupling * d * (mean - d * z - P)
            new.append(simplex_programmes(G, L, z))
        Z, old = np.stack(new), delta
        stack = Z.reshape(V, -1)
        delta = simplex_minimum(stack @ stack.T, stack @ P.ravel())
        objective = p.coupling * np.square(np.tensordot(delta, Z, 1) - P).sum()
        for x, a, z in zip(X, A, Z, strict=True):
            objective += np.square(x - z @ a).sum() + p.ridge * np.square(z).sum()
        if abs(before - objective) < 1e-5 or np.linalg.norm(delta - old) < 1e-5:
            break
        before = objective
    return bipartite_components(_joint_graph(np.tensordot(delta, Z, 1), K))


def _to_unit_range(x):
    low, span = x.min(axis=0), np.ptp(x, axis=0)
    return (x - low) / np.where(span > 0, span, 1)


def _gaussian_weights(x, points):
    D = squared_distances(x, points)
    idx, d = nearest(D, min(5, len(points)))
    W = np.exp(-d / (2 * D.mean() ** 2))
    W = W / W.sum(axis=1, keepdims=True)
    return from_rows(idx, W, len(points)).toarray()


def _joint_graph(mean, K):
    used = np.flatnonzero(mean.sum(axis=0) > 0)
    P = structured_graph(sp.csr_matrix(mean[:, used]), min(K, len(used)))
    graph = (P.data, used[P.indices], P.indptr)
    return sp.csr_matrix(graph, mean.shape)
