"""A fit of AnchorFilter: scalings, anchors, landmarks, the learned graph, labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvgraph.anchor_filter.links import (
    Points,
    choose_landmarks,
    isolated_groups,
    spread,
    with_groups,
)
from mvgraph.anchor_filter.method import Recipe, count_default_anchors, row_bytes
from mvgraph.anchor_filter.predictor import FilterPredictor
from mvgraph.anchor_filter.rows import Targets
from mvgraph.anchor_filter.smoothing import Smooth, learn_smooth_graph
from mvgraph.base import Result, Run
from mvgraph.engines import make_engine
from mvgraph.graphs.anchors import Anchors, choose_anchors
from mvgraph.graphs.bipartite import self_weights
from mvgraph.graphs.partition import components
from mvgraph.prediction.anchor_predictor import AnchorClassifier
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import Scaling, fit_projection, learn_scalings, scale_views


def fit_anchor_filter(
    model: Any, K: int, views: Views, run: Run, recipe: Recipe
) -> Result:
    """Learn the graph, through an engine, and read the labels.

    Parameters
    ----------
    model : AnchorFilter
        Only its parameters are read.
    K : int
        Clusters.
    views : Views
    run : Run
    recipe : Recipe

    Returns
    -------
    Result
    """
    # copies beyond the neighbours of a row say nothing new: others come first, so that
    # the sample has some of every row
    turn = run.order.copies_before // (model.n_neighbors + 1)
    rows = run.order.rows[np.argsort(turn, kind="stable")]
    sample = views[rows[: min(len(views), recipe.max_sample_rows)]]
    scalings = _reduced(learn_scalings(sample, model.scaling), sample, K, recipe)
    anchors, targets = _targets(model, K, sample, scalings, len(views), run.rng, recipe)
    needed = len(views) * row_bytes(views.n_views, model.n_neighbors)
    engine = make_engine(model.engine, run.bytes_left, needed)
    order = rows if engine.in_memory else None  # else that of the file, for speed
    first = rows[: recipe.cut_rows]
    learned = learn_smooth_graph(
        engine,
        ScaledRows(views, scalings, order),
        targets,
        K,
        np.arange(len(first)) if engine.in_memory else first,
        run.rng,
        recipe,
        run.stages.after_step(2),
    )
    k, V = model.n_neighbors, views.n_views
    votes = AnchorClassifier(scalings, anchors, [learned.memberships] * V, k)
    every, own = np.arange(K), learned.model  # labels are the numbers of the centres
    predictor = FilterPredictor([votes], k, every, own, every, K, used=np.arange(V))
    result = _read(learned, K, run.order.n_distinct < K, predictor)
    return result if order is None else result.take("samples", np.argsort(order))


def _targets(
    model: Any,
    K: int,
    sample: Views,
    scalings: list[tuple[Scaling, ...]],
    n_samples: int,
    rng: np.random.Generator,
    recipe: Recipe,
) -> tuple[Anchors, Targets]:
    """Choose anchors and landmarks; anchors of isolated groups are appended."""
    scaled = scale_views(sample, scalings)
    M = model.n_anchors
    anchors = choose_anchors(
        sample,
        scaled,
        model.anchors,
        count_default_anchors(n_samples, K, recipe) if M is None else M,
        n_samples,
        K,
        rng,
        min_share=recipe.min_cluster_share,
        at_least=2 * K,
        n_init=recipe.anchor_starts,
    )
    scales, k = spread(scaled), model.n_neighbors
    landmarks = Points(choose_landmarks(scaled, recipe.landmarks), scales, k)
    group = isolated_groups(landmarks, K)
    points = Points(anchors.points, scales, k)
    targets = Targets(points, landmarks, group, recipe.joint)
    return with_groups(anchors, landmarks, group), targets


def _reduced(
    scalings: list[tuple[Scaling, ...]], sample: Views, K: int, recipe: Recipe
) -> list[tuple[Scaling, ...]]:
    """Add to each scaling the projection on the leading principal components."""
    first = sample[: min(len(sample), recipe.projection_rows)]
    n_components = recipe.components_per_cluster * K
    scaled, reduced = scale_views(first, scalings), []
    for v, (x, steps) in enumerate(zip(scaled.arrays, scalings, strict=True)):
        present = x if first.mask is None else x[first.mask[:, v]]
        reduced.append(steps + fit_projection(present, n_components))
    return reduced


def _read(
    learned: Smooth, K: int, few_distinct: bool, predictor: FilterPredictor
) -> Result:
    """Return the clusters; the components of the graph are these clusters.

    With fewer distinct samples than clusters, ``fit`` has warned already.
    """
    count, _, anchor_labels = components(learned.Z)
    exact = count == K
    text = (
        f"The learned graph has {count} components, not n_clusters={K}: a cluster of "
        "the spectral cut is not connected, or empty. Change n_clusters or n_neighbors."
    )
    return Result(
        learned.labels,
        embedding=np.pad(learned.P, ((0, 0), (0, K - learned.P.shape[1]))),
        graph=learned.Z,
        anchor_labels=np.where(anchor_labels >= 0, learned.owner, -1),
        view_weights=self_weights(learned.g),
        n_components=count,
        partition="components" if exact else "spectral",
        history=learned.history,
        predictor=predictor,
        warnings=() if exact or few_distinct else ((text, ConvergenceWarning),),
    )
