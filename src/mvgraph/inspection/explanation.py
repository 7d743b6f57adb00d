"""What clusters are made of: views of a sample, exemplars, features that stand out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mvgraph.prediction.anchor_model import HasAnchors
from mvgraph.prediction.anchor_votes import view_votes
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

__all__ = ["Explanation", "explain"]

Rows = list[dict[str, Any]]


class Explanation(NamedTuple):
    """Three tables; see :func:`explain`."""

    contributions: np.ndarray  # (n, V), rows sum to one
    exemplars: Rows
    features: Rows
    view_names: tuple[str, ...]

    def to_frame(self, table: str = "features") -> Any:
        """Return one table as a pandas DataFrame.

        Parameters
        ----------
        table : {"features", "exemplars", "contributions"}
        """
        from pandas import DataFrame

        if table == "contributions":
            return DataFrame(self.contributions, columns=list(self.view_names))
        if table not in ("features", "exemplars"):
            raise ValueError(
                "table must be 'features', 'exemplars' or 'contributions'; "
                f"got {table!r}."
            )
        return DataFrame(getattr(self, table))


def explain(
    model: Any,
    X: Any,
    *,
    n_exemplars: int = 5,
    n_features: int = 5,
    feature_names: dict[str, Any] | None = None,
) -> Explanation:
    """Say, for a fitted model and the rows it was fitted on, why clusters are clusters.

    Parameters
    ----------
    model : GraphConsensus or MGL, fitted
    X : what the model was fitted on
    n_exemplars, n_features : int
        How many a cluster, and a cluster and view.
    feature_names : dict of view name to sequence of str, optional
        Default: columns of DataFrames and files, genes of AnnData; else numbers.

    Returns
    -------
    Explanation
        ``contributions``, shape (n_samples, n_views): how much each view says for the
        sample's own cluster, as shares of the sample: the share of that cluster among
        the view's nearest anchors, above chance. Zero for a view that the sample
        lacks or that the fit left out; even where no view is above chance.
        ``exemplars``, dicts of cluster, rank, row, id and closeness: the rows nearest
        to the mean of their cluster in the embedding of the joint graph (cosine).
        ``features``, dicts of cluster, view, rank, feature, name and difference: mean
        inside minus mean outside over the standard deviation of all rows that have
        the view, the largest in absolute value first.

    Raises
    ------
    ValueError
        X is not what the model was fitted on.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import MGL
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)); X[:30, 2] += 9
    >>> why = explain(MGL(2, random_state=0).fit([X]), [X], n_features=1)
    >>> [row["feature"] for row in why.features]
    [2, 2]
    """
    check_is_fitted(model)
    if not isinstance(model, HasAnchors):
        raise ValueError(
            f"{type(model).__name__} has no anchors to explain; use GraphConsensus or "
            "MGL."
        )
    views = model.check_views(X)
    names = feature_names or _column_names(as_views(X)) | _column_names(views)
    if len(views) != len(model.labels_):
        raise ValueError(
            f"The model was fitted on {len(model.labels_)} samples, X has "
            f"{len(views)}; pass the views of the fit."
        )
    return Explanation(
        _contributions(model, views),
        _exemplars(model, views, n_exemplars),
        _features(model.labels_, views, n_features, names),
        views.names,
    )


def _column_names(views: Views) -> dict[str, Any]:
    pairs = zip(views.names, views.feature_names, strict=True)
    return {name: own for name, own in pairs if own is not None}


def _contributions(model: Any, views: Views) -> np.ndarray:
    """Shares of the views in the votes for every sample's own cluster."""
    used, classifiers = model.anchor_classifiers()
    has = np.zeros((len(views), views.n_views))
    has[:, used] = 1
    if views.mask is not None:
        has *= views.mask
    votes = np.zeros_like(has)
    n_clusters = int(model.labels_.max()) + 1
    for classifier in classifiers:
        own = view_votes(views.select(used), classifier, model.labels_)
        votes[:, used] += np.maximum(own - 1 / n_clusters, 0)
    votes *= has
    votes = np.where(votes.any(axis=1, keepdims=True), votes, has)
    return votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)


def _exemplars(model: Any, views: Views, n: int) -> Rows:
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


def _features(labels: np.ndarray, views: Views, n: int, names: dict) -> Rows:
    out: Rows = []
    for v, (x, view) in enumerate(zip(views.arrays, views.names, strict=True)):
        present = slice(None) if views.mask is None else views.mask[:, v]
        difference = standardised_difference(x[present], labels[present])
        for cluster, row in enumerate(difference):
            for rank, j in enumerate(np.argsort(-np.abs(row), kind="stable")[:n]):
                out.append(
                    {
                        "cluster": cluster,
                        "view": view,
                        "rank": rank,
                        "feature": int(j),
                        "name": str(names[view][j]) if view in names else str(j),
                        "difference": float(row[j]),
                    }
                )
    return sorted(out, key=lambda row: row["cluster"])


def standardised_difference(x: Any, labels: np.ndarray) -> np.ndarray:
    """Mean inside minus mean outside every cluster, over the standard deviation.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    labels : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of shape (n_clusters, d)
        Zero for constant features, and for a cluster without rows or with all rows.
    """
    n, K = len(labels), int(labels.max()) + 1
    x = x if sp.issparse(x) else np.asarray(x, dtype=np.float64)
    peak = float(abs(x).max())
    x = x / (peak if peak > 0 else 1)  # squares of 1e200 overflow
    member = sp.csr_matrix((np.ones(n), (labels, np.arange(n))), shape=(K, n))
    sums = member @ x
    sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
    sizes = np.bincount(labels, minlength=K)[:, None]
    mean = sums.sum(axis=0) / n
    if sp.issparse(x):
        square = np.asarray(x.multiply(x).mean(axis=0)).ravel()
        std = np.sqrt(np.maximum(square - mean**2, 0))
    else:
        std = x.std(axis=0)
    inside = sums / np.maximum(sizes, 1)
    outside = (n * mean - sums) / np.maximum(n - sizes, 1)
    steady = (std > 1e-9 * np.maximum(np.abs(mean), 1e-300)) & (sizes > 0) & (sizes < n)
    return np.where(steady, (inside - outside) / np.where(std > 0, std, 1), 0)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
