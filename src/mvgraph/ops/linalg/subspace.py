"""Coordinates of samples in which inner products stay and zero directions go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

__all__ = ["Coordinates", "joined_coordinates", "principal_coordinates"]


class Coordinates(NamedTuple):
    """Views in coordinates of their own, and in those of the joined row space."""

    R: list[np.ndarray]  # features of view v after a rotation, (r_v, n)
    power: list[np.ndarray]  # the diagonal matrix R R', (r_v, 1)
    T: list[np.ndarray]  # R_v = T_v' B', (r, r_v)
    B: np.ndarray  # orthonormal basis of the joined row space, (n, r)
    inverse: np.ndarray  # (sum T T' + I)^-1


def principal_coordinates(X) -> np.ndarray:
    """Rotate features so that they are orthogonal, and drop those that vanish.

    The Gram matrix of samples stays, R'R = X X', and R R' is diagonal: R is the part
    S V' of the singular value decomposition X' = U S V'.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)

    Returns
    -------
    R : ndarray of shape (r, n), r <= min(n, d), r >= 1
    """
    n, d = X.shape
    gram = X.T @ X if d <= n else X @ X.T
    w, U = scipy.linalg.eigh(gram.toarray() if sp.issparse(gram) else gram)
    keep = w > 1e-14 * max(w[-1], 1e-300)
    keep[-1] = True
    if d <= n:
        return np.ascontiguousarray((X @ U[:, keep]).T)
    return np.sqrt(np.maximum(w[keep], 0))[:, None] * U[:, keep].T


def joined_coordinates(arrays: Sequence) -> Coordinates:
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
