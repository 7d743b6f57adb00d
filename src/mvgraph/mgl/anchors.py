"""Number and choice of the anchors of MGL."""

from __future__ import annotations

import numpy as np

from mvgraph.graphs.anchors import Anchors, impute_views, select_anchors
from mvgraph.mgl.links import Points
from mvgraph.ops.arrays import dense
from mvgraph.views.container import Views
from mvgraph.views.scaling import fit_scaling, scale_views

__all__ = [
    "LANDMARKS",
    "choose_anchors",
    "choose_landmarks",
    "count_anchors",
    "spread",
    "with_groups",
]

#: k-means clusters with less than this share of the mean size do not become anchors.
MIN_CLUSTER_SHARE = 0.5
#: Landmarks that the filter goes through: all rows of small data.
LANDMARKS = 1000


def count_anchors(
    n_anchors: int | float | None, N: int, K: int, smooth: bool = False
) -> int:
    """Return the number of anchors that the parameter asks for.

    None: 10 K, at most half of the samples, for the smooth form; else 5 K, at most a
    quarter. At least 2 K, if there are so many samples.
    """
    if n_anchors is None:
        per_cluster, share = (10, 2) if smooth else (5, 4)
        return min(per_cluster * K, max(N // share, 2 * K), N)
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


def choose_landmarks(scaled: Views, n_landmarks: int) -> tuple[np.ndarray, ...]:
    """Return the first rows of every view; missing ones are filled from neighbours.

    In the order of their content, the first rows are a random sample.
    """
    first = scaled[: min(n_landmarks, len(scaled))]
    if first.mask is not None:
        first = impute_views(first)
    return tuple(dense(x) for x in first.arrays)


def spread(scaled: Views) -> np.ndarray:
    """Return the mean squared distance of the rows to their mean, of every view."""
    found = []
    for v, x in enumerate(scaled.arrays):
        y = dense(x if scaled.mask is None else x[scaled.mask[:, v]])
        total = float(y.var(axis=0, dtype=np.float64).sum())
        found.append(total if total > 0 else 1.0)
    return np.array(found)


def with_groups(anchors: Anchors, landmarks: Points, group: np.ndarray) -> Anchors:
    """Append the mean landmark of every isolated group."""
    points = []
    for own, x in zip(anchors.points, landmarks.arrays, strict=True):
        means = [x[group == g].mean(axis=0) for g in range(int(group.max()) + 1)]
        points.append(np.vstack([own, *means]))
    return Anchors(tuple(points), anchors.rows if group.max() < 0 else None)


def _at_least_two(anchors: Anchors) -> Anchors:
    """Repeat a single anchor (all samples coincide): the weights need two distances."""
    if anchors.n_anchors > 1:
        return anchors
    rows = None if anchors.rows is None else np.repeat(anchors.rows, 2)
    return Anchors(tuple(np.repeat(x, 2, axis=0) for x in anchors.points), rows)
