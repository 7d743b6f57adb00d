"""The registry record of GraphConsensus and its cost model."""

from __future__ import annotations

from typing import Any

from mvgraph.base.cost import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.consensus.recipe import Recipe
from mvgraph.ops.linalg.principal import iterates
from mvgraph.ops.parallel import n_threads

__all__ = ["METHOD", "cost_of_fit"]

METHOD = Method(
    name="graph-consensus",
    title="Consensus of many neighbour-graph partitions, the default",
    paper="none: this library; the final cut follows Fern and Brodley, "
    "Solving cluster ensemble problems by bipartite graph partitioning (2004)",
    year=2026,
    reference="mvgraph",
    cost="O(n^2 V + N M d), n <= 5000",
    memory="O(N (K + k V) + n d)",
    estimator="mvgraph.consensus.estimator:GraphConsensus",
    engines=("auto", "memory", "distributed"),
    cost_model="cost_of_fit",
)

#: Representations that a fit usually makes.
WAYS = 4
#: Units: of any fit; of a value of the sample that is scaled and reduced; of a pair of
#: rows of the sample; of a row of the sample, view and neighbour graph; of a row of the
#: sample and of all rows, per anchor and width.
START, VALUE, PAIR, LINK, ANCHOR, EXTEND = 8e7, 35.0, 0.5, 900.0, 6.0, 2.0
#: Units of a product of a row with features, per component that is sought.
COMPONENT = 0.35
#: Units of a row or column and a pair of components, where these are found by products.
KRYLOV = 470.0
#: Units of a feature, of which sparse views can have a million.
FEATURE = 40.0
#: Rows of a block that a thread labels.
BLOCK = 2048
#: Bytes of many small arrays.
SMALL = 30_000_000


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Forecast bytes and units of work of a fit."""
    from mvgraph.graphs.anchors import default_n_anchors

    recipe: Recipe = model.recipe
    sample = min(shape.n, recipe.max_sample)
    M = default_n_anchors(sample, n_clusters)
    learning = max(_bytes_of_graphs(shape, sample), _bytes_of_anchors(shape, sample, M))
    copies = 2 * shape.held if shape.sparse else 0  # checked as CSR, hashed
    fixed = max(learning, _bytes_of_rows(shape, n_clusters, M, recipe)) + copies + SMALL
    return Cost(0, fixed, _units(shape, sample, n_clusters, M))


def _units(shape: Shape, sample: int, K: int, M: int) -> float:
    values = sample * sum(shape.stored)
    reducing = 0.0
    for s, d in zip(shape.stored, shape.features, strict=True):
        reducing += COMPONENT * sample * s * min(4 * K + 10, d, sample)
        if iterates(sample, d, 4 * K, s < d):
            reducing += KRYLOV * min(sample, d) * (4 * K) ** 2
    linking = WAYS * (shape.v + 1) * (PAIR * sample**2 + LINK * sample)
    anchoring = ANCHOR * sample * M * shape.width
    rest = EXTEND * (shape.n - sample) * M * shape.width
    features = FEATURE * sum(shape.features)
    return START + features + VALUE * values + reducing + linking + anchoring + rest


def _bytes_of_graphs(shape: Shape, sample: int) -> float:
    """Bytes of the sample under several scalings, its neighbours and graphs."""
    rows = shape.row_bytes()
    at_once = min(n_threads(), shape.v)
    scaled = sample * (2 * sum(rows) + 3 * at_once * max(rows))
    vectors = 32 * sum(shape.features)
    neighbours = 400 * WAYS * sample * (shape.v + 1)
    graphs = 1000 * min(n_threads(), WAYS) * sample * shape.v
    return max(scaled + vectors, sample * sum(rows) + neighbours + graphs)


def _bytes_of_anchors(shape: Shape, sample: int, M: int) -> float:
    """Bytes of two scalings with their anchors."""
    points = M * sum(
        min(8 * d, 36 * s * sample / M)
        for s, d in zip(shape.stored, shape.features, strict=True)
    )
    return 2 * points + sample * sum(shape.row_bytes()) * (1 + min(n_threads(), 2))


def _bytes_of_rows(shape: Shape, K: int, M: int, recipe: Recipe) -> float:
    """Bytes of the results, and of the blocks of rows that threads label."""
    entries = min(M, recipe.graph_neighbors * shape.v)
    row = 12 * entries + 16 * K + 8 * (shape.v + 4)
    if shape.far:  # workers keep all but a hash, a label, a leaf and what is missing
        row = 24 + shape.v
    results = shape.n * row
    block = min(BLOCK, shape.n)
    return results + n_threads() * block * (24 * M + 2 * sum(shape.row_bytes()))
