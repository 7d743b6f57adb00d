"""Coordinates that keep the inner products of samples and drop zero directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from mvgraph.ops.arrays import dense
from mvgraph.ops.typing import Matrix

__all__ = ["Coordinates", "joined_coordinates", "principal_coordinates"]


class Coordinates(NamedTuple):
    """Views in their own coordinates, and the coordinates of the joint row space."""

    R: list[np.ndarray]  # features of view v after a rotation, (r_v, n)
    power: list[np.ndarray]  # the diagonal matrix R R', (r_v, 1)
    T: list[np.ndarray]  # R_v = T_v' B', (r, r_v)
    B: np.ndarray  # orthonormal basis of the joint row space, (n, r)
    inverse: np.ndarray  # (sum T T' + I)^-1


def principal_coordinates(X: Matrix) -> np.ndarray:
    """Rotate features so that they are orthogonal, and drop those that vanish.

    The Gram matrix of the samples is kept, R'R = X X', and R R' is diagonal: R is S V'
    of the singular value decomposition X' = U S V'.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)

    Returns
    -------
    R : ndarray of shape (r, n), r <= min(n, d), r >= 1
    """
    n, d = X.shape
    w, U = scipy.linalg.eigh(dense(X.T @ X if d <= n else X @ X.T))
    keep = w > 1e-14 * max(w[-1], 1e-300)
    keep[-1] = True
    if d <= n:
        return np.ascontiguousarray((X @ U[:, keep]).T)
    return np.asarray(np.sqrt(np.maximum(w[keep], 0))[:, None] * U[:, keep].T)


def joined_coordinates(arrays: Sequence[Matrix]) -> Coordinates:
    """Find the coordinates of views; r is at most min(n, sum d_v).

    Parameters
    ----------
    arrays : sequence of ndarray or csr_matrix of shape (n, d_v)

    Returns
    -------
    Coordinates
    """
    R = [principal_coordinates(x.astype(np.float64, copy=False)) for x in arrays]
    power = [np.sum(r * r, axis=1, keepdims=True) for r in R]
    S = np.vstack(R)
    n = S.shape[1]
    B = np.eye(n) if len(S) >= n else np.linalg.qr(S.T)[0]
    T = [B.T @ r.T for r in R]
    inverse = np.linalg.inv(sum(t @ t.T for t in T) + np.eye(B.shape[1]))
    return Coordinates(R, power, T, B, inverse)
