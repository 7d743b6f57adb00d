"""Clusters of a model or of labels: their members, the votes of views, exemplars."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.base.predictor import Predictor
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

__all__ = [
    "Groups",
    "contributions",
    "exemplars",
    "groups_of_labels",
    "groups_of_model",
]


class Groups(NamedTuple):
    """Views, and the cluster of every row."""

    views: Views
    codes: np.ndarray  # (n,), -1: of no cluster
    names: list[Any]  # of the clusters, int or str

    def rows(self, v: int) -> tuple[Any, np.ndarray]:
        """Return the rows of a view that are there and in a cluster, and in which.

        Raises
        ------
        ValueError
            There are none.
        """
        known = self.codes >= 0
        if self.views.mask is not None:
            known = known & self.views.mask[:, v]
        if not known.any():
            raise ValueError(
                f"View {self.views.names[v]!r}: no sample of a cluster has it; leave "
                "the view out."
            )
        return self.views.arrays[v][slice(None) if known.all() else known], self.codes[
            known
        ]


def groups_of_model(model: Any, X: Any) -> Groups:
    """Read ``labels_`` of a fitted clusterer and check that X fits them."""
    views, labels = as_views(X), np.asarray(model.labels_)
    if isinstance(model, Clusterer):
        model.schema_.refuse_raw_counts(X)
        model.schema_.refuse_fewer_views(views)
        views = model.schema_.match(views)
        model.schema_.check_same_rows(views, stacklevel=3)
    elif len(views) != len(labels):
        raise ValueError(
            f"The model was fitted on {len(labels)} samples, X has {len(views)}; pass "
            "the views of the fit."
        )
    return Groups(views, *_coded(labels))


def groups_of_labels(X: Any, labels: Any) -> Groups:
    """Read labels of any kind; a Series is matched with named rows by its index.

    Raises
    ------
    ValueError
        Labels of another number, without any cluster, or of other samples.
    """
    views = as_views(X)
    labels = _by_id(labels, views.ids)
    if labels.shape != (len(views),):
        raise ValueError(
            f"labels must hold one label for each of {len(views)} samples, got shape "
            f"{labels.shape}."
        )
    return Groups(views, *_coded(labels))


def _by_id(labels: Any, ids: np.ndarray | None) -> np.ndarray:
    """Bring a Series into the order of the samples; its index may hold more."""
    if ids is None or not hasattr(labels, "reindex"):
        return np.asarray(labels)
    index: Any = labels.index
    if index.dtype.kind in "iu" and np.asarray(ids).dtype.kind not in "iu":
        return np.asarray(labels)  # it only counts the rows
    if not index.is_unique:
        raise ValueError("labels name a sample twice in their index; keep one of each.")
    absent = ~np.isin(np.asarray(ids, dtype=str), np.asarray(index, dtype=str))
    if absent.any():
        raise ValueError(
            f"labels lack {int(absent.sum())} of {len(ids)} samples, first "
            f"{ids[absent][0]!r}; pass labels for all, missing ones as None."
        )
    return np.asarray(labels.reindex(ids))


def _coded(labels: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Return the place of every label among all, sorted, and these; -1: none."""
    if labels.dtype.kind in "biu":
        known = labels >= 0
    elif labels.dtype.kind == "f":
        known = ~(np.isnan(labels) | (labels < 0))
    else:
        known = np.array([value is not None and value == value for value in labels])
    if not known.any():
        raise ValueError("labels hold no cluster: all are negative or missing.")
    codes = np.full(len(labels), -1)
    held = labels[known]
    if held.dtype.kind == "f" and (held == np.floor(held)).all():
        held = held.astype(np.int64)  # pandas makes floats where one is missing
    if held.dtype.kind == "O" and not all(isinstance(v, int) for v in held):
        held = held.astype(str)
    names, codes[known] = np.unique(held, return_inverse=True)
    called = names.tolist()
    order = list(range(len(called)))
    if all(isinstance(v, str) and v.isdecimal() for v in called):
        order.sort(key=lambda i: int(called[i]))  # "2" before "10"
    place = np.argsort(order)
    return np.where(codes < 0, -1, place[codes]), [called[i] for i in order]


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
