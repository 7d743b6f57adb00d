"""FastMICE: an ensemble of transfer cuts.

As the library, and unlike the public code: nearest anchors are exact, links are at most
as many as there are anchors, and cosine anchors are centres of rows of length 1.
"""

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from reference_implementations.common import (
    EPS,
    fit_kmeans,
    from_rows,
    nearest,
    squared_distances,
    unit_rows,
)


def fastmice(X, p, rng):
    K = p.n_clusters
    bases = [_base_clustering(X, p, rng) for _ in range(p.n_estimators)]
    H = sp.csr_matrix(np.hstack([np.eye(b.max() + 1)[b] for b in bases]))
    H = H[:, H.getnnz(axis=0) > 0]
    return spherical_kmeans(transfer_cut(H, K), K, rng, n_init=5, max_iter=20)


def _base_clustering(X, p, rng):
    N = len(X[0])
    K = min(int(rng.integers(p.n_clusters, 2 * p.n_clusters + 1)), N)
    n = int(rng.integers(1, len(X) + 1))
    P = min(int(np.ceil(p.n_anchors / n)), N)
    k = min(int(np.ceil(p.n_neighbors / n)), P)
    graphs = []
    for v in rng.choice(len(X), n, replace=False):
        d = X[v].shape[1]
        share = int(np.ceil(rng.uniform(0.2, 0.8) * d))
        x = X[v][:, rng.choice(d, share, replace=False)]
        graphs.append(_anchor_graph(x, P, k, p.metric == "cosine", rng))
    return spherical_kmeans(transfer_cut(sp.hstack(graphs), K), K, rng, 1, 5)


def _anchor_graph(x, P, k, cosine, rng):
    x = unit_rows(x) if cosine else x
    sample = x[rng.choice(len(x), min(10 * P, len(x)), replace=False)]
    points = fit_kmeans(sample, P, rng, 1, "random", 5).cluster_centers_
    if cosine:
        idx, d = nearest(1 - x @ unit_rows(points).T, k)
        W = np.maximum(1 - d, 0)
    else:
        idx, d = nearest(squared_distances(x, points), k)
        d = np.sqrt(np.maximum(d, 0))
        W = np.exp(-np.square(d) / (2 * (d.mean() + EPS) ** 2))
    W = W / (np.linalg.norm(W, axis=1, keepdims=True) + EPS)
    return from_rows(idx, np.where(W == 0, EPS, W), P)


def transfer_cut(B, k):
    """Embed the samples of a bipartite graph through the matrix of its columns."""
    N, P = B.shape
    if k > P:
        B = sp.hstack([B, sp.csr_matrix((N, k - P))])
    B = sp.csr_matrix(B)
    d = np.asarray(B.sum(axis=1)).ravel()
    walk = sp.diags(1 / np.where(d == 0, 1e-10, d)) @ B
    W = (B.T @ walk).toarray()
    w = W.sum(axis=1)
    root = 1 / np.sqrt(np.where(w == 0, EPS, w))
    T = W * root[:, None] * root
    last = [len(T) - k, len(T) - 1]
    Q = scipy.linalg.eigh((T + T.T) / 2, subset_by_index=last)[1][:, ::-1]
    return unit_rows(walk @ (root[:, None] * Q))


def spherical_kmeans(E, K, rng, n_init, max_iter):
    """Random rows first; empty clusters take the least similar samples."""
    runs = [_spherical_run(E, K, rng, max_iter) for _ in range(n_init)]
    return max(runs, key=lambda run: run[0])[1]


def _spherical_run(E, K, rng, max_iter):
    centres = E[rng.choice(len(E), K, replace=False)]
    labels = None
    for _ in range(max_iter):
        similar = E @ centres.T
        new = similar.argmax(axis=1)
        empty = np.setdiff1d(np.arange(K), new)
        new[np.argsort(similar.max(axis=1))[: len(empty)]] = empty
        if np.array_equal(new, labels):
            break
        labels = new
        centres = unit_rows(np.eye(K)[labels].T @ E)
    return np.sum(E * centres[labels]), labels
