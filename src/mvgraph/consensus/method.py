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

#: Units of a row of the sample, anchor and view in a draw of anchors; of M x M x M in a
#: draw; of the other rows.
SAMPLE, DRAW, EXTEND = 230.0, 7.4, 4.0
#: Bytes of the consensus of the sample, per row, anchor and view.
SAMPLE_BYTES = 60


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Forecast bytes and units of work of a fit."""
    from mvgraph.consensus.base_partitions import FEW, N_DRAWS, N_DRAWS_OF_FEW
    from mvgraph.consensus.estimator import GRAPH_NEIGHBORS, MAX_SAMPLE
    from mvgraph.graphs.anchors import default_n_anchors

    n, sample = shape.n, min(shape.n, MAX_SAMPLE)
    M = default_n_anchors(sample, n_clusters)
    draws = N_DRAWS_OF_FEW if sample <= FEW else N_DRAWS
    entries = min(M, GRAPH_NEIGHBORS * shape.v)
    outputs = n * (24 * entries + 28 * n_clusters + 8 * (shape.v + 3))
    units = draws * (SAMPLE * sample * M * shape.width + DRAW * M**3)
    units += EXTEND * n * M * shape.width
    return Cost(0, outputs + SAMPLE_BYTES * sample * M * shape.v, units)
