"""An embedding of many dimensions in the plane, by t-SNE of some of its rows."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

#: t-SNE of this many rows takes a second or two; of twenty thousand, minutes.
MAX_LANDMARKS = 1_000
N_NEAREST = 3


def layout(U: np.ndarray, seed: int) -> np.ndarray:
    """Lay rows out in the plane such that they fill the square from -1 to 1.

    Rows are scaled to length 1 first, as spectral clustering does. Of more than a
    thousand rows a thousand are laid out by t-SNE, and the others at the weighted mean
    of the three of these that are nearest, with some noise against overlaps.
    """
    from sklearn.neighbors import NearestNeighbors

    rng = np.random.default_rng(seed)
    length = np.linalg.norm(U, axis=1, keepdims=True)
    U = np.nan_to_num(U / np.where(length > 0, length, 1))
    # the layout needs distinct rows
    U = U + rng.normal(scale=1e-4, size=U.shape)
    if len(U) <= MAX_LANDMARKS:
        return filling(_plane(U, seed))
    chosen = np.sort(rng.permutation(len(U))[:MAX_LANDMARKS])
    P = _plane(U[chosen], seed)
    with threadpool_limits(limits=1):
        landmarks = NearestNeighbors(n_neighbors=N_NEAREST).fit(U[chosen])
        distance, near = landmarks.kneighbors(U)
    weight = 1 / (distance + 1e-9)
    weight /= weight.sum(axis=1, keepdims=True)
    Q = np.einsum("nk,nkd->nd", weight, P[near])
    Q += rng.normal(size=Q.shape) * np.ptp(P, axis=0) * 0.006
    Q[chosen] = P
    return filling(Q)


def _plane(U: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    if len(U) < 10 or U.shape[1] < 2:
        flat = PCA(min(2, *U.shape)).fit_transform(U)
        P = np.zeros((len(U), 2))
        P[:, : flat.shape[1]] = flat
        return P
    near = min(30.0, (len(U) - 1) / 3)
    tsne = TSNE(2, perplexity=near, init="pca", random_state=seed, max_iter=500)
    with threadpool_limits(limits=1):  # several threads are slower on few points
        return np.asarray(tsne.fit_transform(U), dtype=float)


def filling(P: np.ndarray) -> np.ndarray:
    """Scale both axes to -1 .. 1: distances of t-SNE have no scale to keep."""
    P = P - (P.max(axis=0) + P.min(axis=0)) / 2
    return np.round(P / np.maximum(np.abs(P).max(axis=0), 1e-12), 3)
