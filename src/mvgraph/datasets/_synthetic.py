"""Synthetic multi-view sets with defined difficulties, reproducible from a seed."""

from __future__ import annotations

import numpy as np

from mvgraph.datasets.layout.report import Dataset
from mvgraph.views.container import Views

_OUTLIERS = 0.02
_TWIN = 0.15  # distance (per feature) of two centres that a view cannot tell apart


def make_ambiguous_views(
    n_samples: int,
    n_views: int = 3,
    n_features: int = 30,
    n_clusters: int = 10,
    *,
    noise: float = 1.0,
    separation: float = 1.6,
    ambiguous: float = 0.35,
    imbalance: float = 1.0,
    random_state: int = 0,
) -> Dataset:
    """Draw Gaussian clusters; every view confuses some pairs of them.

    Each view merges ``ambiguous * n_clusters`` pairs of centres, different ones in each
    view, so that only all views together separate the clusters. Later views are
    noisier, and 2 % of the samples of each view are outliers.

    Parameters
    ----------
    n_samples, n_views, n_features, n_clusters : int
        Sizes; every view has `n_features` columns.
    noise : float
        Standard deviation inside clusters of the first view; 75 % more per view.
    separation : float
        Scale of the centres, in units of the noise.
    ambiguous : float
        Fraction of centres that a view merges with another, at most 0.5.
    imbalance : float
        How many times the smallest class fits into the largest, at least 1; the sizes
        fall geometrically.
    random_state : int
        Seed.

    Returns
    -------
    Dataset
        Views of shape (n_samples, n_features) and labels of shape (n_samples,).

    Raises
    ------
    ValueError
        If `ambiguous` is outside 0 to 0.5, `noise` below 0, `imbalance` below 1, or a
        size is not positive.

    Examples
    --------
    >>> from mvgraph.datasets import make_ambiguous_views
    >>> data = make_ambiguous_views(50, n_views=2, n_features=4, random_state=0)
    >>> data.views.n_features, data.labels.shape
    ((4, 4), (50,))
    """
    _check_sizes(n_samples, n_views, n_features, n_clusters)
    if not 0 <= noise < float("inf"):
        raise ValueError(f"noise must be a number of at least 0, got {noise}")
    if not 0 <= ambiguous <= 0.5:
        raise ValueError(f"ambiguous must lie between 0 and 0.5, got {ambiguous}")
    rng = np.random.default_rng(random_state)
    labels = _classes(rng, n_samples, n_clusters, imbalance)
    views = []
    for v in range(n_views):
        n_merged = int(ambiguous * n_clusters)
        centres = _centres(rng, n_clusters, n_features, separation, n_merged)
        spread = noise * (1.0 + 0.75 * v)
        X = centres[labels] + spread * rng.normal(size=(n_samples, n_features))
        outlier = rng.random(n_samples) < _OUTLIERS
        X[outlier] = rng.normal(size=(outlier.sum(), n_features)) * 4
        views.append(X)
    return Dataset(Views(views), labels, "ambiguous_views")


def make_misleading_view(
    n_samples: int,
    n_features: int = 30,
    n_clusters: int = 10,
    *,
    imbalance: float = 1.0,
    random_state: int = 1,
) -> Dataset:
    """Draw two views that separate half of the clusters, and a misleading third.

    The third has clear clusters that are unrelated to the labels.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
        Sizes; every view has `n_features` columns.
    imbalance : float
        As in `make_ambiguous_views`.
    random_state : int
        Seed.

    Returns
    -------
    Dataset
        Three views of shape (n_samples, n_features) and labels of shape (n_samples,).

    Raises
    ------
    ValueError
        If a size is not positive, or `imbalance` below 1.

    Examples
    --------
    >>> from mvgraph.datasets import make_misleading_view
    >>> make_misleading_view(50, n_features=4).views.n_views
    3
    """
    _check_sizes(n_samples, 3, n_features, n_clusters)
    rng = np.random.default_rng(random_state)
    labels = _classes(rng, n_samples, n_clusters, imbalance)
    views = []
    for _ in range(2):
        centres = _centres(rng, n_clusters, n_features, 1.6, n_clusters // 2)
        views.append(centres[labels] + rng.normal(size=(n_samples, n_features)))
    unrelated = rng.integers(0, n_clusters, n_samples)
    centres = _centres(rng, n_clusters, n_features, 1.6, None)
    views.append(centres[unrelated] + rng.normal(size=(n_samples, n_features)))
    return Dataset(Views(views), labels, "misleading_view")


def _classes(rng: np.random.Generator, n: int, k: int, imbalance: float) -> np.ndarray:
    """Draw the classes; with unequal sizes, each has its share of the samples."""
    if not 1 <= imbalance < float("inf"):
        raise ValueError(f"imbalance must be a number of at least 1, got {imbalance}")
    if imbalance == 1:
        return rng.integers(0, k, n)
    shares = imbalance ** -np.linspace(0, 1, k)
    sizes = np.maximum(1, np.floor(n * shares / shares.sum())).astype(int)
    sizes[0] += n - sizes.sum()  # the rest, or less, belongs to the largest
    if sizes[0] < 1:
        raise ValueError(f"n_samples={n} are too few for {k} classes; draw more")
    return rng.permutation(np.repeat(np.arange(k), sizes))


def _centres(
    rng: np.random.Generator, k: int, d: int, separation: float, merged: int | None
) -> np.ndarray:
    """Draw k centres and move `merged` of them next to another one."""
    centres = rng.normal(size=(k, d)) * separation / np.sqrt(2)
    if merged is None:
        return centres
    order = rng.permutation(k)
    pairs = zip(order[:merged], order[merged : 2 * merged], strict=True)
    for moved, kept in pairs:
        centres[moved] = centres[kept] + _TWIN * rng.normal(size=d)
    return centres


def _check_sizes(n_samples: int, n_views: int, n_features: int, k: int) -> None:
    sizes = {"n_samples": n_samples, "n_views": n_views, "n_features": n_features}
    for name, size in (sizes | {"n_clusters": k}).items():
        if size < 1:
            raise ValueError(f"{name} must be positive, got {size}")
