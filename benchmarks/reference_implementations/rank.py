"""CLR, SwMC, MVGL, MLAN, GMC: one graph with exactly K components.

The public codes call a dense eigensolver in every step. Here graphs are sparse and
eigenvectors come from ARPACK with shift and invert, which is some ten times faster at
2000 samples. It finds the K copies of eigenvalue 0 on the files tried; nothing makes
sure of it.
"""

import numpy as np
import scipy.sparse as sp

from reference_implementations.common import (
    EPS,
    bottom,
    closed_form,
    components,
    from_rows,
    gaps_at,
    nearest,
    pkn,
    project_on_pattern,
    project_simplex,
    squared_distances,
    symmetric,
)


def steer(solve, F, K, weight, max_iter, z=1e-10, mirrored=False):
    """Solve for the graph and double or halve lambda until it has K components."""
    up = 0.5 if mirrored else 2.0
    S = None
    for _ in range(max_iter):
        S = solve(F, weight)
        values, vectors = bottom((S + S.T) / 2, K)
        if values[:K].sum() > z:
            weight, F = weight * up, vectors[:, :K]
        elif values.sum() < z:
            weight /= up  # F stays the one before
        else:
            F = vectors[:, :K]
            break
    return S, F


def on_pattern(A, scale=1.0):
    """Find the graph nearest to A / scale on the pattern of A, given F and lambda."""

    def solve(F, weight):
        data = (A.data - weight / 2 * gaps_at(F, F, A)) / scale
        S = A.copy()
        S.data = project_on_pattern(data, A.indptr)
        return S

    return solve


def clr(X, p, rng):
    K = p.n_clusters
    view = np.hstack(X) if p.view is None else X[p.view]
    A = pkn(view, p.n_neighbors)
    A = symmetric(A) if p.symmetric else A
    values, vectors = bottom(symmetric(A), K)
    if values[:K].sum() <= 1e-10:
        return components(A)
    S, _ = steer(on_pattern(A), vectors[:, :K], K, p.weight, p.max_iter)
    return components(S > 0)


def swmc(X, p, rng):
    K = p.n_clusters
    graphs = [symmetric(pkn(x, p.n_neighbors), diagonal=True) for x in X]
    alpha, before = np.full(len(X), 1 / len(X)), np.inf
    F = bottom(symmetric(_mix(graphs, alpha)), K)[1][:, :K]
    for _ in range(p.max_iter):
        A = _mix(graphs, alpha)
        S, F = steer(on_pattern(A, alpha.sum()), F, K, 1.0, 50)
        gaps = np.array([sp.linalg.norm(S - G) for G in graphs])
        alpha, objective = 1 / (2 * np.maximum(gaps, 1e-12)), gaps.sum()
        if abs(objective - before) < p.tol:
            break
        before = objective
    return components(S > 0)


def _mix(graphs, alpha):
    return sum(a * G for a, G in zip(alpha, graphs, strict=True)).tocsr()


def mvgl(X, p, rng):
    """Stage 1 on the neighbours, stage 2 on all pairs: the published setting."""
    K = p.n_clusters
    graphs = np.stack([_learn_view(x, K, p.n_neighbors) for x in X])
    S, before = graphs.mean(axis=0), np.nan
    for _ in range(p.max_iter):
        A = _nearest_graph(S, K)
        W = _column_weights(A, graphs)
        S = np.einsum("vij,vj->ij", graphs, W)
        objective = np.square(A - S).sum()
        change = abs(objective - before) / before
        if change <= p.tol or objective < 1e-12:
            break
        before = objective
    return components(sp.csr_matrix(A > 0))


def _learn_view(x, K, k):
    graph = pkn(x, k)
    F = bottom(symmetric(graph), K)[1][:, :K]
    pattern = graph.copy()
    pattern.data[:] = 0  # no data term

    def solve(F, weight):
        return on_pattern(pattern)(F, 1 / weight)

    S, _ = steer(solve, F, K, 1.0, 30, 1e-11, mirrored=True)
    return ((S + S.T) / 2).toarray()


