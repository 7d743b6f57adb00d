"""GraphConsensus: its registry record, the memory of a fit, and its constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
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


@dataclass(frozen=True)
class Recipe:
    """Every constant of the method.

    Those marked two-fold were compared by ``benchmarks/two_fold.py``: chosen on one
    half of the sets, reported on the other. Those marked assumed were set once and not
    compared with others.
    """

    #: Rows on which partitions are made, at most. Assumed: pairs of so many rows take
    #: some seconds.
    max_sample: int = 5_000
    #: Neighbours in the graphs of the first round and of the second. Two-fold.
    neighbors: tuple[int, ...] = (20, 10)
    #: Starts of k-means in a spectral cut: the default of `ops.kmeans`.
    n_init: int = 10
    #: Exponent of the mean agreement in the weight of a partition. Two-fold.
    power: int = 6
    #: A partition of a joint graph counts `joint_weight` r^`joint_power` times as much
    #: as one of a mean graph, r the share of its links that lie inside clusters, beyond
    #: chance: the same for r = .84. Two-fold.
    joint_weight: float = 2.0
    joint_power: int = 4
    #: A joint graph leaves open which pieces belong together if its partitions lose so
    #: many times more of the links of the mean graph, beside those of that graph, than
    #: 2 K clusters lose of its own: 6 and more in a set of papers, at most 3.7 in 17
    #: other sets.
    open: float = 5.0
    #: A partition of a mean graph counts r^`mean_power` times, r the share of the links
    #: of all mean graphs inside its clusters, beyond chance, relative to the largest.
    #: Two-fold.
    mean_power: int = 16
    #: Samples of the smallest cluster: a consensus with a smaller one is taken only
    #: where there is no other.
    min_cluster: int = 3
    #: A sample moves to the cluster of its neighbours if they have more of it than of
    #: its own by this share of their links. Two-fold.
    stay: float = 0.1
    #: Principal components of every view where a view lacks rows: those are filled.
    #: Assumed.
    n_components: int = 100
    #: Principal components, per cluster, in which anchors are found.
    anchor_components: int = 4
    #: Weight, in shares of the largest, above which a partition votes. Assumed: a
    #: thousand weaker ones are needed to outvote it.
    min_vote: float = 1e-3
    #: Weight, in shares of the largest, above which a partition has edges in the cut.
    #: Assumed: below it singular vectors do not change.
    min_edge: float = 1e-6
    #: Starts and steps of k-means in the cut of the consensus. Assumed.
    cut_n_init: int = 20
    cut_max_iter: int = 50
    #: Rounds of the weighted vote, at most. Assumed.
    max_votes: int = 10
    #: Mean adjusted Rand index of the consensus with the partitions so far from which
    #: on no further round is made. Assumed.
    converged: float = 0.95
    #: Communities at the bottom of the tree, in multiples of the clusters. Assumed.
    leaves_per_cluster: int = 2
    #: Communities at the bottom of the tree, at least, so that it can be cut finer.
    #: Assumed.
    min_leaves: int = 100
    #: Complete rows stand for all rows if they are at least this share of them and so
    #: many per cluster, and if every cluster of a view alone with so many rows keeps
    #: `min_kept` of its rows, in units of the share overall. Assumed.
    min_complete: float = 0.5
    rows_per_cluster: int = 10
    min_kept: float = 0.4
    #: Anchors of a view that vote on the label of a row. Assumed.
    anchor_neighbors: int = 10
    #: Weights of the odds that a label is right: the logarithm of the ratio of its
    #: votes and the most for another cluster, the logit of the mean agreement of base
    #: partitions with the labels, and a constant; for rows that were clustered (by the
    #: partitions of mean graphs, which say more where classes are unequal), and for
    #: those that only anchors know. Two-fold, ``benchmarks/calibration.py``.
    odds_by_votes: tuple[float, float, float] = (0.99, 0.83, -0.96)
    odds_by_anchors: tuple[float, float, float] = (0.49, 1.11, -1.28)
    #: Anchors of a view that a row of ``graph_`` is linked to: as in the paper of MGL.
    graph_neighbors: int = 5


DEFAULT = Recipe()
