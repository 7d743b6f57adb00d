"""Anchor classifiers: out-of-sample extension of a clustering, block by block."""

from __future__ import annotations

from collections.abc import Sequence
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
from mvgraph.views.rows import RowBlock, ScaledRows

__all__ = [
    "AnchorClassifier",
    "block_graph",
    "block_votes",
    "cluster_memberships",
    "view_votes",
]

ERROR_RATE = 0.2  # probability that a view is wrong about a sample


class AnchorClassifier(NamedTuple):
    """Anchors and their cluster memberships, one array per view."""

    scalings: list[Any]
    anchors: Anchors
    memberships: Sequence[np.ndarray]  # V arrays (M, K)
    n_neighbors: int
    discriminant: Discriminant | None = None


def cluster_memberships(
    source: ScaledRows, anchors: Anchors, k: int, labels: np.ndarray, n_clusters: int
) -> list[np.ndarray]:
    """Compute the cluster memberships of the anchors of every view.

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


def block_votes(
    views: Views,
    classifiers: Sequence[AnchorClassifier],
    graph_neighbors: int | None = None,
) -> tuple[np.ndarray, sp.csr_matrix | None]:
    """Return the probability of every cluster for a block of rows.

    The evidence of a view is log((1 - e) m + e / K), with m the mean membership of the
    nearest anchors: views are treated as independent classifiers, each of which errs
    with probability e = 0.2. Missing views contribute nothing. The probability that
    follows, over classifiers and views, and that of the discriminants have equal
    weights; for samples with missing views the discriminants are not used.

    Parameters
    ----------
    views : Views
        n rows of the views that are used.
    classifiers : sequence of AnchorClassifier
    graph_neighbors : int, optional
        Return a graph too: of so many anchors per view of the first classifier, from
        the same distances.

    Returns
    -------
    probability : ndarray of float32, shape (n, K)
        Rows sum to one.
    graph : csr_matrix of shape (n, M), or None
        Mean over the views.
    """
    logs: Any = 0.0
    posteriors = []
    graph = None
    for c in classifiers:
        block = _scaled(views, c)
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
    return (P / P.sum(axis=1, keepdims=True)).astype(np.float32), graph


def block_graph(
    views: Views, classifier: AnchorClassifier, graph_neighbors: int
) -> sp.csr_matrix:
    """Return the graph of `block_votes` alone."""
    block = _scaled(views, classifier)
    return mean_of_block(block_graphs(block, classifier.anchors, (graph_neighbors,))[0])


def _scaled(views: Views, c: AnchorClassifier) -> RowBlock:
    return ScaledRows(views, c.scalings).read(slice(None))


def _complete(block: RowBlock) -> Any:
    """Return 1 for rows present in all views, 0 for the others.

    Discriminants weight views by what they contribute jointly, so rows with missing
    views are classified by anchors only.
    """
    return 1.0 if block.mask is None else block.mask.all(axis=1, keepdims=True)


def _evidence(graphs: Sequence[Graph], c: AnchorClassifier) -> np.ndarray:
    """Return, (n, K), the sum over views of log((1 - e) m + e / K)."""
    total: Any = 0.0
    for graph, members in zip(graphs, c.memberships, strict=True):
        mean = graph.tocsr() @ members
        total = total + np.log((1 - ERROR_RATE) * mean + ERROR_RATE / mean.shape[1])
    return np.asarray(total)


def view_votes(
    views: Views, classifier: AnchorClassifier, labels: np.ndarray
) -> np.ndarray:
    """Return, (N, V), the membership in the given clusters by the anchors per view."""

    def vote(rows: slice) -> np.ndarray:
        block = ScaledRows(views, classifier.scalings).read(rows)
        k = classifier.n_neighbors
        (graphs,) = block_graphs(block, classifier.anchors, (k,))
        own = labels[rows]
        return np.column_stack(
            [
                (graph.tocsr() @ members)[np.arange(len(own)), own]
                for graph, members in zip(graphs, classifier.memberships, strict=True)
            ]
        )

    return np.concatenate(map_rows(vote, len(views), ROWS_PER_BLOCK))
