"""The registry record of AnchorFilter and the memory of a fit."""

from __future__ import annotations

from typing import Any

from mvgraph.anchor_filter.recipe import DEFAULT, Recipe
from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.graphs.anchors import count_anchors

METHOD = Method(
    name="anchor-filter",
    title="Anchor graph with a low-pass filter along neighbours",
    paper="none: this library; the start and the rank condition are those of "
    "Jiang, Gao and Gao, Multiple graph learning (2021)",
    reference="mvgraph",
    cost="O(N V d (M + 1000))",
    memory="O(N V)",
    estimator="mvgraph.anchor_filter.estimator:AnchorFilter",
    engines=("auto", "memory", "chunked", "distributed"),
    cost_model="cost_of_fit",
)


def count_default_anchors(n_samples: int, n_clusters: int, recipe: Recipe) -> int:
    """Return 10 K, at most half of the samples, but at least 2 K if there are so many.

    The numbers are those of the recipe.
    """
    most = max(int(n_samples * recipe.max_anchor_share), 2 * n_clusters)
    return min(recipe.anchors_per_cluster * n_clusters, most, n_samples)


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Count the bytes of a fit."""
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
    return Cost(n * row_bytes(v, k), int(outputs) + sample + tables)


def row_bytes(n_views: int, n_neighbors: int) -> int:
    """Return the bytes per sample: weight, label, two graphs.

    Doubled, since the memory of old blocks is not all reused.
    """
    return 2 * (12 + 2 * 6 * n_neighbors * (n_views + 1))
