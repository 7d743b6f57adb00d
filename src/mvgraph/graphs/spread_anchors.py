"""Anchors that do not depend on the order of rows, columns or views, nor on a seed."""

from __future__ import annotations

import numpy as np

from mvgraph.graphs.anchors import Anchors, group_means, impute_views
from mvgraph.ops.arrays import Int
from mvgraph.ops.distance import squared_distances, typical
from mvgraph.views.container import Views

#: Steps of k-means. Assumed.
STEPS = 2


def spread_anchors(views: Views, labels: Int, n_anchors: int, least: int) -> Anchors:
    """Return anchors that do not depend on the order of rows, columns or views.

    In every cluster, rows are picked evenly by their distance from its mean; anchors
    are the means of the rows that are near to each.

    Parameters
    ----------
    views : Views
        Scaled views.
    labels : ndarray of int, shape (n,)
        Clusters.
    n_anchors : int
        In proportion to the size of the clusters.
    least : int
        Anchors of every cluster, unless it has fewer samples.

    Returns
    -------
    Anchors
    """
    if views.mask is not None:
        views = impute_views(views)
    clusters = np.unique(labels)
    near = _distances(views, group_means(views, labels, clusters))
    picked = []
    for c, cluster in enumerate(clusters):
        rows = np.flatnonzero(labels == cluster)
        count = min(max(least, round(n_anchors * len(rows) / len(labels))), len(rows))
        places = ((np.arange(count) + 0.5) * len(rows) / count).astype(int)
        picked.append(rows[np.argsort(near[rows, c], kind="stable")][places])
    anchors = Anchors(views[np.concatenate(picked)].arrays, None)
    for _ in range(STEPS):
        nearest = np.argmin(_distances(views, anchors), axis=1)
        anchors = group_means(views, nearest, np.unique(nearest))
    return anchors


def _distances(views: Views, anchors: Anchors) -> np.ndarray:
    """Return the sum of the squared distances, views scaled to equal energy."""
    total: np.ndarray = np.zeros(1)
    for x, points in zip(views.arrays, anchors.points, strict=True):
        D = squared_distances(x, points)
        total = total + D.astype(np.float64) / max(typical(D), 1e-300)
    return total
