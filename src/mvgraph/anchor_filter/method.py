"""The registry record of AnchorFilter, its constants, and the memory of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.graphs.anchors import count_anchors

METHOD = Method(
    name="anchor-filter",
    family="this library",
    title="Anchor graph with a low-pass filter along neighbours",
    paper="none: this library; the start and the rank condition are those of "
    "Jiang, Gao and Gao, Multiple graph learning (2021)",
    reference="mvgraph",
    cost="O(N V d (M + 1000))",
    memory="O(N V)",
    estimator="mvgraph.anchor_filter.estimator:AnchorFilter",
    engines=("auto", "memory", "chunked", "distributed"),
    cost_model="cost_of_fit",
    finds_number=True,
)


def count_default_anchors(n_samples: int, n_clusters: int, recipe: Recipe) -> int:
    """Return 10 K, at most half of the samples, but at least 2 K where N allows it.

    The numbers are those of the recipe.
    """
    most = max(int(n_samples * recipe.max_anchor_share), 2 * n_clusters)
    return min(recipe.anchors_per_cluster * n_clusters, most, n_samples)


def cost_of_fit(model: Any, shape: Shape, n_clusters: int | str) -> Cost:
    """Count the bytes of a fit."""
    from mvgraph.levels.auto import with_search

    n_clusters, search = with_search(n_clusters, shape)
    n, v, k, recipe = shape.n, shape.v, model.n_neighbors, DEFAULT
    if model.n_anchors is None:
        M = count_default_anchors(n, n_clusters, recipe)
    else:
        M = count_anchors(model.n_anchors, n)
    L, r = min(recipe.landmarks, n), recipe.components_per_cluster * n_clusters
    rows = min(n, recipe.max_sample_rows)
    sample = rows * (2 * sum(shape.row_bytes()) + max(shape.row_bytes()))
    outputs = n * (30 * M / n_clusters + 24 * n_clusters + 8 * (v + 3))
    tables = 8 * 4 * (L + M) ** 2 + 8 * (r + 4) * sum(shape.features)
    return Cost(n * row_bytes(v, k), max(int(outputs) + sample + tables, search))


def row_bytes(n_views: int, n_neighbors: int) -> int:
    """Return the bytes per sample: weight, label, two graphs.

    Doubled, since the memory of old blocks is not all reused.
    """
    return 2 * (12 + 2 * 6 * n_neighbors * (n_views + 1))


@dataclass(frozen=True)
class Recipe:
    """Every constant of the method that is not a parameter.

    "Ablation" is ``benchmarks/ablation.py``.
    """

    #: Rows from which scalings and anchors are learned; they take additional memory.
    max_sample_rows: int = 100_000
    #: Rows from which principal components are learned: their cost grows with them.
    projection_rows: int = 5_000
    #: Principal components of a view per cluster: K - 1 separate K centres.
    components_per_cluster: int = 4
    #: Anchors per cluster where ``n_anchors`` is None: twice as many as in the paper.
    anchors_per_cluster: int = 10
    #: Most anchors, as a share of the samples: two samples per anchor.
    max_anchor_share: float = 0.5
    #: k-means clusters with less than this share of the mean size are no anchors: they
    #: are outliers.
    min_cluster_share: float = 0.5
    #: Starts of k-means for the anchors: the inertia varies little after five.
    anchor_starts: int = 5
    #: Landmarks of the filter, all rows of small data: their products (L, L) take 8 MB.
    landmarks: int = 1_000
    #: Share of the joint graph in Z: clusters that only all views together show are
    #: found in it (ablation).
    joint: float = 0.75
    #: Order t of the filter ((I + T) / 2)^t (ablation: 0 loses .02 to .03).
    order: int = 2
    #: Rows whose embedding is clustered, to bound the cost of k-means; the others get
    #: the nearest centre.
    cut_rows: int = 20_000
    #: Starts of k-means in the spectral cut: as in `graphs.partition`.
    cut_starts: int = 10


DEFAULT = Recipe()
