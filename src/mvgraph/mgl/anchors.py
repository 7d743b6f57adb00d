"""Number and choice of the anchors of MGL."""

from __future__ import annotations

import numpy as np

from mvgraph.graphs.anchors import Anchors, select_anchors
from mvgraph.ops.arrays import dense
from mvgraph.views.container import Views
from mvgraph.views.scaling import fit_scaling, scale_views

__all__ = ["choose_anchors", "count_anchors"]

#: k-means clusters with less than this share of the mean size do not become anchors.
MIN_CLUSTER_SHARE = 0.5


def count_anchors(n_anchors: int | float | None, N: int, K: int) -> int:
    """Return the number of anchors that the parameter asks for."""
    if n_anchors is None:
        return min(5 * K, max(N // 4, 2 * K), N)
    if isinstance(n_anchors, int | np.integer):
        return int(n_anchors)
    return int(N * n_anchors + 1e-9)  # 0.29999... is 0.3


def choose_anchors(
    views: Views,
    scaled: Views,
    rule: str,
    n_anchors: int | float | None,
    n_samples: int,
    n_clusters: int,
    rng: np.random.Generator,
) -> Anchors:
    """Choose anchors from a sample of the rows.

    Parameters
    ----------
    views, scaled : Views
        The rows to choose from, before and after scaling.
    rule : str
        See :func:`mvgraph.graphs.anchors.select_anchors`.
    n_anchors : int, float or None
        Parameter of the estimator.
    n_samples : int
        Number of all samples, which a share of the samples refers to.
    n_clusters : int
    rng : Generator

    Raises
    ------
    ValueError
        If there would be fewer anchors than clusters, or more than samples.
    """
    M, K = count_anchors(n_anchors, n_samples, n_clusters), n_clusters
    if M < K:
        raise ValueError(
            f"n_clusters={K} is more than the {M} anchors that n_anchors={n_anchors} "
            f"gives for {n_samples} samples; ask for fewer clusters or more anchors."
        )
    if n_samples < M:
        raise ValueError(f"n_anchors={M} is more than n_samples={n_samples}; lower it.")
    if rule not in ("das", "vda"):
        options = {"min_share": MIN_CLUSTER_SHARE, "at_least": 2 * K, "n_init": 5}
        return _at_least_two(select_anchors(scaled, rule, M, rng, **options))
    by_max = scale_views(views, [fit_scaling(x, "max") for x in views.arrays])
    rows = select_anchors(by_max, rule, M, rng).rows
    return Anchors(tuple(dense(x) for x in scaled[rows].arrays), rows)


def _at_least_two(anchors: Anchors) -> Anchors:
    """Repeat a single anchor (all samples coincide): the weights need two distances."""
    if anchors.n_anchors > 1:
        return anchors
    rows = None if anchors.rows is None else np.repeat(anchors.rows, 2)
    return Anchors(tuple(np.repeat(x, 2, axis=0) for x in anchors.points), rows)
