"""The registry record of MGL and its cost model."""

from __future__ import annotations

from typing import Any

from mvgraph.base.cost import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.ops.linalg.principal import iterates

__all__ = ["METHOD", "cost_of_fit"]

METHOD = Method(
    name="mgl",
    title="Multiple graph learning; preset paper depends on the order of the rows",
    paper="Jiang, Gao and Gao, "
    "Multiple graph learning for scalable multi-view clustering",
    year=2021,
    reference="jiang2021mgl",
    cost="O(N M (d + V)) per pass",
    memory="O(N M V)",
    estimator="mvgraph.mgl.estimator:MGL",
    published=True,
    cost_model="cost_of_fit",
)

#: Units of work per row, anchor and view: for the first graphs, for choosing anchors.
START_UNITS, ANCHOR_UNITS = 3.5, 3.0
#: Units per step: per entry of the sparsity pattern and view, and per M x M x M.
STEP_UNITS, EIGEN_UNITS = 1.5, 0.03
#: Units of the smooth form: of any fit; per row, point and view; per value that is
#: scaled; per entry of a row, where products are added up.
SMOOTH_START, LINK_UNITS, SCALE_UNITS, SUM_UNITS = 2e7, 0.45, 12.0, 30.0
#: Units per feature and component; per row or feature and pair of components.
AXIS_UNITS, KRYLOV_UNITS = 3.5, 60.0
#: Units per step with dense graphs, per row, anchor and view.
DENSE_STEP_UNITS = 20.0
#: Typical number of steps.
USUAL_STEPS = 25


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Forecast bytes and units of work of a fit."""
    from mvgraph.mgl.anchors import count_anchors

    if model.basis == "neighbors":
        return _cost_of_smooth_form(model, shape, n_clusters)
    n, v = shape.n, shape.v
    M = count_anchors(model.n_anchors, n, n_clusters)
    sample = min(n, 100_000) * sum(shape.features) * 8 * 2
    start = START_UNITS * n * M * shape.width
    start += ANCHOR_UNITS * min(n, 20_000) * M * shape.width
    usual = min(USUAL_STEPS, model.max_iter)
    if model.basis != "identity":
        step = DENSE_STEP_UNITS * n * M * v + EIGEN_UNITS * M**3
        fixed = 7 * 8 * n * M * v + sample
        return Cost(0, fixed, start + usual * step, start + model.max_iter * step)
    s = min(M, v * model.n_neighbors)
    step = STEP_UNITS * n * s * v + EIGEN_UNITS * M**3
    outputs = n * (30 * s + 24 * n_clusters + 8 * (v + 3))
    return Cost(
        n * row_bytes(v, model.n_neighbors),
        outputs + sample + 8 * M**2 * 4,
        start + usual * step,
        start + model.max_iter * step,
    )


def _cost_of_smooth_form(model: Any, shape: Shape, n_clusters: int) -> Cost:
    from mvgraph.mgl.anchors import LANDMARKS, count_anchors

    n, v = shape.n, shape.v
    M = count_anchors(model.n_anchors, n, n_clusters, smooth=True)
    L, k = min(LANDMARKS, n), model.n_neighbors
    r, rows = 4 * n_clusters, min(n, 100_000)
    linking = LINK_UNITS * n * (M + L) * v
    scaling = SCALE_UNITS * rows * sum(shape.stored)
    for s, d in zip(shape.stored, shape.features, strict=True):
        scaling += AXIS_UNITS * d * r
        if iterates(rows, d, r, s < d):
            scaling += KRYLOV_UNITS * min(rows, d, 5_000) * r**2
    adding = SUM_UNITS * n * k * (v + 1)
    sample = rows * (2 * sum(shape.row_bytes()) + max(shape.row_bytes()))
    outputs = n * (30 * M / n_clusters + 24 * n_clusters + 8 * (v + 3))
    work = SMOOTH_START + linking + scaling + adding
    tables = 8 * 4 * (L + M) ** 2 + 8 * (r + 4) * sum(shape.features)
    return Cost(n * smooth_row_bytes(v, k), int(outputs) + sample + tables, work, work)


def smooth_row_bytes(n_views: int, n_neighbors: int) -> int:
    """Return the bytes per sample of the smooth form: weight, label, two graphs.

    Doubled, as in :func:`row_bytes`.
    """
    return 2 * (12 + 2 * 6 * n_neighbors * (n_views + 1))


def row_bytes(n_views: int, n_neighbors: int) -> int:
    """Return the bytes per sample: position, weight, sparsity pattern, D, Z and Y.

    Doubled, since the memory of old blocks is not all reused.
    """
    s = n_views * n_neighbors
    return 4 * (2 + s * (1 + 3 * n_views)) * 2
