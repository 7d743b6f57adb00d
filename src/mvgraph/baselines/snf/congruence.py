"""The product S M S' of a sparse matrix and a dense symmetric one."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.parallel import map_rows

COLUMNS_PER_BLOCK = 64  # a block of all rows stays in the cache


def congruence(
    S: sp.csr_matrix, M: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """Compute S M S' in O(k N^2) time, k non-zeros in a row of S.

    A block of columns at a time, so that the rows that S picks are in the cache.

    Parameters
    ----------
    S : csr_matrix of shape (N, N)
    M : ndarray of shape (N, N), symmetric
    out : ndarray of shape (N, N), optional
        Receives the product; may be M.

    Returns
    -------
    ndarray of shape (N, N)
        Exactly symmetric.
    """
    from mvgraph.ops.kernels import common as _kernels

    n = len(M)
    half = np.empty((n, n))  # (S M)'
    Z = np.empty((n, n)) if out is None else out

    def multiply(first: int, X: np.ndarray) -> np.ndarray:
        product = np.empty((n - first, X.shape[1]))
        _kernels.multiply_rows(S.indptr[first:], S.indices, S.data, X, product)
        return product

    def left(block: slice) -> None:
        half[block] = multiply(0, np.ascontiguousarray(M[block].T)).T

    def right(block: slice) -> None:  # from the diagonal on; the rest is its mirror
        product = multiply(block.start, np.ascontiguousarray(half[:, block]))
        Z[block.start :, block] = product
        Z[block, block.start :] = product.T
        own = Z[block, block]
        own[:] = (own + own.T) / 2

    map_rows(left, n, COLUMNS_PER_BLOCK)
    map_rows(right, n, COLUMNS_PER_BLOCK)
    return Z
