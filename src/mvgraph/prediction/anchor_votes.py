"""Carry clusters to any number of samples, block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from mvgraph.graphs.anchors import Anchors
from mvgraph.graphs.bipartite import BLOCK, _graphs
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.parallel import map_rows
from mvgraph.prediction.discriminant import Discriminant, posterior
from mvgraph.views.rows import Block, Rows

__all__ = ["Carrier", "cluster_shares", "view_votes", "vote_labels"]

DOUBT = 0.2  # probability that a view is wrong about a sample


class Carrier(NamedTuple):
    """Anchors, and how much of each belongs to each cluster, one array a view."""

    scalings: list
    anchors: Anchors
    shares: Sequence[np.ndarray]  # V arrays (M, K)
    n_neighbors: int
    discriminant: Discriminant | None = None


def cluster_shares(
    source: Rows, anchors: Anchors, k: int, labels: np.ndarray, n_clusters: int
) -> list[np.ndarray]:
    """Learn what every anchor of every view says about the clusters.

    Returns
    -------
    list of V arrays of shape (M, n_clusters)
        See :func:`mvgraph.ops.labels.anchor_memberships`.
    """
    parts = map_rows(lambda r: _graphs(source.read(r), anchors, k), len(source), BLOCK)
    return [
        anchor_memberships(sp.vstack([g.tocsr() for g in view]), labels, n_clusters)
        for view in zip(*parts, strict=True)
    ]


def vote_labels(
    views, carriers: Sequence[Carrier], tick: Callable[[], None] | None = None
) -> np.ndarray:
    """Give every sample the cluster with most evidence.

    The anchors of a view say log((1 - e) share + e / K), share the mean share of the
    nearest of them: views are taken as independent witnesses, each of them wrong with
    probability e = 0.2. A view that a sample lacks says nothing. To the probability
    that follows, over carriers and views, that of the discriminants is added for
    samples that lack no view.

    Parameters
    ----------
    views : Views
        N samples, in memory or not.
    carriers : sequence of Carrier
    tick : callable, optional
        Called after every block of rows.

    Returns
    -------
    ndarray of int64, shape (N,)
    """

    def vote(rows: slice) -> np.ndarray:
        logs: Any = 0.0
        told = []
        for c in carriers:
            block = Rows(views, c.scalings).read(rows)
            logs = logs + _anchor_evidence(block, c)
            if c.discriminant is not None:
                told.append(_whole(block) * posterior(block, c.discriminant))
        evidence = softmax(logs, axis=1) + np.mean(told, axis=0) if told else logs
        return np.argmax(evidence, axis=1)

    return np.concatenate(map_rows(vote, len(views), BLOCK, tick))


def _whole(block: Block) -> Any:
    """Return 1 for rows that lack no view, 0 for the others: anchors alone tell them.

    Discriminants weigh views for what they add to each other.
    """
    return 1.0 if block.mask is None else block.mask.all(axis=1, keepdims=True)


def _anchor_evidence(block: Block, c: Carrier) -> np.ndarray:
    """Return, (n, K), the sum over views of log((1 - e) share + e / K)."""
    total = 0.0
    graphs = _graphs(block, c.anchors, c.n_neighbors)
    for graph, share in zip(graphs, c.shares, strict=True):
        mean = graph.tocsr() @ share
        total = total + np.log((1 - DOUBT) * mean + DOUBT / mean.shape[1])
    return np.asarray(total)


def view_votes(views, carrier: Carrier, labels: np.ndarray) -> np.ndarray:
    """Return, (N, V), the share of a given cluster among the anchors of every view."""

    def vote(rows: slice) -> np.ndarray:
        block = Rows(views, carrier.scalings).read(rows)
        graphs = _graphs(block, carrier.anchors, carrier.n_neighbors)
        own = labels[rows]
        return np.column_stack(
            [
                (graph.tocsr() @ share)[np.arange(len(own)), own]
                for graph, share in zip(graphs, carrier.shares, strict=True)
            ]
        )

    return np.concatenate(map_rows(vote, len(views), BLOCK))
