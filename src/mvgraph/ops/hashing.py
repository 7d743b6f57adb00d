"""Hashes of the content of rows, on which random choices depend."""

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Int, Matrix

ROWS_PER_BLOCK = 16384


def sum_hash(a: Matrix, seed: int) -> Int:
    """Hash every row by its content.

    The hash is the sum over the non-zero entries of a 64-bit mix of column, value and
    seed, so that equal rows have equal hashes, dense or sparse, float32 or float64.

    Parameters
    ----------
    a : ndarray or csr_matrix of shape (n, d)
    seed : int
        Any integer; every seed gives a different hash function.

    Returns
    -------
    ndarray of uint64, shape (n,)
    """
    from mvgraph.ops.kernels import common as _kernels

    key = np.uint64(seed % 2**64)
    out = np.zeros(a.shape[0], dtype=np.uint64)
    if sp.issparse(a):
        _hash_sparse(a, key, out)
        return out
    for start in range(0, len(a), ROWS_PER_BLOCK):  # one small float64 copy at a time
        block = slice(start, start + ROWS_PER_BLOCK)
        _kernels.hash_rows(_words(a[block]), key, out[block])
    return out


def _hash_sparse(a: sp.csr_matrix, key: np.uint64, out: Int) -> None:
    from mvgraph.ops.kernels import common as _kernels

    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    _kernels.hash_words(rows, a.indices, _words(a.data), key, out)


def _words(x: np.ndarray) -> Int:
    """Return the bit patterns of numbers; equal numbers have equal patterns."""
    x = np.array(x, dtype=np.float64, order="C")  # a copy: it is changed below
    x += 0.0  # -0.0 and 0.0 are the same value
    x[np.isnan(x)] = np.nan  # NaN has many bit patterns
    return x.view(np.uint64)
