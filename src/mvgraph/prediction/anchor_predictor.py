"""Prediction by anchors: labels, embedding and graph from one search for neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from mvgraph.base.predictor import Block, Predictor
from mvgraph.graphs.anchors import Anchors
from mvgraph.graphs.bipartite import (
    ROWS_PER_BLOCK,
    Graph,
    block_graphs,
    mean_of_block,
    view_graphs,
)
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.parallel import map_rows
from mvgraph.prediction.discriminant import Discriminant, posterior
from mvgraph.prediction.outliers import Measured, Usual
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock, ScaledRows
from mvgraph.views.scaling import scale_views

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


class Votes(NamedTuple):
    """What anchors say about rows."""

    probability: np.ndarray  # (n, K), float32; rows sum to one
    graph: sp.csr_matrix | None  # (n, M), mean over the views
    measured: Measured | None


def block_votes(
    views: Views,
    classifiers: Sequence[AnchorClassifier],
    graph_neighbors: int | None = None,
    usual: Usual | None = None,
) -> Votes:
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
    usual : Usual, optional
        Measure the rows too.

    Returns
    -------
    Votes
    """
    logs: Any = 0.0
    posteriors = []
    graph = measured = None
    for c in classifiers:
        block = scaled_rows(views, c)
        first = c is classifiers[0]
        wanted: tuple[int, ...] = (c.n_neighbors,)
        if graph_neighbors is not None and first:
            wanted = (c.n_neighbors, graph_neighbors)
        if usual is not None and first:
            measured = usual.measure(block)
        graphs = block_graphs(block, c.anchors, wanted)
        if len(wanted) > 1:
            graph = mean_of_block(graphs[1])
        logs = logs + _evidence(graphs[0], c)
        if c.discriminant is not None:
            posteriors.append(_complete(block) * posterior(block, c.discriminant))
    P = softmax(logs, axis=1)
    if posteriors:
        P = P + np.mean(posteriors, axis=0)
    P = (P / P.sum(axis=1, keepdims=True)).astype(np.float32)
    return Votes(P, graph, measured)


def block_graph(
    views: Views, classifier: AnchorClassifier, graph_neighbors: int
) -> sp.csr_matrix:
    """Return the graph of `block_votes` alone."""
    block = scaled_rows(views, classifier)
    return mean_of_block(block_graphs(block, classifier.anchors, (graph_neighbors,))[0])


def scaled_rows(views: Views, c: AnchorClassifier) -> RowBlock:
    """Return a block of rows as the anchors of a classifier see it."""
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
        mean = graph.times(members)
        total = total + np.log((1 - ERROR_RATE) * mean + ERROR_RATE / mean.shape[1])
    return np.asarray(total)


def view_votes(
    views: Views, classifier: AnchorClassifier, labels: np.ndarray
) -> np.ndarray:
    """Return, (N, V), the membership in the given clusters by the anchors per view."""

    def vote(rows: slice) -> np.ndarray:
        block = ScaledRows(views, classifier.scalings).read(rows)
        k, own = classifier.n_neighbors, labels[rows]
        (graphs,) = block_graphs(block, classifier.anchors, (k,))
        pairs = zip(graphs, classifier.memberships, strict=True)
        i = np.arange(len(own))
        return np.column_stack([Z.times(members)[i, own] for Z, members in pairs])

    return np.concatenate(map_rows(vote, len(views), ROWS_PER_BLOCK))


@dataclass(frozen=True)
class AnchorVotes(Predictor):
    """The evidence of anchors about samples, view by view.

    Parameters
    ----------
    classifiers : list of AnchorClassifier
        The anchors of the first make the graph.
    graph_neighbors : int
        Anchors of a view that a row of the graph is linked to.
    columns : ndarray of int
        Column of the memberships that belongs to every label.
    """

    classifiers: list[AnchorClassifier]
    graph_neighbors: int
    columns: np.ndarray

    def renumber(self, new: np.ndarray) -> Self:
        """See Predictor."""
        known = np.flatnonzero(new >= 0)
        return replace(self, columns=self.columns[known[np.argsort(new[known])]])

    def view_graphs(self, views: Views) -> dict[str, sp.csr_matrix]:
        """See Predictor."""
        views, main = views.select(self.used), self.classifiers[0]
        scaled = scale_views(views, main.scalings)
        graphs = view_graphs(scaled, main.anchors, self.graph_neighbors)
        found = {n: g.tocsr() for n, g in zip(views.names, graphs, strict=True)}
        return dict(sorted(found.items()))

    def votes(self, views: Views, labels: np.ndarray) -> np.ndarray:
        """See Predictor."""
        labels = self.positions(labels)
        total = np.zeros((len(views), views.n_views))
        for c in self.classifiers:
            c = c._replace(memberships=[m[:, self.columns] for m in c.memberships])
            said = view_votes(views.select(self.used), c, labels)
            total[:, self.used] += np.maximum(said - 1 / len(self.columns), 0)
        return total


@dataclass(frozen=True)
class AnchorPredictor(AnchorVotes):
    """Link every sample to its nearest anchors in every view; let these vote.

    Parameters
    ----------
    anchor_embedding : ndarray of shape (M, q)
        Of the anchors of the first classifier; a sample is at the mean of its anchors.
    """

    fields: ClassVar[frozenset[str]] = frozenset(
        ("label", "confidence", "probability", "embedding", "graph")
    )

    anchor_embedding: np.ndarray

    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """See Predictor; all fields come from the same distances."""
        found: Block = {}
        voted = {"label", "confidence", "probability"} & set(wanted)
        linked = {"embedding", "graph"} & set(wanted)
        views, graph = views.select(self.used), None
        if voted:
            k = self.graph_neighbors if linked else None
            P, graph, _ = block_votes(views, self.classifiers, k)
            P = P[:, self.columns]
            labels = np.argmax(P, axis=1)
            sure = P[np.arange(len(P)), labels]
            found = {"label": labels, "confidence": sure, "probability": P}
        elif linked:
            graph = block_graph(views, self.classifiers[0], self.graph_neighbors)
        if graph is not None:
            embedding = np.asarray(graph @ self.anchor_embedding, dtype=np.float64)
            found |= {"graph": graph, "embedding": embedding}
        return {field: found[field] for field in wanted}

    def shape_of(self, field: str) -> tuple[Any, int | None]:
        """See Predictor."""
        return {
            "label": (np.int64, None),
            "confidence": (np.float32, None),
            "probability": (np.float32, len(self.columns)),
            "embedding": (np.float64, self.anchor_embedding.shape[1]),
            "graph": (np.float32, self.classifiers[0].anchors.n_anchors),
        }[field]


def anchor_means(Z: Any, U: np.ndarray) -> np.ndarray:
    """Return the mean embedding of the samples of every anchor, (M, K)."""
    degree = np.asarray(Z.sum(axis=0)).ravel()
    return np.asarray(Z.T @ U) / np.maximum(degree, 1e-12)[:, None]
