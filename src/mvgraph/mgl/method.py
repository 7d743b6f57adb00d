"""The registry record of MGL and its cost model."""

from __future__ import annotations

from typing import Any

from mvgraph.base.cost import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.graphs.anchors import count_anchors

__all__ = ["DENSE_ARRAYS", "METHOD", "cost_of_fit"]

METHOD = Method(
    name="mgl",
    title="Multiple graph learning, as published; depends on the order of the rows",
    paper="Jiang, Gao and Gao, "
    "Multiple graph learning for scalable multi-view clustering",
    year=2021,
    reference="jiang2021mgl",
    cost="O(N M (d + V)) per pass",
    memory="O(N M V)",
    order_free=False,
    estimator="mvgraph.mgl.estimator:MGL",
    published=True,
    cost_model="cost_of_fit",
)

#: Arrays of N M V numbers that are held at a time: D, Z, J, Y and their copies.
DENSE_ARRAYS = 7
#: Units of work per row, anchor and view: for the first graphs, for choosing anchors.
START_UNITS, ANCHOR_UNITS = 3.5, 3.0
#: Units per step: per row, anchor and view, and per M x M x M.
STEP_UNITS, EIGEN_UNITS = 20.0, 0.03
#: Typical number of steps.
USUAL_STEPS = 25


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Forecast bytes and units of work of a fit."""
    n, v = shape.n, shape.v
    M = count_anchors(model.n_anchors, n)
    scaled = n * sum(shape.features) * 8 * 2
    start = START_UNITS * n * M * shape.width
    start += ANCHOR_UNITS * min(n, 20_000) * M * shape.width
    usual = min(USUAL_STEPS, model.max_iter)
    step = STEP_UNITS * n * M * v + EIGEN_UNITS * M**3
    fixed = DENSE_ARRAYS * 8 * n * M * v + scaled
    return Cost(0, fixed, start + usual * step, start + model.max_iter * step)
