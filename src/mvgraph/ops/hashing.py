"""Hashes of row content: the key of every random choice."""

import numpy as np
import scipy.sparse as sp

__all__ = ["sum_hash"]

BLOCK = 16384


def sum_hash(a, seed: int) -> np.ndarray:
    """Hash every row by its content.

    The hash is the sum over the non-zero entries of a 64-bit mix of column, value and
    seed, so that equal rows have equal hashes, dense or sparse, float32 or float64.

    Parameters
    ----------
    a : ndarray or csr_matrix of shape (n, d)
    seed : int
        Any integer; another seed gives another hash function.

    Returns
    -------
    ndarray of uint64, shape (n,)
    """
    from mvgraph.ops.kernels import common as _kernels

    key = np.uint64(seed % 2**64)
    out = np.zeros(a.shape[0], dtype=np.uint64)
    if sp.issparse(a):
        rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
        _kernels.hash_words(rows, a.indices, _words(a.data), key, out)
        return out
    for start in range(0, len(a), BLOCK):  # one small float64 copy at a time
        block = slice(start, start + BLOCK)
        _kernels.hash_rows(_words(a[block]), key, out[block])
    return out


def _words(x: np.ndarray) -> np.ndarray:
    x = np.array(x, dtype=np.float64, order="C")  # a copy: it is changed below
    x += 0.0  # -0.0 and 0.0 are the same value
    x[np.isnan(x)] = np.nan  # NaN has many bit patterns
    return x.view(np.uint64)
