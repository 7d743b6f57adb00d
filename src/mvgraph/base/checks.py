"""Checks of the data in fit and predict: errors and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base.parameters import ParameterError, check_parameters
from mvgraph.base.result import Note
from mvgraph.views.annotated import is_annotated
from mvgraph.views.container import Views
from mvgraph.views.missing import groups_of_views

__all__ = [
    "check_fit",
    "communities_note",
    "components_note",
    "fewer_labels_note",
    "fit_notes",
    "refuse_other_views",
    "refuse_raw_counts",
]


def check_fit(estimator: Any, views: Views, callback: Any = None) -> None:
    """Raise an error for parameters and data that the estimator cannot cluster.

    Raises
    ------
    ValueError
        The message names the parameter or the view, its value, and the remedy.
    """
    K, N = estimator.n_clusters, len(views)
    if callback is not None and not callable(callback):
        raise ParameterError(
            "callback must be a function of (done, total, record) or None; got "
            f"{callback!r}."
        )
    if N < 2:
        raise ValueError(f"n_samples={N}: clustering needs at least two samples.")
    check_parameters(estimator)
    if N < K:
        raise ValueError(
            f"n_clusters={K} is more than n_samples={N}; ask for fewer clusters."
        )
    if views.mask is None:
        return
    if not views.mask.any(axis=0).all():
        name = views.names[int(np.argmin(views.mask.any(axis=0)))]
        raise ValueError(
            f"view {name!r} has no samples: all its rows are NaN; leave it out."
        )
    if not estimator._accepts_missing:
        name = views.names[int(np.argmin(views.mask.all(axis=0)))]
        raise ValueError(
            f"Input contains NaN: view {name!r} lacks "
            f"{int((~views.mask).any(axis=1).sum())} samples; "
            f"{type(estimator).__name__} needs every view of every sample: "
            "drop these samples or the view."
        )


def fit_notes(views: Views, n_clusters: int, n_distinct: int) -> tuple[Note, ...]:
    """Return warnings about data for which the result may be unexpected."""
    notes: list[Note] = []
    if n_distinct < n_clusters:
        text = (
            f"There are {n_distinct} distinct samples, fewer than "
            f"n_clusters={n_clusters}; some clusters contain copies of others. Drop "
            f"duplicates or ask for at most {n_distinct} clusters."
        )
        notes.append((text, ConvergenceWarning))
    groups = [] if views.mask is None else groups_of_views(views.mask)
    if len(groups) > 1:
        parts = [
            f"{', '.join(repr(views.names[v]) for v in group)} ({count} samples)"
            for group, count in groups
        ]
        text = (
            f"The views fall into {len(groups)} groups that have no sample in common: "
            f"{'; '.join(parts)}. The clusters of one group cannot be matched with "
            "those of another. Cluster each group separately, or add samples that have "
            "views of both."
        )
        notes.append((text, UserWarning))
    return tuple(notes)


def components_note(
    count: int, n_clusters: int, n_iter: int, remedy: str
) -> tuple[Note, ...]:
    """Return a warning if a graph does not have n_clusters components.

    Returns
    -------
    tuple
        For ``Result.warnings``; empty if there are n_clusters components.
    """
    if count == n_clusters:
        return ()
    text = (
        f"The learned graph has {count} components, not n_clusters={n_clusters}, after "
        f"{n_iter} steps; labels_ numbers these components. {remedy}"
    )
    return ((text, ConvergenceWarning),)


def communities_note(count: int, n_clusters: int) -> tuple[Note, ...]:
    """Return a warning if a search for n_clusters communities ended with others.

    Returns
    -------
    tuple
        For ``Result.warnings``; empty if there are n_clusters communities.
    """
    if count == n_clusters:
        return ()
    text = (
        f"Leiden found {count} communities at the resolution that comes closest to "
        f"n_clusters={n_clusters}; change n_neighbors or set resolution."
    )
    return ((text, ConvergenceWarning),)


def fewer_labels_note(labels: np.ndarray, n_clusters: int) -> tuple[Note, ...]:
    """Warn that fewer clusters than n_clusters hold samples.

    Returns
    -------
    tuple
        For ``fit``; empty where every cluster holds a sample.
    """
    count = len(np.unique(labels))
    if count >= n_clusters:
        return ()
    text = (
        f"{count} clusters hold samples, not n_clusters={n_clusters}. Ask for at most "
        f"{count} clusters, or look for views without differences between samples."
    )
    return ((text, ConvergenceWarning),)


def refuse_other_views(views: Any, fitted: tuple[int, ...], name: str) -> None:
    """Raise an error if views have other sizes than in the fit of this estimator."""
    now = views.n_features
    if len(now) == len(fitted) == 1 and now != fitted:  # in scikit-learn's words
        raise ValueError(
            f"X has {now[0]} features, but {name} is expecting {fitted[0]} features as "
            f"input (view {views.names[0]!r}); pass the columns of the fit."
        )
    if len(now) != len(fitted):
        raise ValueError(
            f"X has {len(now)} view(s) with {now} features, but {name} was fitted on "
            f"{len(fitted)} with {fitted}; pass the same views."
        )
    different = [
        f"view {view!r} has {a} features, {b} in the fit"
        for view, a, b in zip(views.names, now, fitted, strict=True)
        if a != b
    ]
    if different:
        raise ValueError(
            f"X is not like the views that {name} was fitted on: "
            f"{'; '.join(different)}. Pass the same views in the same order."
        )


def refuse_raw_counts(model: Any, X: Any) -> None:
    """Refuse cells as they are where the model was fitted on normalised counts."""
    record = getattr(model, "annotated_", None)
    if record is not None and record["log1p"] and is_annotated(X):
        raise ValueError(
            "The model was fitted on counts that were brought to log(1 + x) "
            "(counts='log1p'), and these cells would be read as they are; label new "
            "cells with mvgraph.tl.predict(data, model), and rank features with "
            "mvgraph.tl.rank_features(data, counts='log1p')."
        )
