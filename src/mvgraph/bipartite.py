"""Anchor graphs: every sample linked to its nearest anchors, weights in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.anchors import Anchors
from mvgraph.blocks import map_rows
from mvgraph.ops.distance import nearest, squared_distances
from mvgraph.ops.neighbors import closed_form_weights, rows_to_csr
from mvgraph.views import Views

__all__ = [
    "Graph",
    "anchor_graph",
    "anchor_graphs",
    "closed_form_weights",
    "view_graphs",
]


class Graph(NamedTuple):
    """A bipartite graph by rows: k anchors and weights a sample."""

    indices: np.ndarray  # (N, k) anchors, nearest first
    weights: np.ndarray  # (N, k), rows sum to one
    alpha: np.ndarray  # (N,) regularisation that gives exactly k non-zeros
    n_anchors: int

    def tocsr(self) -> sp.csr_matrix:
        """Return the graph as a CSR matrix (N, M) without explicit zeros."""
        return rows_to_csr(self.indices, self.weights, self.n_anchors)


def anchor_graph(D: np.ndarray, n_neighbors: int) -> Graph:
    """Build the graph of squared distances D (N, M); see closed_form_weights."""
    return anchor_graphs(D, (n_neighbors,))[0]


def anchor_graphs(D: np.ndarray, n_neighbors: Sequence[int]) -> list[Graph]:
    """Build anchor_graph for several numbers of neighbours from one search."""
    M = D.shape[1]
    if M == 1:
        ones = np.ones((len(D), 1))
        only = Graph(np.zeros((len(D), 1), dtype=np.int64), ones, np.zeros(len(D)), 1)
        return [only] * len(n_neighbors)
    idx, d = nearest(D, min(max(n_neighbors), M - 1) + 1)
    graphs = []
    for k in (min(k, M - 1) for k in n_neighbors):
        weights, alpha = closed_form_weights(d[:, : k + 1])
        graphs.append(Graph(idx[:, :k], weights, alpha, M))
    return graphs


def view_graphs(views: Views, anchors: Anchors, n_neighbors: int) -> list[Graph]:
    """Build one anchor graph a view."""
    return [
        _graph(x, a, n_neighbors)
        for x, a in zip(views.arrays, anchors.points, strict=True)
    ]


def _graph(x, points, n_neighbors: int) -> Graph:
    parts = map_rows(
        lambda rows: anchor_graph(squared_distances(x[rows], points), n_neighbors),
        x.shape[0],
    )
    return Graph(
        np.concatenate([g.indices for g in parts]),
        np.concatenate([g.weights for g in parts]),
        np.concatenate([g.alpha for g in parts]),
        parts[0].n_anchors,
    )
