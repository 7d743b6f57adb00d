"""Numbers of clusters: from 0 on, or those of an older model for the same clusters."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClusterMixin

from mvgraph.base.kept import names_of
from mvgraph.base.predictor import MAX_OUTLIER, predict_rows
from mvgraph.base.result import Result
from mvgraph.ops.matching import MOST, Change, changes, overlap, pairs, weight
from mvgraph.ops.stability import PER_BIN
from mvgraph.views.container import Views
from mvgraph.views.order import ContentOrder
from mvgraph.views.reference import DECILES, Reference, count_bins, n_counted

#: Rows that are compared: shares are right within 1.4 %, two standard errors of a half.
COMPARED = 5000
#: Reasons that are named, the most serious first.
REASONS = 3


def recoded(views: Views, like: Any) -> Views:
    """Return rows with the features that the fit of an older model made of tables."""
    known = like.schema_.encoders
    if views.encoders is None or known is None:
        return views
    return views.encoders.recoded(views, known, like.schema_.columns)


def moved_note(views: Views, like: Any) -> str | None:
    """Tell that an older model would have to be fitted again, and why; else None.

    A fit adapts to whatever it is given, even if the views are of two samples.

    Parameters
    ----------
    views : Views
        Some rows of the new fit, drawn at random.
    like : fitted model
    """
    if like.predictor is None:
        return None
    # by name: the comparison predicts, and so depends on methods
    compare = import_module("mvgraph.prediction.monitor").compare
    try:
        found = compare(like, recoded(views, like))
    except ValueError:  # other views: clusters are matched by names
        return None
    if found.verdict != "refit":
        return None
    return (
        "like: these samples are not as those of the older model"
        f" ({'; '.join(found.reasons[:REASONS])}). Check the data before you use the"
        " new model"
    )


#: Samples of every cluster that are compared, if it has them: shares are right within
#: 7 %, two standard errors of a half.
OF_EACH = 200
#: Samples in matched clusters by name, as a share of those by prediction, from which
#: on the names are those of the same samples, few of which change their cluster.
NAMES = 0.95


class Identity(NamedTuple):
    """The numbers of the clusters of a fit."""

    position: np.ndarray  # of every label of the method; -1: no sample has it
    ids: np.ndarray  # (K,) numbers by position, rising
    next_id: int  # the least that no cluster has had
    changes: tuple[Change, ...] | None = None
    names: list[str] | None = None  # (K,) those of the older model
    moved: str | None = None  # why the rows are not as those of the older model

    def describe(self, result: Result, order: ContentOrder, views: Views) -> Reference:
        """Return what the rows looked like, for comparisons with other rows."""
        if result.sample is None:
            rows = np.sort(order.rows[: n_counted(views.n_features)])
            some = views[rows]
        else:
            rows, some = result.sample
            some = some.select(np.argsort(order.views))
        score, outliers = result.outlier_score, None
        if isinstance(score, np.ndarray):
            outliers = float((score > MAX_OUTLIER).mean())
        codes = self.position[result.labels[rows]]
        return Reference.learn(some, codes, len(self.ids), outliers)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of an estimator by name."""
        found = {"cluster_ids_": self.ids, "next_cluster_id_": self.next_id}
        told = {"changes_": self.changes, "cluster_names_": self.names}
        return found | {name: v for name, v in told.items() if v is not None}


def read_like(like: Any) -> Any:
    """Return the older model, loaded if it is a folder; None for None.

    Raises
    ------
    ValueError
        It is no fitted model of mvgraph.
    """
    if like is None:
        return None
    if isinstance(like, str | PathLike):
        from mvgraph.persistence.models import load_model

        return load_model(like)
    if not isinstance(like, ClusterMixin) or "cluster_ids_" not in vars(like):
        raise ValueError(
            "like must be a fitted model of mvgraph or the folder of one; got "
            f"{type(like).__name__}."
        )
    return like


def identify(
    labels: np.ndarray, order: np.ndarray, views: Views, like: Any
) -> Identity:
    """Give the clusters of a fit their numbers.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Clusters in the numbering of the method.
    order : ndarray of int, shape (n,)
        The first rows are a random sample.
    views : Views
        The rows of the fit.
    like : fitted model or None
        None: clusters are numbered by first occurrence. Else they are matched with
        its clusters, and those that are new get numbers that were never used.

    Raises
    ------
    ValueError
        The rows cannot be compared with those of the older model.
    """
    values, first, coded, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    by_first = np.argsort(first, kind="stable")
    position = np.full(int(values.max()) + 1, -1)
    if like is None:
        position[values[by_first]] = np.arange(len(values))
        return Identity(position, np.arange(len(values)), len(values))
    rows = _sample(coded, sizes, order, n_counted(views.n_features))
    few = views[rows]
    table, near = _tables(coded[rows], sizes, few, like)
    same, ids = pairs(table), np.full(len(values), -1)
    ids[list(same.values())] = like.cluster_ids_[list(same)]
    fresh = [j for j in by_first.tolist() if ids[j] < 0]
    ids[fresh] = like.next_cluster_id_ + np.arange(len(fresh))
    old_sizes = np.array([int((like.labels_ == c).sum()) for c in like.cluster_ids_])
    said = changes(table, near, same, (like.cluster_ids_, ids), (old_sizes, sizes))
    position[values[np.argsort(ids)]] = np.arange(len(values))
    next_id, ids = like.next_cluster_id_ + len(fresh), np.sort(ids)
    some = few[np.isin(rows, order[:COMPARED])]
    moved = moved_note(some, like)
    return Identity(position, ids, next_id, said, _names(ids, like), moved)


