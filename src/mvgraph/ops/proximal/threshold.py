"""Soft-thresholding of entries, of columns, of singular values."""

from __future__ import annotations

import numpy as np
import scipy.linalg

__all__ = ["shrink_columns", "shrink_entries", "shrink_singular_values"]


def shrink_entries(X: np.ndarray, tau: float) -> np.ndarray:
    """Soft-threshold every entry by tau.

    Solves  min_S  tau ||S||_1 + ||S - X||_F^2 / 2.
    """
    return np.asarray(X - np.clip(X, -tau, tau))


def shrink_columns(X: np.ndarray, tau: float) -> np.ndarray:
    """Shorten every column by tau; columns no longer than tau become 0.

    Solves  min_S  tau ||S||_{2,1} + ||S - X||_F^2 / 2, where the norm is the sum of
    the lengths of the columns. In an array with more axes, a column consists of all
    entries with the same index along the last axis.
    """
    flat = X.reshape(-1, X.shape[-1])
    norms = np.sqrt(np.einsum("ij,ij->j", flat, flat))
    gain = np.maximum(norms - tau, 0) / np.where(norms > 0, norms, 1)
    return np.asarray(X * gain)


def shrink_singular_values(X: np.ndarray, tau: float) -> tuple[np.ndarray, float]:
    """Shrink the singular values by tau.

    Solves  min_Q  tau ||Q||_* + ||Q - X||_F^2 / 2  through the Gram matrix of the
    shorter side, computing only the eigenpairs above the threshold: several times
    faster than an SVD. If the bound sqrt(||X||_1 ||X||_inf) on the largest singular
    value is at most tau, Q is zero without further work.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    tau : float, >= 0

    Returns
    -------
    Q : ndarray of shape (n, m)
    norm : float
        ||Q||_*.
    """
    size = np.abs(X)
    top = float(np.sqrt(size.sum(axis=0).max() * size.sum(axis=1).max()))
    if top <= tau:
        return np.zeros_like(X), 0.0
    if tau < 1e-7 * top:  # in the Gram matrix such singular values are rounding error
        U, s, Vt = scipy.linalg.svd(X, full_matrices=False)
        kept = np.maximum(s - tau, 0)
        return (U * kept) @ Vt, float(kept.sum())
    if X.shape[0] < X.shape[1]:
        Q, norm = _shrink_tall(X.T, tau)
        return Q.T, norm
    return _shrink_tall(X, tau)


def _shrink_tall(X: np.ndarray, tau: float) -> tuple[np.ndarray, float]:
    w, V = scipy.linalg.eigh(X.T @ X, subset_by_value=(tau**2, np.inf))
    s = np.sqrt(w)
    return (X @ (V * ((s - tau) / s))) @ V.T, float((s - tau).sum())
