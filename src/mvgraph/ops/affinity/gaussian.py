"""Gaussian similarities between all samples of a view."""

from __future__ import annotations

import numpy as np

from mvgraph.ops.distance import squared_distances
from mvgraph.ops.typing import Matrix

__all__ = ["gaussian_kernel", "median_distance"]


def gaussian_kernel(X: Matrix) -> tuple[np.ndarray, float]:
    """Compute k_ij = exp(-||x_i - x_j||^2 / (2 sigma^2)), sigma the median distance.

    Multiplying X by a number does not change the result.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)

    Returns
    -------
    K : ndarray of shape (n, n)
        Symmetric, ones on the diagonal.
    sigma : float
    """
    X = X.astype(np.float64, copy=False)
    D = squared_distances(X, X)
    np.fill_diagonal(D, 0)
    sigma = median_distance(D)
    D /= -2 * sigma**2
    return np.exp(D, out=D), sigma


def median_distance(D: np.ndarray) -> float:
    """Return the median of all n^2 distances, from their squares, diagonal included.

    If the median is 0 (duplicates), returns the mean; if that is 0 too, returns 1.
    """
    sigma = float(np.median(np.sqrt(D), overwrite_input=True))
    if sigma == 0:
        sigma = float(np.sqrt(D).mean())
    return sigma if sigma > 0 else 1.0
