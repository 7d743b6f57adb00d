"""A fit of MGL: scalings, anchors, one of the two solvers, labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.result import Result
from mvgraph.base.run import Run
from mvgraph.engines import make_engine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl import dense, smooth, sparse
from mvgraph.mgl.anchors import (
    LANDMARKS,
    choose_anchors,
    choose_landmarks,
    count_anchors,
    spread,
    with_groups,
)
from mvgraph.mgl.groups import isolated_groups
from mvgraph.mgl.labels import read_result, read_smooth_result
from mvgraph.mgl.links import Points
from mvgraph.mgl.method import row_bytes, smooth_row_bytes
from mvgraph.mgl.problem import Learned, Parameters
from mvgraph.ops.memory import require_memory
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import (
    Scaling,
    fit_projection,
    learn_scalings,
    scale_views,
)

__all__ = ["fit_mgl"]

MAX_SAMPLE_ROWS = 100_000  # rows from which scalings and anchors are learned
PROJECTION_ROWS = 5000  # rows from which principal components are learned
MULTIPLE = 4  # principal components of a view, in multiples of K


class _Fitted(NamedTuple):
    """The result of a solver, and the order of the rows of its graph."""

    learned: Learned
    scalings: list[tuple[Scaling, ...]]
    anchors: Anchors
    order: np.ndarray | None = None


def fit_mgl(model: Any, views: Views, run: Run) -> Result:
    """Learn the graphs and read the labels.

    Parameters
    ----------
    model : MGL
        Only its parameters are read.
    views : Views
    run : Run

    Returns
    -------
    Result
    """
    K, few = model.n_clusters, run.order.n_distinct < model.n_clusters
    parameters = Parameters(
        K,
        model.n_neighbors,
        model.tensor_weight,
        model.p,
        model.mu,
        model.eta,
        model.tol,
        1 if few else model.max_iter,  # few: no graph can have K components
        model.balance,
    )
    if model.basis == "neighbors":
        return _on_neighbors(model, views, run, few)
    solve = _on_patterns if model.basis == "identity" else _on_dense_graphs
    fitted = solve(model, views, run, parameters)
    result = read_result(fitted.learned, K, run.rng, model.max_iter, few)
    private = {"_scalings": fitted.scalings, "_anchors": fitted.anchors}
    result = replace(result, extra={**result.extra, **private})
    if fitted.order is None:
        return result
    return result.take("samples", np.argsort(fitted.order))


def _on_neighbors(model: Any, views: Views, run: Run, few: bool) -> Result:
    """Learn the smooth graph, through an engine."""
    K, rows = model.n_clusters, run.order.rows
    sample = views[rows[: min(len(views), MAX_SAMPLE_ROWS)]]
    scalings = _reduced(learn_scalings(sample, model.scaling), sample, MULTIPLE * K)
    scaled = scale_views(sample, scalings)
    M = count_anchors(model.n_anchors, len(views), K, smooth=True)
    anchors = choose_anchors(sample, scaled, model.anchors, M, len(views), K, run.rng)
    scales, k = spread(scaled), model.n_neighbors
    landmarks = Points(choose_landmarks(scaled, LANDMARKS), scales, k)
    group = isolated_groups(landmarks, K)
    needed = len(views) * smooth_row_bytes(views.n_views, k)
    engine = make_engine(model.engine, run.bytes_left, needed)
    in_memory = type(engine) is MemoryEngine
    order = rows if in_memory else None  # else in the order of the file, for speed
    first = rows[: smooth.CUT_ROWS]
    learned = smooth.learn_smooth_graph(
        engine,
        ScaledRows(views, scalings, order),
        Points(anchors.points, scales, k),
        landmarks,
        group,
        K,
        np.arange(len(first)) if in_memory else first,
        run.rng,
        run.stages.after_step(2),
    )
    result = read_smooth_result(learned, K, few)
    anchors = with_groups(anchors, landmarks, group)
    private = {"_scalings": scalings, "_anchors": anchors}
    result = replace(result, extra={**result.extra, **private})
    return result.take("samples", np.argsort(rows)) if in_memory else result


def _reduced(
    scalings: list[tuple[Scaling, ...]], sample: Views, n_components: int
) -> list[tuple[Scaling, ...]]:
    """Add to each scaling the projection on the leading principal components."""
    few = sample[: min(len(sample), PROJECTION_ROWS)]
    scaled, found = scale_views(few, scalings), []
    for v, (x, steps) in enumerate(zip(scaled.arrays, scalings, strict=True)):
        known = x if few.mask is None else x[few.mask[:, v]]
        found.append(steps + fit_projection(known, n_components))
    return found


def _on_patterns(model: Any, views: Views, run: Run, parameters: Parameters) -> _Fitted:
    """Learn on sparsity patterns, through an engine."""
    rows = run.order.rows
    sample = views[rows[: min(len(views), MAX_SAMPLE_ROWS)]]
    scalings, anchors = _prepare(model, sample, len(views), run.rng)
    needed = len(views) * row_bytes(views.n_views, model.n_neighbors)
    engine = make_engine(model.engine, run.bytes_left, needed)
    # out of core, rows are read in the order of the file; in memory, the order of their
    # content makes the result independent of the input order, to the last bit
    order = rows if type(engine) is MemoryEngine else None
    callback = run.stages.after_step(model.max_iter)
    source = ScaledRows(views, scalings, order)
    learned = sparse.learn_sparse_graphs(engine, source, anchors, parameters, callback)
    return _Fitted(learned, scalings, anchors, order)


def _on_dense_graphs(
    model: Any, views: Views, run: Run, parameters: Parameters
) -> _Fitted:
    """Learn dense graphs, as all bases but ``identity`` require."""
    M = count_anchors(model.n_anchors, len(views), model.n_clusters)
    if run.device is None:
        require_memory(
            7 * 8 * len(views) * M * views.n_views,
            "Learning dense graphs",
            "use fewer anchors or samples.",
        )
    scalings, anchors = _prepare(model, views, len(views), run.rng)
    scaled = scale_views(views, scalings)
    callback = run.stages.after_step(model.max_iter)
    learned = dense.learn_dense_graphs(
        scaled, anchors, parameters, model.basis, run.device, callback
    )
    return _Fitted(learned, scalings, anchors)


def _prepare(
    model: Any, sample: Views, n_samples: int, rng: np.random.Generator
) -> tuple[list[tuple[Scaling, ...]], Anchors]:
    """Fit scalings and choose anchors on a sample of the rows."""
    scalings = learn_scalings(sample, model.scaling)
    anchors = choose_anchors(
        sample,
        scale_views(sample, scalings),
        model.anchors,
        model.n_anchors,
        n_samples,
        model.n_clusters,
        rng,
    )
    return scalings, anchors
