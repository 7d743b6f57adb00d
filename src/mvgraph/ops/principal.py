"""Principal components through the smaller Gram matrix; sparse input stays sparse."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp

__all__ = ["principal_axes", "principal_scores"]


def principal_scores(x, n_components: int) -> np.ndarray:
    """Project on the leading principal components, largest first.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    n_components : int
        At most min(n, d) are returned.

    Returns
    -------
    ndarray of shape (n, min(n_components, n, d))
    """
    n, d = x.shape
    mean = _mean(x)
    r = min(n_components, n, d)
    if d <= n:
        V = _leading_features(x, mean, r)
        return np.asarray(x @ V) - mean @ V
    w, U = _leading_samples(x, r)
    return U * np.sqrt(np.maximum(w, 0))


def principal_axes(x, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the axes of the leading principal components, and the mean.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    n_components : int
        Components without variance are left out where there are fewer samples than
        features.

    Returns
    -------
    axes : ndarray of shape (d, r)
        Scores are (x - mean) @ axes.
    mean : ndarray of shape (d,)
    """
    n, d = x.shape
    mean = _mean(x)
    r = min(n_components, n, d)
    if d <= n:
        return _leading_features(x, mean, r), mean
    w, U = _leading_samples(x, r)
    kept = w > 1e-10 * max(w[0], 0)
    U = U[:, kept]
    V = np.asarray(x.T @ U) - np.outer(mean, U.sum(axis=0))
    return V / np.sqrt(w[kept]), mean


def _mean(x) -> np.ndarray:
    return np.asarray(x.mean(axis=0), dtype=np.float64).ravel()


def _leading_features(x, mean: np.ndarray, r: int) -> np.ndarray:
    n, d = x.shape
    G = _gram(x.T, x) - n * np.outer(mean, mean)
    return scipy.linalg.eigh(G, subset_by_index=[d - r, d - 1])[1][:, ::-1]


def _leading_samples(x, r: int) -> tuple[np.ndarray, np.ndarray]:
    n = x.shape[0]
    G = _gram(x, x.T)
    rows = G.mean(axis=0)
    G = G - rows - rows[:, None] + rows.mean()
    w, U = scipy.linalg.eigh(G, subset_by_index=[n - r, n - 1])
    return w[::-1], U[:, ::-1]


def _gram(a, b) -> np.ndarray:
    product = a @ b
    return product.toarray() if sp.issparse(product) else np.asarray(product)
