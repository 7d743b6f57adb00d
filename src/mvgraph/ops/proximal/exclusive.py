"""Shrinkage that lets the entries of a column compete: the exclusive lasso."""

import numpy as np

__all__ = ["shrink_exclusive"]


def shrink_exclusive(X: np.ndarray, weight: float) -> np.ndarray:
    """Soft-threshold every column by a multiple of what stays of its l1-norm.

    Solves, for every column x,  min_o  weight ||o||_1^2 + ||o - x||^2: the threshold is
    t = weight ||o||_1, found exactly.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    weight : float, >= 0

    Returns
    -------
    ndarray of shape (n, m)
    """
    from mvgraph.ops.kernels import common as _kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    t = np.empty(X.shape[1])
    _kernels.exclusive_thresholds(X, weight, t)
    return X - np.clip(X, -t, t)
