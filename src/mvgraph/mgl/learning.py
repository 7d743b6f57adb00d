"""A fit of MGL: scalings, anchors, the learned graphs, labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base import Result, Run, require_memory
from mvgraph.graphs import partition
from mvgraph.graphs.anchors import choose_anchors, count_anchors
from mvgraph.graphs.bipartite import self_weights
from mvgraph.mgl.method import DENSE_ARRAYS, Recipe
from mvgraph.mgl.problem import Learned, Problem
from mvgraph.mgl.steps import learn_graphs
from mvgraph.ops.labels import anchor_memberships
from mvgraph.prediction.anchor_predictor import (
    AnchorClassifier,
    AnchorPredictor,
    anchor_means,
)
from mvgraph.views.container import Views
from mvgraph.views.scaling import learn_scalings, scale_views


def fit_mgl(model: Any, views: Views, run: Run, recipe: Recipe) -> Result:
    """Learn the graphs and read the labels.

    Parameters
    ----------
    model : MGL
        Only its parameters are read.
    views : Views
    run : Run
    recipe : Recipe

    Returns
    -------
    Result
    """
    K, few = model.n_clusters, run.order.n_distinct < model.n_clusters
    problem = Problem(
        K,
        model.n_neighbors,
        model.tensor_weight,
        model.p,
        model.mu,
        model.eta,
        model.tol,
        1 if few else model.max_iter,  # few: no graph can have K components
        model.basis,
        recipe,
    )
    if run.device is None:
        M = count_anchors(model.n_anchors, len(views))
        require_memory(
            DENSE_ARRAYS * 8 * len(views) * M * views.n_views,
            "Learning dense graphs",
            "use fewer anchors or samples.",
        )
    scalings = learn_scalings(views, model.scaling)
    scaled = scale_views(views, scalings)
    anchors = choose_anchors(
        views,
        scaled,
        model.anchors,
        model.n_anchors,
        len(views),
        K,
        run.rng,
        min_share=recipe.min_cluster_share,
        at_least=2 * K,
        n_init=recipe.anchor_starts,
    )
    callback = run.stages.after_step(model.max_iter)
    learned = learn_graphs(scaled, anchors, problem, run.device, callback)
    result = _read(learned, problem, run.rng, model.max_iter, few)
    memberships = [anchor_memberships(learned.Z, result.labels, K)] * views.n_views
    votes = AnchorClassifier(scalings, anchors, memberships, model.n_neighbors)
    means = anchor_means(learned.Z, np.asarray(result.embedding))
    every, used = np.arange(K), np.arange(views.n_views)
    predictor = AnchorPredictor([votes], model.n_neighbors, every, means, used=used)
    return replace(result, predictor=predictor)


def _read(
    learned: Learned,
    problem: Problem,
    rng: np.random.Generator,
    max_iter: int,
    few_distinct: bool,
) -> Result:
    """Read labels from the learned graph: its components, or a spectral cut.

    With fewer distinct samples than clusters, no graph can have K components, and
    ``fit`` has warned already.
    """
    K, Z, history = problem.K, learned.Z, learned.history
    missing = K - learned.P.shape[1]  # there are fewer than K if anchors coincide
    P = np.pad(learned.P, ((0, 0), (0, missing)))
    count, labels, anchor_labels = partition.components(Z)
    exact = count == K
    if not exact:
        labels = partition.spectral_labels(P, K, rng)
        members = anchor_memberships(Z, labels, K)
        anchor_labels = np.where(members.any(axis=1), members.argmax(axis=1), -1)
    text = (
        f"The learned graph has {count} components, not n_clusters={K}, after "
        f"{len(history)} of at most {max_iter} steps; labels come from a spectral cut "
        "of the same graph. Raise max_iter, or change n_clusters or n_neighbors."
    )
    return Result(
        labels,
        embedding=P,
        graph=Z,
        anchor_labels=anchor_labels,
        view_weights=self_weights(learned.g),
        n_components=count,
        partition="components" if exact else "spectral",
        history=history,
        warnings=() if exact or few_distinct else ((text, ConvergenceWarning),),
    )
