"""Embedding of a weighted sum of bipartite graphs on the same anchors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.linalg.gram_eigen import leading_pairs_of_gram
from mvgraph.ops.linalg.spectral import fix_signs

__all__ = ["FusedEmbedding", "fused_embedding"]


class FusedEmbedding(NamedTuple):
    """Embedding F = [P; Q] of the sum, and its traces with the summed graphs."""

    P: np.ndarray  # (N, K) samples
    Q: np.ndarray  # (V, M, K) anchors, divided by the root column sums of each graph
    values: np.ndarray  # (K + 1,) leading singular values of the sum
    traces: np.ndarray  # (V,) tr(F' L_v F), L_v the normalised Laplacians


def fused_embedding(C: np.ndarray, weights: np.ndarray, K: int) -> FusedEmbedding:
    """Embed samples and anchors by  Z = sum_v w_v C_v D_v^-1/2, D_v the column sums.

    Solves  max tr(P' Z Q)  s.t.  P'P = Q'Q = I / 2,  through Z'Z in O(N M^2) time. The
    traces are  ||F||^2 - 2 tr(P' C_v D_v^-1/2 Q)  if the rows of C_v sum to one.

    Parameters
    ----------
    C : ndarray of shape (V, N, M), non-negative
    weights : ndarray of shape (V,)
    K : int, 1 <= K <= M

    Returns
    -------
    FusedEmbedding
    """
    roots = np.sqrt(C.sum(axis=1) + np.finfo(float).eps)  # of unused anchors: tiny
    Z = np.zeros(C.shape[1:])
    for v, weight in enumerate(weights):
        Z += C[v] * (weight / roots[v])
    V, squares, _ = leading_pairs_of_gram(Z.T @ Z, K)
    V = fix_signs(V)
    values = np.sqrt(np.maximum(squares, 0))
    P = Z @ V / np.maximum(values[:K], 1e-12) / np.sqrt(2)
    Q = V / np.sqrt(2) / roots[:, :, None]
    size = np.square(P).sum() + np.square(V).sum() / 2
    fits = [np.einsum("nk,nk->", P, c @ q) for c, q in zip(C, Q, strict=True)]
    return FusedEmbedding(P, Q, values, size - 2 * np.array(fits))
