"""Fitted models with anchors: embedding of samples, anchor classifiers, graphs."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mvgraph.graphs.bipartite import mean_graph, view_graphs
from mvgraph.prediction.anchor_votes import AnchorClassifier, vote_labels
from mvgraph.prediction.row_blocks import on_rows
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import scale_views

__all__ = ["AnchorModel", "AnchorVotes", "HasAnchors", "anchor_means"]


class AnchorVotes(NamedTuple):
    """Anchor classifiers of a fitted model, in the input's numbering of views."""

    views: np.ndarray  # positions of the views that the model uses
    classifiers: list[AnchorClassifier]  # memberships by label


@runtime_checkable
class HasAnchors(Protocol):
    """Interface of fitted models that explanations and pictures use."""

    labels_: np.ndarray

    def check_views(self, X: Any) -> Views:
        """Validate views against those of the fit."""

    def anchor_classifiers(self) -> AnchorVotes:
        """Return the views that the model uses, and its anchor classifiers."""

    def start_graphs(self, X: Any) -> dict[str, sp.csr_matrix]:
        """Return the anchor graph of every view that the model uses, by view name."""


class AnchorModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mix-in for clusterers that embed anchors.

    The estimator provides the views used (in the order of the fit), the anchor
    classifiers, of which the first gave ``graph_``, and the number of anchors that a
    row of ``graph_`` is linked to.
    """

    _anchor_embedding: np.ndarray  # (M, K)
    _used: np.ndarray
    _classifiers: list[AnchorClassifier]
    _graph_neighbors: int

    def predict(self, X: Any) -> Any:
        """Assign new samples to clusters through the anchors.

        Every sample is linked to its nearest anchors in every view and gets the
        cluster with the most evidence. Samples of the fit may get a different label
        than in ``labels_``.

        Parameters
        ----------
        X : as in fit, with the same views

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            If all views are dask arrays, a dask array: blocks of rows are labelled
            where they lie, when the result is computed.
        """
        views = self._views_used(X)
        f = partial(
            vote_labels,
            classifiers=self._classifiers,
            columns=self._columns_by_label,
        )
        return on_rows(f, views, np.int64)

    def transform(self, X: Any) -> Any:
        """Embed samples at the mean of their nearest anchors, over their views.

        An anchor is embedded at the mean of the samples that use it. The result for
        samples of the fit is near their rows of ``embedding_``, but not equal.

        Parameters
        ----------
        X : as in fit, with the same views; rows may be missing in some views

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            For dask arrays a dask array, as in `predict`.
        """
        views = self._views_used(X)
        f = partial(
            _embedding,
            classifier=self._classifiers[0],
            n_neighbors=self._graph_neighbors,
            anchor_embedding=self._anchor_embedding,
        )
        return on_rows(f, views, np.float64, self._n_features_out)

    def anchor_classifiers(self) -> AnchorVotes:
        """Return the views that the model uses, and its anchor classifiers.

        Returns
        -------
        AnchorVotes
            Positions of the views in the input, and classifiers whose memberships have
            one column per label.
        """
        columns, order = self._columns_by_label, self._view_order
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

    @property
    def _columns_by_label(self) -> np.ndarray:
        """Return the column of the memberships that belongs to every label."""
        known = np.flatnonzero(self._new_label >= 0)
        return np.asarray(known[np.argsort(self._new_label[known])])

    def _views_used(self, X: Any) -> Views:
        views: Views = self._check_new(X)
        return views.select(self._used)

    @property
    def _n_features_out(self) -> int:
        return self._anchor_embedding.shape[1]


def _embedding(
    views: Views,
    classifier: AnchorClassifier,
    n_neighbors: int,
    anchor_embedding: np.ndarray,
) -> np.ndarray:
    source = ScaledRows(views, classifier.scalings)
    return np.asarray(
        mean_graph(source, classifier.anchors, n_neighbors) @ anchor_embedding
    )


def anchor_means(Z: Any, U: np.ndarray) -> np.ndarray:
    """Return the mean embedding of the samples of every anchor, (M, K)."""
    degree = np.asarray(Z.sum(axis=0)).ravel()
    return np.asarray(Z.T @ U) / np.maximum(degree, 1e-12)[:, None]
