"""Assign any number of samples to clusters through anchors, block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvgraph.anchors import Anchors
from mvgraph.bipartite import anchor_graph
from mvgraph.engines.memory import map_rows
from mvgraph.ops.distance import squared_distances
from mvgraph.rows import Rows

__all__ = ["anchor_votes"]


def anchor_votes(
    source: Rows, anchors: Anchors, n_neighbors: int, shares: Sequence[np.ndarray]
) -> np.ndarray:
    """Sum, over the views that a sample has, the shares of its nearest anchors.

    Parameters
    ----------
    source : Rows
        N samples.
    anchors : Anchors
    n_neighbors : int
        Anchors a sample is linked to in every view.
    shares : sequence of V arrays of shape (M, K)
        How much of every anchor belongs to each cluster; see
        :func:`mvgraph.partition.anchor_memberships`.

    Returns
    -------
    ndarray of shape (N, K)
    """

    def vote(rows: slice) -> np.ndarray:
        block = source.read(rows)
        votes = np.zeros((rows.stop - rows.start, shares[0].shape[1]))
        for v, (x, points) in enumerate(zip(block.arrays, anchors.points, strict=True)):
            Z = anchor_graph(squared_distances(x, points), n_neighbors)
            part = np.einsum("nk,nkc->nc", Z.weights, shares[v][Z.indices])
            votes += part if block.mask is None else part * block.mask[:, v, None]
        return votes

    return np.concatenate(map_rows(vote, len(source), size=2048))
