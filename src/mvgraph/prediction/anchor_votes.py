"""Anchor classifiers: the out-of-sample extension of a clustering, block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from mvgraph.graphs.anchors import Anchors
from mvgraph.graphs.bipartite import ROWS_PER_BLOCK, Graph, block_graphs, mean_of_block
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.parallel import map_rows
from mvgraph.prediction.discriminant import Discriminant, posterior
from mvgraph.views.container import Views
from mvgraph.views.rows import Block, Rows

__all__ = [
    "AnchorClassifier",
    "block_probabilities",
    "cluster_memberships",
    "view_votes",
    "vote_labels",
    "vote_probabilities",
]

ERROR_RATE = 0.2  # probability that a view is wrong about a sample


class AnchorClassifier(NamedTuple):
    """Anchors and their cluster memberships, one array per view."""

    scalings: list
    anchors: Anchors
    memberships: Sequence[np.ndarray]  # V arrays (M, K)
    n_neighbors: int
    discriminant: Discriminant | None = None


def cluster_memberships(
    source: Rows, anchors: Anchors, k: int, labels: np.ndarray, n_clusters: int
) -> list[np.ndarray]:
    """Learn the cluster memberships of the anchors of every view.

    Returns
    -------
    list of V arrays of shape (M, n_clusters)
        See :func:`mvgraph.ops.labels.anchor_memberships`.
    """
    parts = map_rows(
        lambda r: block_graphs(source.read(r), anchors, (k,))[0],
        len(source),
        ROWS_PER_BLOCK,
    )
    return [
        anchor_memberships(sp.vstack([g.tocsr() for g in view]), labels, n_clusters)
        for view in zip(*parts, strict=True)
    ]


def vote_labels(
    views: Views,
    classifiers: Sequence[AnchorClassifier],
    progress: Callable[[], None] | None = None,
) -> np.ndarray:
    """Give every sample the cluster of largest probability; see `vote_probabilities`.

    Returns
    -------
    ndarray of int64, shape (N,)
    """

    def vote(rows: slice) -> np.ndarray:
        return np.argmax(block_probabilities(views, rows, classifiers)[0], axis=1)

    return np.concatenate(map_rows(vote, len(views), ROWS_PER_BLOCK, progress))


def vote_probabilities(
    views: Views,
    classifiers: Sequence[AnchorClassifier],
    progress: Callable[[], None] | None = None,
) -> np.ndarray:
    """Return the probability of every cluster for every sample.

    The evidence of a view is log((1 - e) m + e / K), with m the mean membership of the
    nearest anchors: views are taken as independent classifiers, each of them wrong with
    probability e = 0.2. A view that a sample lacks contributes nothing. The probability
    that follows, over classifiers and views, and that of the discriminants count the
    same; for samples that lack a view the discriminants do not count.

    Parameters
    ----------
    views : Views
        N samples, in memory or not.
    classifiers : sequence of AnchorClassifier
    progress : callable, optional
        Called after every block of rows.

    Returns
    -------
    ndarray of float32, shape (N, K)
        Rows sum to one.
    """

    def vote(rows: slice) -> np.ndarray:
        found = block_probabilities(views, rows, classifiers)[0]
        return found.astype(np.float32)

    return np.concatenate(map_rows(vote, len(views), ROWS_PER_BLOCK, progress))


def block_probabilities(
    views: Views,
    rows: slice,
    classifiers: Sequence[AnchorClassifier],
    graph_neighbors: int | None = None,
) -> tuple[np.ndarray, sp.csr_matrix | None]:
    """Return probabilities of a block of rows, and their mean graph if asked for.

    The graph is that of the first classifier's anchors; it takes the same distances.
    """
    logs: Any = 0.0
    posteriors = []
    graph = None
    for c in classifiers:
        block = Rows(views, c.scalings).read(rows)
        wanted: tuple[int, ...] = (c.n_neighbors,)
        if graph_neighbors is not None and graph is None:
            wanted = (c.n_neighbors, graph_neighbors)
        found = block_graphs(block, c.anchors, wanted)
        if len(wanted) > 1:
            graph = mean_of_block(found[1])
        logs = logs + _evidence(found[0], c)
        if c.discriminant is not None:
            posteriors.append(_complete(block) * posterior(block, c.discriminant))
    P = softmax(logs, axis=1)
    if posteriors:
        P = P + np.mean(posteriors, axis=0)
    return P / P.sum(axis=1, keepdims=True), graph


def _complete(block: Block) -> Any:
    """Return 1 for rows that lack no view, 0 for the others.

    Discriminants weigh views for what they add to each other, so that only anchors
    classify a row that lacks a view.
    """
    return 1.0 if block.mask is None else block.mask.all(axis=1, keepdims=True)


def _evidence(graphs: Sequence[Graph], c: AnchorClassifier) -> np.ndarray:
    """Return, (n, K), the sum over views of log((1 - e) m + e / K)."""
    total: Any = 0.0
    for graph, m in zip(graphs, c.memberships, strict=True):
        mean = graph.tocsr() @ m
        total = total + np.log((1 - ERROR_RATE) * mean + ERROR_RATE / mean.shape[1])
    return np.asarray(total)


def view_votes(
    views: Views, classifier: AnchorClassifier, labels: np.ndarray
) -> np.ndarray:
    """Return, (N, V), the share of a given cluster among the anchors of every view."""

    def vote(rows: slice) -> np.ndarray:
        block = Rows(views, classifier.scalings).read(rows)
        k = classifier.n_neighbors
        (graphs,) = block_graphs(block, classifier.anchors, (k,))
        own = labels[rows]
        return np.column_stack(
            [
                (graph.tocsr() @ share)[np.arange(len(own)), own]
                for graph, share in zip(graphs, classifier.memberships, strict=True)
            ]
        )

    return np.concatenate(map_rows(vote, len(views), ROWS_PER_BLOCK))
