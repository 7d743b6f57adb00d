"""What the formulations share: distances, neighbours, eigenvectors, projections."""

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans

EPS = np.finfo(float).eps


def squared_distances(A, B):
    a, b = np.square(A).sum(axis=1), np.square(B).sum(axis=1)
    D = a[:, None] + b - 2 * (A @ B.T)
    D[1e-14 * (a[:, None] + b) > D] = 0  # duplicates: rounding noise
    return D


def nearest(D, k):
    """Indices and values of the k smallest of every row, ascending."""
    idx = np.sort(np.argpartition(D, k - 1, axis=1)[:, :k], axis=1)
    d = np.take_along_axis(D, idx, axis=1)
    order = np.argsort(d, axis=1, kind="stable")
    return np.take_along_axis(idx, order, 1), np.take_along_axis(d, order, 1)


def closed_form(d):
    """Weights of the k nearest from k + 1 ascending distances; twice gamma."""
    gaps = d[:, -1:] - d[:, :-1]
    total = gaps.sum(axis=1, keepdims=True)
    flat = total <= 1e-14 * d[:, -1:]
    weights = np.where(flat, 1 / gaps.shape[1], gaps / np.where(flat, 1, total))
    return weights, total[:, 0]


def from_rows(idx, weights, n_columns):
    rows = np.repeat(np.arange(len(idx)), idx.shape[1])
    shape = (len(idx), n_columns)
    W = sp.csr_matrix((weights.ravel(), (rows, idx.ravel())), shape)
    W.eliminate_zeros()
    return W


def pkn(X, k):
    """Graph of the k nearest others, weights in closed form."""
    idx, d = nearest(squared_distances(X, X), k + 2)
    return from_rows(idx[:, 1:-1], closed_form(d[:, 1:])[0], len(X))


def symmetric(W, diagonal=False):
    S = ((W + W.T) / 2).tocsr()
    if not diagonal:
        S.setdiag(0)
        S.eliminate_zeros()
    S.sort_indices()
    return S


def normalised(W):
    """D^-1/2 W D^-1/2 of a dense or sparse similarity."""
    r = 1 / np.sqrt(np.maximum(np.asarray(W.sum(axis=1)).ravel(), 1e-300))
    if sp.issparse(W):
        return (sp.diags(r) @ W @ sp.diags(r)).tocsr()
    return W * r[:, None] * r


def project_simplex(X):
    """Project every row on the simplex; entries of -inf stay 0."""
    U = -np.sort(-X, axis=1)
    with np.errstate(invalid="ignore"):
        surplus = np.cumsum(U, axis=1) - 1
        count = (U * np.arange(1, U.shape[1] + 1) > surplus).sum(axis=1)
    theta = surplus[np.arange(len(X)), count - 1] / count
    return np.maximum(X - theta[:, None], 0)


def project_on_pattern(values, indptr):
    """Project the rows of a CSR matrix, given by its data, over its own pattern."""
    counts = np.diff(indptr)
    inside = np.arange(counts.max()) < counts[:, None]
    X = np.full(inside.shape, -np.inf)
    X[inside] = values
    return project_simplex(X)[inside]


def gaps_at(U, V, A):
    """||u_i - v_j||^2 on the pattern of a CSR matrix."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return np.square(U[rows] - V[A.indices]).sum(axis=1)


def bottom(S, K):
    """The K + 1 smallest eigenpairs of the Laplacian of a symmetric graph.

    Sparse graphs, without negative weights: shift-invert Lanczos. Dense ones: LAPACK.
    """
    if not sp.issparse(S):
        return scipy.linalg.eigh(np.diag(S.sum(axis=1)) - S, subset_by_index=[0, K])
    L = sp.diags(np.asarray(S.sum(axis=1)).ravel()) - S
    start = np.random.default_rng(0).normal(size=S.shape[0])
    return eigsh(L.tocsc(), K + 1, sigma=-1e-5, v0=start)


def leading(A, K, rng, which="LA"):
    """K eigenvectors, largest first (ARPACK)."""
    values, vectors = eigsh(A, K, which=which, v0=rng.normal(size=A.shape[0]))
    order = np.argsort(-np.abs(values) if which == "LM" else -values)
    return vectors[:, order]


def unit_rows(U):
    norms = np.linalg.norm(U, axis=1, keepdims=True)
    return U / np.where(norms > 1e-12, norms, 1)


def kmeans(X, K, rng, n_init, init="k-means++", max_iter=100):
    return fit_kmeans(X, K, rng, n_init, init, max_iter).labels_


def fit_kmeans(X, K, rng, n_init, init, max_iter):
    seed = int(rng.integers(2**31))
    model = KMeans(K, init=init, n_init=n_init, max_iter=max_iter, random_state=seed)
    return model.fit(X)


def polar(C):
    U, _, Vt = np.linalg.svd(C, full_matrices=False)
    return U @ Vt


def row_scores(x):
    """Every sample minus its mean, over its deviation; a constant one becomes 0."""
    x = x - x.mean(axis=1, keepdims=True)
    deviation = np.linalg.norm(x, axis=1, keepdims=True) / np.sqrt(x.shape[1] - 1)
    return x / np.where(deviation > 0, deviation, 1)


def components(S):
    return connected_components(S, directed=False)[1]


def median_gaussian(X):
    D = squared_distances(X, X)
    np.fill_diagonal(D, 0)
    return np.exp(-D / (2 * np.median(np.sqrt(D)) ** 2))
