"""Fitted models with anchors: what they answer about samples and about themselves."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mvgraph.graphs.bipartite import mean_graph, view_graphs
from mvgraph.prediction.anchor_votes import AnchorClassifier
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import scale_views

__all__ = ["AnchorModel", "AnchorVotes", "HasAnchors", "anchor_means"]


class AnchorVotes(NamedTuple):
    """What the anchors of a fitted model say about clusters, in the caller's terms."""

    views: np.ndarray  # positions of the views that the model uses
    classifiers: list[AnchorClassifier]  # memberships by label


@runtime_checkable
class HasAnchors(Protocol):
    """What explanations and pictures ask of a fitted model."""

    labels_: np.ndarray

    def check_views(self, X: Any) -> Views:
        """Validate views against those of the fit."""

    def anchor_classifiers(self) -> AnchorVotes:
        """Return the views that the model uses, and what its anchors say."""

    def start_graphs(self, X: Any) -> dict[str, sp.csr_matrix]:
        """Return the anchor graph of every view that the model uses, by view name."""


class AnchorModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mix-in for clusterers whose anchors have a place in their embedding.

    The estimator declares what it learned: the views used, in the order of the fit,
    the anchor classifiers, of which the first made ``graph_``, and the number of
    anchors that a row of ``graph_`` is linked to.
    """

    _anchor_embedding: np.ndarray  # (M, K)
    _used: np.ndarray
    _classifiers: list[AnchorClassifier]
    _graph_neighbors: int

    def transform(self, X: Any) -> np.ndarray:
        """Embed samples: the mean of their nearest anchors, over the views they have.

        An anchor lies at the mean of the samples that use it. The samples of the fit
        come out near, not exactly at, their rows of ``embedding_``.

        Parameters
        ----------
        X : as in fit, with the same views; rows may lack views

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        views, main = self._views_used(X), self._classifiers[0]
        source = ScaledRows(views, main.scalings)
        Z = mean_graph(source, main.anchors, self._graph_neighbors)
        return np.asarray(Z @ self._anchor_embedding, dtype=np.float64)

    def anchor_classifiers(self) -> AnchorVotes:
        """Return the views that the model uses, and what its anchors say.

        Returns
        -------
        AnchorVotes
            Positions of the views, and classifiers whose memberships have one column
            per label.
        """
        new, order = self._new_label, self._view_order
        known = np.flatnonzero(new >= 0)
        columns = known[np.argsort(new[known])]
        classifiers = [
            c._replace(memberships=[m[:, columns] for m in c.memberships])
            for c in self._classifiers
        ]
        used = self._used if order is None else order[self._used]
        return AnchorVotes(used, classifiers)

    def start_graphs(self, X: Any) -> dict[str, sp.csr_matrix]:
        """Return the anchor graph of every view that the model uses, by view name.

        Parameters
        ----------
        X : as in fit, with the same views

        Returns
        -------
        dict of str to csr_matrix of shape (n_samples, n_anchors)
        """
        views, main = self._views_used(X), self._classifiers[0]
        scaled = scale_views(views, main.scalings)
        graphs = view_graphs(scaled, main.anchors, self._graph_neighbors)
        found = {n: g.tocsr() for n, g in zip(views.names, graphs, strict=True)}
        return dict(sorted(found.items()))

    def _views_used(self, X: Any) -> Views:
        views: Views = self._check_new(X)
        return views.select(self._used)

    @property
    def _n_features_out(self) -> int:
        return self._anchor_embedding.shape[1]


def anchor_means(Z: Any, U: np.ndarray) -> np.ndarray:
    """Mean embedding of the samples of every anchor, (M, K)."""
    degree = np.asarray(Z.sum(axis=0)).ravel()
    return np.asarray(Z.T @ U) / np.maximum(degree, 1e-12)[:, None]
