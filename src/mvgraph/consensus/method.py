"""The registry record of GraphConsensus and the memory of a fit."""

from __future__ import annotations

from typing import Any

from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.consensus.recipe import Recipe
from mvgraph.ops.parallel import n_threads

METHOD = Method(
    name="graph-consensus",
    family="this library",
    title="Consensus of many neighbour-graph partitions, the default",
    paper="none: this library; the final cut follows Fern and Brodley, "
    "Solving cluster ensemble problems by bipartite graph partitioning (2004)",
    reference="mvgraph",
    cost="O(n^2 V + N M d), n <= 5000",
    memory="O(N (K + k V) + n d)",
    estimator="mvgraph.consensus.estimator:GraphConsensus",
    engines=("auto", "memory", "distributed"),
    cost_model="cost_of_fit",
    finds_number=True,
    scores_outliers=True,
)

#: Representations that a fit usually makes.
WAYS = 4
#: Rows of a block that a thread labels, and of one whose neighbours it finds.
BLOCK, NEIGHBOR_ROWS = 2048, 512
#: Bytes of many small arrays.
SMALL = 30_000_000


def cost_of_fit(model: Any, shape: Shape, n_clusters: int | str) -> Cost:
    """Count the bytes of a fit."""
    from mvgraph.graphs.anchors import default_n_anchors
    from mvgraph.levels.auto import with_search

    recipe: Recipe = model.recipe
    n_clusters, search = with_search(n_clusters, shape)
    sample = min(shape.n, sample_size(model))
    M = default_n_anchors(sample, n_clusters)
    learning = max(_bytes_of_graphs(shape, sample), _bytes_of_anchors(shape, sample, M))
    copies = 2 * shape.held if shape.sparse else 0  # checked as CSR, hashed
    fixed = max(learning, _bytes_of_rows(shape, n_clusters, M, recipe)) + copies + SMALL
    return Cost(0, max(fixed, search))


def sample_size(model: Any) -> int:
    """Return how many rows are clustered, at most."""
    return int(model.max_sample or model.recipe.max_sample)


def _bytes_of_graphs(shape: Shape, sample: int) -> float:
    """Bytes of the sample under several scalings, its neighbours and graphs."""
    rows, ways = shape.row_bytes(), min(n_threads(), WAYS)
    at_once = min(n_threads(), shape.v)
    scaled = sample * (2 * sum(rows) + 3 * at_once * max(rows))
    factors = ways * sample * sum(rows)  # of products: two copies in float32
    distances = 12 * n_threads() * NEIGHBOR_ROWS * sample
    vectors = 32 * sum(shape.features)
    neighbours = 400 * WAYS * sample * (shape.v + 1)
    graphs = 1000 * ways * sample * shape.v
    searching = scaled + factors + distances + vectors
    return neighbours + max(searching, sample * sum(rows) + graphs)


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
