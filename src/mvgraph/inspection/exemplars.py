"""Samples of a clustering: what every view says of each, and who is typical."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.base.predictor import Predictor
from mvgraph.views.container import Views

__all__ = ["contributions", "exemplars"]

Rows = list[dict[str, Any]]


def contributions(
    predictor: Predictor, views: Views, labels: np.ndarray
) -> np.ndarray | None:
    """Return the shares of the views in the votes for every sample's own cluster.

    None where the views of a model do not vote.
    """
    votes = predictor.votes(views, labels)
    if votes is None:
        return None
    has = np.zeros((len(views), views.n_views))
    has[:, predictor.used] = 1
    if views.mask is not None:
        has *= views.mask
    votes *= has
    votes = np.where(votes.any(axis=1, keepdims=True), votes, has)
    return votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)


def exemplars(model: Any, views: Views, n: int) -> Rows:
    """List the rows nearest to the mean of their cluster in the embedding."""
    U = np.asarray(model.embedding_, dtype=np.float64)
    U = U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), 1e-12)
    out: Rows = []
    for cluster in range(int(model.labels_.max()) + 1):
        rows = np.flatnonzero(model.labels_ == cluster)
        centre = U[rows].mean(axis=0)
        closeness = U[rows] @ centre / max(float(np.linalg.norm(centre)), 1e-12)
        for rank, i in enumerate(np.argsort(-closeness, kind="stable")[:n]):
            row = int(rows[i])
            name = row if views.ids is None else _plain(views.ids[row])
            out.append(
                {
                    "cluster": cluster,
                    "rank": rank,
                    "row": row,
                    "id": name,
                    "closeness": float(closeness[i]),
                }
            )
    return out


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
