"""AMGL, Co-reg, SMSC: spectral embeddings of all views."""

import numpy as np

from reference_implementations.common import (
    kmeans,
    leading,
    median_gaussian,
    normalised,
    pkn,
    symmetric,
    unit_rows,
)


def amgl(X, p, rng):
    """The bottom of sum alpha L is the top of sum alpha D^-1/2 W D^-1/2."""
    K, before = p.n_clusters, np.inf
    graphs = [normalised(symmetric(pkn(x, p.n_neighbors))) for x in X]
    alpha = np.full(len(X), 1 / len(X))
    start = np.random.default_rng(0)
    for _ in range(p.max_iter):
        F = leading(sum(a * S for a, S in zip(alpha, graphs, strict=True)), K, start)
        traces = np.array([K - np.sum(F * (S @ F)) for S in graphs])
        roots = np.sqrt(np.maximum(traces, 1e-24))
        alpha, objective = 1 / (2 * roots), roots.sum()
        if (before - objective) / before < p.tol:
            break
        before = objective
    return kmeans(F, K, rng, p.n_init)


def co_reg(X, p, rng):
    """Pairwise, all sweeps: the published settings have no tolerance."""
    K, V = p.n_clusters, len(X)
    A = [normalised(median_gaussian(x)) for x in X]
    U = [leading(a, K, rng) for a in A]
    for _ in range(p.max_iter):
        for v in [*range(1, V), 0]:
            others = np.hstack(U[:v] + U[v + 1 :])
            U[v] = leading(A[v] + p.coupling * (others @ others.T), K, rng)
    return kmeans(unit_rows(np.hstack(U)), K, rng, p.n_init)


def smsc(X, p, rng):
    K = p.n_clusters
    graphs = [normalised(symmetric(pkn(x, p.n_neighbors))) for x in X]
    fixed = np.random.default_rng(0)
    start = np.stack([leading(S, K, fixed, "LM") for S in graphs])
    peak = np.take_along_axis(start, np.abs(start).argmax(axis=1)[:, None], axis=1)
    start *= np.sign(peak)
    best, labels = np.inf, None
    for run in range(p.n_init):
        signs = rng.choice([-1.0, 1.0], size=(len(X), 1, K))
        Y, objective = _factor(graphs, start * signs if run else start, p)
        if objective < best * (1 - 1e-9):
            best, labels = objective, Y.argmax(axis=1)
    return labels


def _factor(graphs, F, p):
    V, before = len(graphs), np.inf
    squares = np.array([S.multiply(S).sum() for S in graphs])
    weights = np.ones(V)
    for _ in range(p.max_iter):
        share = weights / weights.sum()
        Y = sum(w * (S @ f) for w, S, f in zip(share, graphs, F, strict=True)) / V
        Y = np.maximum(Y, 0)
        polar = [np.linalg.svd(S.T @ Y, full_matrices=False) for S in graphs]
        F = [U @ Vt for U, _, Vt in polar]
        fit = np.array([s.sum() for _, s, _ in polar])
        gaps = np.maximum(squares - 2 * fit + np.square(Y).sum(), 1e-24)
        weights, objective = 1 / np.sqrt(gaps), gaps.sum()
        if abs(objective - before) / before < p.tol:
            break
        before = objective
    return Y, objective
