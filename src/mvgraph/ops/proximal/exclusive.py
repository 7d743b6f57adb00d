"""The proximal map of the exclusive lasso: entries of a column compete."""

import numpy as np

__all__ = ["shrink_exclusive"]


def shrink_exclusive(X: np.ndarray, weight: float) -> np.ndarray:
    """Soft-threshold every column by a multiple of the l1-norm of the result.

    Solves, for every column x,  min_o  weight ||o||_1^2 + ||o - x||^2. The threshold
    t = weight ||o||_1 is found exactly.

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
    return np.asarray(X - np.clip(X, -t, t))