def _nearest_graph(S, K):
    values, vectors = bottom((S + S.T) / 2, K)
    if values[:K].sum() <= 1e-10:
        return S
    A = S - np.diag(np.diag(S))

    def solve(F, weight):
        X = A - weight / 2 * squared_distances(F, F)
        return sp.csr_matrix(project_simplex(X))

    return steer(solve, vectors[:, :K], K, 1.0, 30)[0].toarray()


def _column_weights(A, graphs):
    V, n = len(graphs), len(A)
    Z = A - graphs
    C = np.empty((n, V, V))
    for v in range(V):
        for w in range(v, V):
            C[:, v, w] = C[:, w, v] = np.einsum("ij,ij->j", Z[v], Z[w])
    trace = np.trace(C, axis1=1, axis2=2)
    ridge = EPS * np.where(trace > 0, trace, 1)
    W = np.linalg.solve(C + ridge[:, None, None] * np.eye(V), np.ones((n, V, 1)))
    return (W / W.sum(axis=1, keepdims=True))[:, :, 0].T


def mlan(X, p, rng):
    """Weights compound and neighbours stay: the published setting."""
    K, k, n = p.n_clusters, p.n_neighbors, len(X[0])
    weight = float(rng.integers(1, 31)) if p.weight == "random" else p.weight
    D = np.stack([squared_distances(x, x) for x in X])
    idx, d = nearest(D.mean(axis=0), k + 2)
    idx = idx[:, 1:-1]
    D = np.stack([np.take_along_axis(x, idx, axis=1) for x in D])
    S, twice = closed_form(d[:, 1:])
    alpha, scale = twice.mean() / 2, np.ones(len(X))
    F = bottom(symmetric(from_rows(idx, S, n)), K)[1][:, :K]
    for _ in range(p.max_iter):
        scale /= 2 * np.sqrt(np.maximum(scale * (D * S).sum(axis=(1, 2)), 1e-24))
        pull = np.square(F[:, None] - F[idx]).sum(axis=2)
        S = project_simplex(-(np.tensordot(scale, D, 1) + weight * pull) / (2 * alpha))
        graph = symmetric(from_rows(idx, S, n))
        values, vectors = bottom(graph, K)
        if values[:K].sum() > 1e-10:
            weight, F = 2 * weight, vectors[:, :K]
        elif values.sum() < 1e-10:
            weight /= 2
        else:
            break
    return components(graph)


def gmc(X, p, rng):
    """Dense graphs of views, as published, and a unified one on their pattern."""
    K, V, n = p.n_clusters, len(X), len(X[0])
    k = min(p.n_neighbors, n - 2)
    D = [squared_distances(x, x) for x in X]
    for d in D:
        np.fill_diagonal(d, -1)  # the sample itself is dropped, not a duplicate of it
    near = [nearest(d, k + 2) for d in D]
    near = [(idx[:, 1:], d[:, 1:]) for idx, d in near]
    U = sum(_graph_of_view(*part, 0, np.zeros((n, n))) for part in near) / V
    F = bottom(sp.csr_matrix((U + U.T) / 2), K)[1][:, :K]
    w = np.full(V, 1 / V)

    def solve(F, weight):
        nonlocal U, w
        S = [_graph_of_view(*part, u, U) for part, u in zip(near, w, strict=True)]
        w = np.array([0.5 / np.linalg.norm(U - s) for s in S])
        A = sp.csr_matrix(sum(S) / V)
        found = on_pattern(A)(F, weight * (1 / w).mean() / V)
        U = found.toarray()
        return found

    return components(steer(solve, F, K, p.weight, p.max_iter)[0] > 0)


def _graph_of_view(idx, d, w, U):
    """Weights of the k nearest others that leave none for the one after them.

    Published: gaps over their sum plus EPS. A sum below 0, among near duplicates, turns
    all signs and gives weights of any size; as the library: equal ones.
    """
    u = np.take_along_axis(U, idx, axis=1)
    gaps = d[:, -1:] - d[:, :-1] + 2 * w * (u[:, :-1] - u[:, -1:])
    total = gaps.sum(axis=1, keepdims=True)
    flat = total <= 1e-14 * d[:, -1:]
    weights = np.maximum(gaps, 0) / np.where(flat, 1, total)
    S = np.zeros(U.shape)
    np.put_along_axis(S, idx[:, :-1], np.where(flat, 1 / gaps.shape[1], weights), 1)
    return S
