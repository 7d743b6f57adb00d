"""New rows in the embedding of a fit, through the anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from mvgraph.graphs.bipartite import mean_graph
from mvgraph.views.container import Views
from mvgraph.views.rows import Rows

__all__ = ["AnchorEmbedding", "anchor_means"]


class AnchorEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mix-in for clusterers whose anchors have a place in their embedding."""

    _anchor_embedding: np.ndarray  # (M, K)

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
        views = self._check_new(X)
        source, anchors, k = self._anchors_of(views)
        Z = mean_graph(source, anchors, k)
        return np.asarray(Z @ self._anchor_embedding, dtype=np.float64)

    def _anchors_of(self, views: Views) -> tuple[Rows, Any, int]:
        """Return scaled rows, the anchors of ``graph_`` and the number of links."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return self._anchor_embedding.shape[1]


def anchor_means(Z: Any, U: np.ndarray) -> np.ndarray:
    """Mean embedding of the samples of every anchor, (M, K)."""
    degree = np.asarray(Z.sum(axis=0)).ravel()
    return np.asarray(Z.T @ U) / np.maximum(degree, 1e-12)[:, None]
