"""The registry record of GraphConsensus and its cost model."""

from __future__ import annotations

from typing import Any

from mvgraph.base.cost import Cost, Shape
from mvgraph.base.method import Method

__all__ = ["METHOD", "cost_of_fit"]

METHOD = Method(
    name="graph-consensus",
    title="Consensus of many anchor-graph partitions, the default",
    paper="none: this library; the final cut follows Fern and Brodley, "
    "Solving cluster ensemble problems by bipartite graph partitioning (2004)",
    year=2026,
    reference="mvgraph",
    cost="O(N M d)",
    memory="O(N (d + k V))",
    estimator="mvgraph.consensus.estimator:GraphConsensus",
    cost_model="cost_of_fit",
)

#: Units of a pair of rows of the sample and a representation in a round; of all rows,
#: per anchor.
PAIR, EXTEND = 0.6, 2.5
#: Bytes of the consensus of the sample, per pair of rows, and per row and anchor.
PAIR_BYTES, SAMPLE_BYTES = 14, 40


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Forecast bytes and units of work of a fit."""
    from mvgraph.consensus.estimator import MAX_SAMPLE
    from mvgraph.consensus.extension import GRAPH_NEIGHBORS
    from mvgraph.graphs.anchors import default_n_anchors

    n, sample = shape.n, min(shape.n, MAX_SAMPLE)
    M = default_n_anchors(sample, n_clusters)
    entries = min(M, GRAPH_NEIGHBORS * shape.v)
    outputs = n * (12 * entries + 40 * n_clusters + 8 * (shape.v + 4))
    units = PAIR * sample**2 * (shape.v + 1) + EXTEND * n * M * shape.width
    working = PAIR_BYTES * sample**2 + SAMPLE_BYTES * sample * M * shape.v
    return Cost(0, outputs + working, units)
