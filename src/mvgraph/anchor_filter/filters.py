r"""The low-pass filter along neighbours, through landmarks.

Rows b_i of B (N, L) are the weights of sample i on L landmarks, W the weights of the
samples, Lambda the column sums of W B. Two samples are neighbours if they share
landmarks, and the graph of neighbours is

    T = B Lambda^-1 B' W.                                                  (F1)

T is an average: rows are non-negative and sum to one. It is self-adjoint in the inner
product x'Wy and its spectrum is in [0, 1], since W T is positive semidefinite. The
filter of order t replaces the anchor graph Z (N, M) by

    G = ((I + T) / 2)^t Z.                                                 (F2)

No array of N rows is needed to compute it: with P_0 = Lambda^-1 B'W Z and the graph of
landmarks S = Lambda^-1 B'W B (L, L),

    G = 2^-t Z + B R_t,  R_s+1 = (R_s + P_s) / 2,  P_s+1 = (P_s + S P_s) / 2.  (F3)

Therefore the filter, and the spectral embedding of its result, follow from three sums
over samples: B'WB, B'WZ and Z'WZ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.linalg.gram_eigen import leading_pairs_of_gram
from mvgraph.ops.linalg.spectral import fix_signs, inverse_sqrt


class SmoothGraph(NamedTuple):
    """The filtered graph G = keep Z + B R, and the maps of rows to its embedding."""

    keep: float
    R: np.ndarray  # (L, M)
    singular: np.ndarray  # (K + 1,) of G D^-1/2, D the column sums of W G
    anchor_map: np.ndarray  # (M, K)
    landmark_map: np.ndarray  # (L, K)


def smooth_graph(
    BB: np.ndarray, BZ: np.ndarray, ZZ: np.ndarray, K: int, order: int
) -> SmoothGraph:
    """Filter an anchor graph and embed the result.

    Parameters
    ----------
    BB, BZ, ZZ : ndarray of shapes (L, L), (L, M), (M, M)
        B'WB, B'WZ, Z'WZ of graphs whose rows sum to one.
    K : int
        Number of clusters.
    order : int
        t of (F2).

    Returns
    -------
    SmoothGraph
    """
    degree = BB.sum(axis=1, keepdims=True)
    inverse = 1 / np.where(degree > 0, degree, np.inf)
    S, P, R = inverse * BB, inverse * BZ, np.zeros_like(BZ)
    for _ in range(order):
        R, P = (R + P) / 2, (P + S @ P) / 2
    keep = 2.0**-order
    cross = keep * BZ.T @ R
    C = keep**2 * ZZ + cross + cross.T + R.T @ (BB @ R)  # G'WG
    scale = inverse_sqrt(C.sum(axis=1))  # rows of G sum to one
    Q, w, _ = leading_pairs_of_gram(scale[:, None] * C * scale, K)
    s = np.sqrt(np.maximum(w, 0))
    A = fix_signs(Q) * scale[:, None] / np.maximum(s[: Q.shape[1]], 1e-12) / np.sqrt(2)
    return SmoothGraph(keep, R, s, keep * A, R @ A)


def smooth_sums(smooth: SmoothGraph, BH: np.ndarray, ZH: np.ndarray) -> np.ndarray:
    """Return G'WH (M, K) from B'WH and Z'WH."""
    return np.asarray(smooth.keep * ZH + smooth.R.T @ BH)
