"""Euclidean projection on the probability simplex."""

import numpy as np

from mvgraph.ops.namespace import is_non_numpy, namespace
from mvgraph.ops.typing import Array, Float, Int

__all__ = ["project_segments", "project_simplex"]


def project_simplex(X: Array) -> Array:
    """Project every row on the simplex {z >= 0, sum z = 1}.

    Solves, for every row x,  min_z ||z - x||^2  s.t.  z >= 0, z'1 = 1.

    Parameters
    ----------
    X : array of shape (n, m), m >= 1

    Returns
    -------
    array of shape (n, m)
        A new array; entries that are not positive are exactly zero.
    """
    if is_non_numpy(X):
        return _project_by_sorting(X)
    from mvgraph.ops.kernels import common as _kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    out = np.empty_like(X)
    _kernels.project_rows(X, out)
    return out


def _project_by_sorting(X: Array) -> Array:
    """Find the threshold in the sorted row, at the last entry that stays positive."""
    xp = namespace(X)
    X = X - xp.max(X, axis=1, keepdims=True)  # keeps huge numbers exact
    top = xp.sort(X, axis=1, descending=True)
    count = xp.arange(1, X.shape[1] + 1, dtype=X.dtype, device=X.device)
    thresholds = (xp.cumulative_sum(top, axis=1) - 1) / count
    kept = xp.sum(xp.astype(top > thresholds, xp.int64), axis=1, keepdims=True)
    t = xp.take_along_axis(thresholds, xp.clip(kept, 1) - 1, axis=1)
    return xp.maximum(X - t, 0)


def project_segments(x: Float, starts: Int) -> Float:
    """Project every segment of a vector on the simplex: the rows of a sparse matrix.

    Solves, for every segment,  min_z ||z - x||^2  s.t.  z >= 0, z'1 = 1.

    Parameters
    ----------
    x : ndarray of shape (n,)
    starts : ndarray of int, shape (segments + 1,)
        Segment s is x[starts[s]:starts[s + 1]] (``indptr`` of a CSR matrix); empty
        segments stay empty.

    Returns
    -------
    ndarray of shape (n,)
    """
    from mvgraph.ops.kernels import common as _kernels

    x = np.ascontiguousarray(x, dtype=np.float64)
    out = np.empty_like(x)
    _kernels.project_segments(x, starts, out)
    return out
