"""The joined views by plain library calls, OPMC, and RDEKM (k-means in subspaces)."""

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from reference_implementations.common import kmeans, row_scores, squared_distances


def kmeans_concat(X, p, rng):
    joined = StandardScaler().fit_transform(np.hstack(X))
    seed = int(rng.integers(2**31))
    return KMeans(p.n_clusters, n_init=p.n_init, random_state=seed).fit_predict(joined)


def _neighbours(X, k):
    A = kneighbors_graph(np.hstack(X), k)
    return (A + A.T) / 2


def spectral_concat(X, p, rng):
    model = SpectralClustering(
        p.n_clusters,
        affinity="precomputed",
        n_init=p.n_init,
        random_state=int(rng.integers(2**31)),
    )
    return model.fit_predict(_neighbours(X, p.n_neighbors))


def opmc(X, p, rng):
    """k-means, which the published steps on W, C and Y are.

    As the library: k-means++ starts, not random labels; steps until no label changes.
    """
    joined = np.hstack([row_scores(x) for x in X])
    return kmeans(joined, p.n_clusters, rng, p.n_init, max_iter=300)


def leiden_concat(X, p, rng):
    W = _neighbours(X, p.n_neighbors).tocsr()
    return leiden(W, p.n_clusters, int(rng.integers(2**31)))


def leiden(W, K, seed):
    """Bisect the resolution for K communities; Leiden itself is that of mvgraph."""
    from mvgraph.ops.communities import leiden as find

    low, high, at, best, gap = 2.0**-10, 2.0**20, 1.0, None, np.inf
    for _ in range(30):
        labels = find(W, np.random.default_rng(seed), at)
        found = labels.max() + 1
        if abs(found - K) < gap:
            best, gap = labels, abs(found - K)
        if not gap:
            break
        low, high = (at, high) if found < K else (low, at)
        at = float(np.clip(np.sqrt(low * high), at / 2, at * 2))
    return best


def rdekm(X, p, rng):
    """Reconstruction A; an empty cluster takes the sample farthest from its mean."""
    K = p.n_clusters
    X = [x - x.mean(axis=0) for x in X]
    joined = np.hstack([x / np.linalg.norm(x) for x in X])
    labels, before = kmeans(joined, K, rng, p.n_init), np.inf
    total = [np.square(x).sum() for x in X]
    for _ in range(p.max_iter):
        distances, norms = [], []
        for x, square in zip(X, total, strict=True):
            Y, F = _embed(x, labels, K)
            distances.append(squared_distances(Y, F))
            inside = distances[-1][np.arange(len(x)), labels].sum()
            norms.append(np.sqrt(max(square - np.square(Y).sum(), 0) + inside))
        norms = np.maximum(norms, 1e-12)
        D = np.tensordot(1 / (2 * norms), np.stack(distances), 1)
        new = D.argmin(axis=1)
        for k in np.setdiff1d(np.arange(K), new):
            new[D.min(axis=1).argmax()] = k
        objective = norms.sum()
        same = np.array_equal(new, labels)
        labels = new
        if same or abs(before - objective) / objective < 1e-6:
            break
        before = objective
    return labels


def _embed(x, labels, K):
    G = np.eye(K)[labels]
    counts = G.sum(axis=0)
    means = G.T @ x / counts[:, None]
    W = np.linalg.svd(np.sqrt(counts)[:, None] * means, full_matrices=False)[2][: K - 1]
    return x @ W.T, means @ W.T
