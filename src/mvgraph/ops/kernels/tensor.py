"""Compiled loops over the slices of a tensor."""

import numpy as np

from mvgraph.ops.kernels.common import kernel, part


@kernel
def gram_slices_rows(A, G):
    """G[f, v, w] = sum_m conj(A[v, f, m]) A[w, f, m] for A (V, F, M)."""
    V, F, M = A.shape
    for f in range(F):
        for v in range(V):
            for w in range(v, V):
                s = np.conj(A[v, f, 0]) * A[w, f, 0]
                for m in range(1, M):
                    s += np.conj(A[v, f, m]) * A[w, f, m]
                G[f, v, w] = s
                G[f, w, v] = np.conj(s)


@part
def _filter_entry(A, i, j, W, f, x):
    """A[v, i, j] <- sum_w A[w, i, j] W[f, w, v], in place; x (V,) is a buffer."""
    V = A.shape[0]
    for w in range(V):
        x[w] = A[w, i, j]
    for v in range(V):
        s = x[0] * W[f, 0, v]
        for w in range(1, V):
            s += x[w] * W[f, w, v]
        A[v, i, j] = s


@kernel
def apply_slices_rows(A, W):
    """Filter the slices A[:, f, :] of A (V, F, M), in place."""
    V, F, M = A.shape
    x = np.empty(V, dtype=A.dtype)
    for f in range(F):
        for m in range(M):
            _filter_entry(A, f, m, W, f, x)


@kernel
def gram_slices_columns(A, G):
    """G[f, v, w] += sum_n conj(A[v, n, f]) A[w, n, f] for A (V, N, F)."""
    V, N, F = A.shape
    for n in range(N):
        for v in range(V):
            for w in range(V):
                for f in range(F):
                    G[f, v, w] += np.conj(A[v, n, f]) * A[w, n, f]


@kernel
def apply_slices_columns(A, W):
    """Filter the slices A[:, :, f] of A (V, N, F), in place."""
    V, N, F = A.shape
    x = np.empty(V, dtype=A.dtype)
    for n in range(N):
        for f in range(F):
            _filter_entry(A, n, f, W, f, x)
