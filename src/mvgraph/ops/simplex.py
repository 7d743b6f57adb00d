"""Euclidean projection on the probability simplex."""

import numpy as np

__all__ = ["project_segments", "project_simplex"]


def project_simplex(X: np.ndarray) -> np.ndarray:
    """Project every row on the simplex {z >= 0, sum z = 1}.

    Solves, for every row x,  min_z ||z - x||^2  s.t.  z >= 0, z'1 = 1.

    Parameters
    ----------
    X : ndarray of shape (n, m), m >= 1

    Returns
    -------
    ndarray of shape (n, m)
        New array; exact zeros outside the support.
    """
    from mvgraph.ops import _kernels

    X = np.ascontiguousarray(X, dtype=np.float64)
    out = np.empty_like(X)
    _kernels.project_rows(X, out)
    return out


def project_segments(x: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Project every segment of a vector on the simplex: rows of a sparse matrix.

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
    from mvgraph.ops import _kernels

    x = np.ascontiguousarray(x, dtype=np.float64)
    out = np.empty_like(x)
    _kernels.project_segments(x, starts, out)
    return out
