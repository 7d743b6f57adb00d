"""The registry record of MGL and the memory of a fit."""

from __future__ import annotations

from typing import Any

from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.graphs.anchors import count_anchors

METHOD = Method(
    name="mgl",
    title="Multiple graph learning, as published; depends on the order of the rows",
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


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Count the bytes of a fit."""
    n, v = shape.n, shape.v
    M = count_anchors(model.n_anchors, n)
    scaled = n * sum(shape.features) * 8 * 2
    return Cost(0, DENSE_ARRAYS * 8 * n * M * v + scaled)
