"""What fit says about data that can be clustered but not as the caller may hope."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from mvgraph.views.container import Views
from mvgraph.views.missing import groups_of_views
from mvgraph.views.order import count_distinct

__all__ = [
    "refuse_other_views",
    "warn_components",
    "warn_few_distinct",
    "warn_unconnected",
]

CALLER_OF_FIT = 3


def warn_few_distinct(views: Views, n_clusters: int) -> None:
    """Warn that there are fewer distinct samples than clusters."""
    count = count_distinct(views, n_clusters)
    if count < n_clusters:
        warnings.warn(
            f"There are {count} distinct samples, fewer than n_clusters={n_clusters}; "
            "some clusters hold copies of others. Drop duplicates or ask for at most "
            f"{count} clusters.",
            ConvergenceWarning,
            stacklevel=CALLER_OF_FIT,
        )


def warn_unconnected(views: Views) -> None:
    """Warn that some views have no sample in common with the others."""
    groups = [] if views.mask is None else groups_of_views(views.mask)
    if len(groups) < 2:
        return
    parts = [
        f"{', '.join(repr(views.names[v]) for v in group)} ({count} samples)"
        for group, count in groups
    ]
    warnings.warn(
        f"The views fall into {len(groups)} groups that have no sample in common: "
        f"{'; '.join(parts)}. Nothing says which clusters of one group are those of "
        "another. Cluster each group by itself, or add samples that have views of "
        "both.",
        UserWarning,
        stacklevel=CALLER_OF_FIT,
    )


def warn_components(
    count: int, n_clusters: int, n_iter: int, remedy: str, *, stacklevel: int = 5
) -> None:
    """Warn that labels are the components of a graph that has not n_clusters of them.

    Call it from ``_fit``: the warning points at the caller of ``fit``.
    """
    warnings.warn(
        f"The learned graph has {count} components, not n_clusters={n_clusters}, after "
        f"{n_iter} steps; labels_ numbers these components. {remedy}",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def refuse_other_views(views: Any, fitted: tuple[int, ...], name: str) -> None:
    """Refuse views of other sizes than at the fit of the estimator of this name."""
    now = views.n_features
    if len(now) == len(fitted) == 1:
        return  # scikit-learn says it in its own words
    if len(now) != len(fitted):
        raise ValueError(
            f"X has {len(now)} view(s) with {now} features, but {name} was fitted on "
            f"{len(fitted)} with {fitted}; pass the same views."
        )
    told = [
        f"view {view!r} has {a} features, {b} in the fit"
        for view, a, b in zip(views.names, now, fitted, strict=True)
        if a != b
    ]
    if told:
        raise ValueError(
            f"X is not like the views that {name} was fitted on: {'; '.join(told)}. "
            "Pass the same views in the same order."
        )
