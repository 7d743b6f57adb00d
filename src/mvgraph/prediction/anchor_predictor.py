"""Prediction by anchors: labels, embedding and graph from one search for neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mvgraph.base.predictor import Block, Predictor
from mvgraph.graphs.bipartite import view_graphs
from mvgraph.prediction.anchor_votes import (
    AnchorClassifier,
    block_graph,
    block_votes,
    view_votes,
)
from mvgraph.views.container import Views
from mvgraph.views.scaling import scale_views

__all__ = ["AnchorPredictor", "AnchorVotes", "anchor_means"]


@dataclass(frozen=True)
class AnchorVotes(Predictor):
    """What anchors say of samples, view by view.

    Parameters
    ----------
    classifiers : list of AnchorClassifier
        The anchors of the first make the graph.
    used : ndarray of int
        Positions of the views that are used, in the order of the classifiers.
    graph_neighbors : int
        Anchors of a view that a row of the graph is linked to.
    columns : ndarray of int
        Column of the memberships that belongs to every label.
    """

    classifiers: list[AnchorClassifier]
    used: np.ndarray
    graph_neighbors: int
    columns: np.ndarray

    def take_views(self, order: np.ndarray) -> Self:
        """See Predictor."""
        return replace(self, used=np.argsort(order)[self.used])

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
        Of the anchors of the first classifier; a sample lies at the mean of its own.
    """

    fields: ClassVar[frozenset[str]] = frozenset(
        ("label", "confidence", "probability", "embedding", "graph")
    )

    anchor_embedding: np.ndarray

    @classmethod
    def of(
        cls,
        classifiers: list[AnchorClassifier],
        anchor_embedding: np.ndarray,
        graph_neighbors: int,
        used: np.ndarray | None = None,
    ) -> AnchorPredictor:
        """Make a predictor whose labels are the columns of the memberships.

        All views are used unless `used` names some.
        """
        first = classifiers[0].memberships
        used = np.arange(len(first)) if used is None else used
        columns = np.arange(first[0].shape[1])
        return cls(classifiers, used, graph_neighbors, columns, anchor_embedding)

    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """See Predictor; all fields come from the same distances."""
        found: Block = {}
        voted = {"label", "confidence", "probability"} & set(wanted)
        linked = {"embedding", "graph"} & set(wanted)
        views, graph = views.select(self.used), None
        if voted:
            k = self.graph_neighbors if linked else None
            P, graph = block_votes(views, self.classifiers, k)
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
