"""Exactly K components: every anchor and every sample keep the edges of one cluster.

The rank condition of the model asks for a graph of K components. Here F = [P; Q] is
replaced by the indicator of the nearest cluster, once it is known: samples by the
spectral cut of the smooth graph, anchors by the cluster that most of their weight comes
from. The penalty beta tr(F' L F) then counts the weight of edges between clusters, and
for beta -> infinity, the graph keeps the edges within clusters only; rows are divided
by what is left.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

__all__ = ["assign_anchors"]


def assign_anchors(weight: np.ndarray) -> np.ndarray:
    """Give every anchor to the cluster of most of its weight, every cluster an anchor.

    Parameters
    ----------
    weight : ndarray of shape (M, K), M >= K
        Weight of the edges between anchors and the samples of every cluster.

    Returns
    -------
    ndarray of int64, shape (M,)
        Clusters; a cluster that is not the first of any anchor gets one, at the least
        loss of weight.
    """
    owner: np.ndarray = weight.argmax(axis=1)
    K = weight.shape[1]
    if len(np.unique(owner)) == K:
        return owner
    share = weight / np.maximum(weight.max(axis=1, keepdims=True), 1e-300)
    anchors, clusters = linear_sum_assignment(share, maximize=True)
    owner[anchors] = clusters
    return owner