def _names(ids: np.ndarray, like: Any) -> list[str] | None:
    """Return the names that clusters of these numbers have in the older model."""
    told = names_of(like)
    return [told.get(cluster, "") for cluster in ids.tolist()] if told else None


def _sample(
    coded: np.ndarray, sizes: np.ndarray, order: np.ndarray, most: int
) -> np.ndarray:
    """Return rows to compare, rising: a share of every cluster, and a least number."""
    n = len(coded)
    wanted = np.maximum(np.ceil(sizes * (most / n)), np.minimum(OF_EACH, sizes))
    found = []
    sorted_codes = coded[order]
    for c, some in enumerate(np.minimum(wanted, sizes).astype(int)):
        found.append(order[np.flatnonzero(sorted_codes == c)[:some]])
    return np.sort(np.concatenate(found))


def _tables(
    new: np.ndarray, sizes: np.ndarray, few: Views, like: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Count rows by old and new cluster: as predicted, or as they were by name.

    By name, unless the predictions have clearly more in common with the new clusters:
    names that only count the rows say nothing. In the first table far rows are in no
    old cluster, in the second in the nearest.
    """
    weights = sizes / np.maximum(np.bincount(new, minlength=len(sizes)), 1)
    known = _labels_by_name(few, like)
    try:
        predicted = _predicted(few, new, like)
    except ValueError as error:
        if known is None:
            raise ValueError(f"like: {error}") from error
        predicted = np.full((2, len(few)), -1)
    both = [predicted]
    if known is not None:
        both.append(np.where(known >= 0, known, predicted))
    n_old = len(like.cluster_ids_)
    tables = [[overlap(old, new, n_old, weights) for old in pair] for pair in both]
    by_name = weight(tables[-1][0]) >= NAMES * weight(tables[0][0])
    best = tables[-1 if by_name else 0]
    return best[0], best[1]


def _predicted(views: Views, new: np.ndarray, like: Any) -> np.ndarray:
    """Return the old cluster of every row by position, -1 if it is far; the nearest."""
    if like.predictor is None:
        raise ValueError(
            f"{type(like).__name__} cannot label new samples, and no sample has a name "
            "that its fit knew; use another method, or name the samples."
        )
    schema = like.schema_
    matched, whole = schema.match(recoded(views, like)), schema.needs_every_view
    labels = predict_rows(like.predictor_, matched, "label", whole)
    near = np.searchsorted(like.cluster_ids_, labels)
    if "outlier_score" in like.predictor_.fields:
        score = predict_rows(like.predictor_, matched, "outlier_score", whole)
        far = score > MAX_OUTLIER
    else:
        far = _unlike(matched, new, like)[near, new]
    return np.stack([np.where(far, -1, near), near])


def _unlike(views: Views, new: np.ndarray, like: Any) -> np.ndarray:
    """Return, (n_old, n_new), where most values of a feature were never in the old one.

    A cluster in the place of one that is gone is nearest to it, but it is another one.
    """
    found = np.zeros((len(like.cluster_ids_), int(new.max()) + 1), dtype=bool)
    for v, own in enumerate(like.reference_.views):
        there = slice(None) if views.mask is None else views.mask[:, v]
        now = count_bins(own, views.arrays[v][there], new[there], found.shape[1])
        enough = own.counts.sum(axis=2, keepdims=True) >= PER_BIN * len(DECILES)
        share = now / np.maximum(now.sum(axis=2, keepdims=True), 1)
        never = ((own.counts == 0) & enough).astype(float)
        found |= (np.einsum("ofb,nfb->onf", never, share) > MOST).any(axis=2)
    return found


def _labels_by_name(views: Views, like: Any) -> np.ndarray | None:
    """Return the clusters that rows of the same name were in, -1 for other rows."""
    if views.ids is None or like.sample_ids_ is None:
        return None
    places = {str(name): i for i, name in enumerate(views.ids.tolist())}
    found = np.full(len(views), -1)
    positions = np.searchsorted(like.cluster_ids_, like.labels_).tolist()
    for name, label in zip(like.sample_ids_.tolist(), positions, strict=True):
        place = places.get(str(name))
        if place is not None:
            found[place] = label
    return found if (found >= 0).any() else None
