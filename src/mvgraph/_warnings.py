"""What fit says about data that can be clustered but not as the caller may hope."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from mvgraph.order import count_distinct
from mvgraph.presence import groups_of_views
from mvgraph.views import Views

__all__ = ["warn_few_distinct", "warn_unconnected"]

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
