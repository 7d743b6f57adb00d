"""A fit of MGL: scalings, anchors, the learned graphs, labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base import Result, Run, require_memory
from mvgraph.base.result import Note
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
    predictor = AnchorPredictor.of(
        [AnchorClassifier(scalings, anchors, memberships, model.n_neighbors)],
        anchor_means(learned.Z, np.asarray(result.embedding)),
        model.n_neighbors,
    )
    return replace(result, predictor=predictor)


class _Labels(NamedTuple):
    """Labels of samples and anchors, and their source."""

    samples: np.ndarray
    anchors: np.ndarray
    n_components: int
    partition: str


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
    labels = _labels(Z, P, K, rng)
    wrong = labels.n_components != K and not few_distinct
    note = _note(labels.n_components, K, len(history), max_iter)
    return Result(
        labels.samples,
        embedding=P,
        graph=Z,
        anchor_labels=labels.anchors,
        view_weights=self_weights(learned.g),
        n_components=labels.n_components,
        partition=labels.partition,
        history=history,
        warnings=(note,) if wrong else (),
    )


def _labels(
    Z: sp.csr_matrix, P: np.ndarray, K: int, rng: np.random.Generator
) -> _Labels:
    count, labels, anchor_labels = partition.components(Z)
    if count == K:
        return _Labels(labels, anchor_labels, count, "components")
    labels = partition.spectral_labels(P, K, rng)
    members = anchor_memberships(Z, labels, K)
    majority = np.where(members.any(axis=1), members.argmax(axis=1), -1)
    return _Labels(labels, majority, count, "spectral")


def _note(count: int, K: int, n_iter: int, max_iter: int) -> Note:
    text = (
        f"The learned graph has {count} components, not n_clusters={K}, after {n_iter} "
        f"of at most {max_iter} steps; labels come from a spectral cut of the same "
        "graph. Raise max_iter, or change n_clusters or n_neighbors."
    )
    return text, ConvergenceWarning
