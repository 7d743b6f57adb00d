"""Weights that combine several matrices, column by column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

__all__ = ["combine_columns"]


def combine_columns(A: sp.csr_matrix, parts: Sequence[sp.csr_matrix]) -> np.ndarray:
    """Find the affine combination of the columns of several matrices nearest to A.

    Solves, for every column j,  min_w ||a_j - sum_v w_v s_j^(v)||^2  s.t.  w'1 = 1,
    through  w = C^-1 1 / (1'C^-1 1),  C the Gram matrix of the gaps a_j - s_j^(v) with
    a ridge of rounding size. Weights may be negative.

    Parameters
    ----------
    A : csr_matrix of shape (n, m)
    parts : list of V csr_matrix, as A

    Returns
    -------
    ndarray of shape (m, V)
        Rows sum to one.
    """
    gaps = [(A - S).tocsr() for S in parts]
    V = len(gaps)
    C = np.empty((A.shape[1], V, V))
    for v in range(V):
        for w in range(v, V):
            column = np.asarray(gaps[v].multiply(gaps[w]).sum(axis=0)).ravel()
            C[:, v, w] = C[:, w, v] = column
    values, U = np.linalg.eigh(C)
    trace = values.sum(axis=1)
    trace[trace <= 0] = 1  # all parts equal A: equal weights
    values = np.maximum(values, 0) + np.finfo(float).eps * trace[:, None]
    ones = U.sum(axis=1)  # U'1
    ones[abs(ones) < 1e-12] = 0  # equal parts: their difference is rounding noise
    W = np.einsum("jvk,jk->jv", U, ones / values)
    return np.asarray(W / W.sum(axis=1, keepdims=True))
