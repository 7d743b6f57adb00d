"""Resamples of the rows for the choice of k: graphs, trees, and their memory."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.limits import Cost, Shape
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.representations import (
    Representation,
    informative_rows,
    unit_representation,
)
from mvgraph.ops.communities import Merges, community_tree, leiden
from mvgraph.ops.labels import indicator
from mvgraph.ops.linalg.principal import iterates
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.parallel import n_threads, ordered
from mvgraph.views.container import Views
from mvgraph.views.imputation import impute

__all__ = [
    "Resample",
    "cost_of_choice",
    "modularities",
    "resamples",
    "stabilities",
    "trees",
]

N_COMPONENTS = 40
#: Neighbours of a row, at most: as in the first graphs of the default.
N_NEIGHBORS = 20
SHARE = 0.8  # of the rows in every resample
#: Leaves of every tree: a cut below this number depends on no other number.
N_LEAVES = 100


class Resample(NamedTuple):
    """Some of the rows, a graph of them, and its communities."""

    rows: np.ndarray
    W: sp.csr_matrix
    labels: np.ndarray  # of largest modularity

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1


def resamples(sample: Views, n_draws: int, seed: int) -> list[list[Resample]]:
    """Draw rows, link them jointly and by view, and find communities.

    Parameters
    ----------
    sample : Views
        Rows in an order that means nothing.
    n_draws : int
    seed : int

    Returns
    -------
    list of lists of Resample
        For each graph (mean of the views', and joint if there are several views), one
        resample a draw.
    """
    representation, informative = _represent(sample)
    n = len(sample)
    k = n_neighbors(n)

    def draw(d: int) -> list[Resample]:
        rng = np.random.default_rng([seed, d])
        rows = np.sort(rng.permutation(n)[: int(SHARE * n)])
        part = representation._replace(arrays=[x[rows] for x in representation.arrays])
        source = GraphSource.of(part, informative[rows], N_NEIGHBORS)
        graphs = [source.mean_graph(k)]
        if len(source.views) > 1:
            graphs.append(source.joint_graph(k))
        return [_communities(rows, W, rng) for W in graphs]

    return [list(graph) for graph in zip(*ordered(draw, range(n_draws)), strict=True)]


def n_neighbors(n: int) -> int:
    """Return how many neighbours a sample is linked to: those of the default, or fewer.

    20 neighbours of 200 samples would join small classes.
    """
    return min(N_NEIGHBORS, int(np.sqrt(n)))


def _represent(sample: Views) -> tuple[Representation, np.ndarray]:
    informative = informative_rows(sample)
    found = unit_representation(sample, informative, N_COMPONENTS)
    if sample.mask is None:
        return found, informative
    (arrays,), known = impute(found.arrays, sample.mask, [found.arrays])
    arrays = [np.asarray(row_normalise(x), dtype=np.float32) for x in arrays]
    return found._replace(arrays=arrays), informative | (known & ~sample.mask)


def _communities(
    rows: np.ndarray, W: sp.csr_matrix, rng: np.random.Generator
) -> Resample:
    """Find the communities of the rows that have a neighbour."""
    linked = np.flatnonzero(np.diff(W.indptr))
    if not len(linked):
        linked = np.arange(W.shape[0])
    W = W[linked][:, linked]
    return Resample(rows[linked], W, leiden(W, rng))


def trees(draws: list[Resample], n_leaves: int, seed: int) -> list[Merges]:
    """Return a tree of every draw, with its communities as one of the cuts.

    Parameters
    ----------
    draws : list of Resample
    n_leaves : int
        Communities at the bottom, but at least `N_LEAVES`.
    seed : int
    """
    n_leaves = max(N_LEAVES, n_leaves)

    def grow(d: int) -> Merges:
        rng = np.random.default_rng([seed, d, n_leaves])
        return community_tree(draws[d].W, draws[d].labels, n_leaves, rng)

    return list(ordered(grow, range(len(draws))))


def stabilities(
    draws: list[Resample], found: list[Merges], numbers: list[int]
) -> np.ndarray:
    """Return, for every number, how alike the cuts of two draws are.

    This is the mean adjusted Rand index over pairs of draws, on the rows of both.
    """
    cuts = [_cuts_of_leaves(tree, numbers) for tree in found]
    agree = []
    for a, b in combinations(range(len(draws)), 2):
        _, i, j = np.intersect1d(
            draws[a].rows, draws[b].rows, assume_unique=True, return_indices=True
        )
        shape = found[a].n_leaves_, found[b].n_leaves_
        ends = found[a].labels[i], found[b].labels[j]
        shared = sp.csr_matrix((np.ones(len(i)), ends), shape=shape).toarray()
        pairs = zip(cuts[a], cuts[b], strict=True)
        agree.append([_adjusted_rand(p.T @ shared @ q) for p, q in pairs])
    return np.array([np.mean(column) for column in zip(*agree, strict=True)])


def modularities(draw: Resample, tree: Merges, numbers: list[int]) -> list[float]:
    """Return the modularity of every cut.

    It is the share of the weight inside clusters less that expected of the degrees.
    """
    H = indicator(tree.labels, tree.n_leaves_)
    leaves = (H.T @ draw.W @ H).toarray()
    found = []
    for cut in _cuts_of_leaves(tree, numbers):
        between = cut.T @ leaves @ cut
        total = max(float(between.sum()), 1e-300)
        degrees = between.sum(axis=1) / total
        found.append(float(np.trace(between) / total - degrees @ degrees))
    return found


def _cuts_of_leaves(tree: Merges, numbers: list[int]) -> list[np.ndarray]:
    """Return, for every number, which leaf is in which cluster."""
    leaves = tree._replace(labels=np.arange(tree.n_leaves_))
    return [np.eye(min(k, tree.n_leaves_))[leaves.cut(k)] for k in numbers]


def _adjusted_rand(table: np.ndarray) -> float:
    """Return the adjusted Rand index of two partitions from their counts in common."""

    def pairs(x: np.ndarray) -> float:
        return float((x * (x - 1)).sum() / 2)

    own, other = pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    expected = own * other / max(pairs(table.sum()), 1)
    most = (own + other) / 2
    return (pairs(table) - expected) / (most - expected) if most > expected else 1.0


#: Bytes of an entry of a sparse graph.
ENTRY = 12
#: Vectors of the length of a view's features, where its components are found by
#: products.
VECTORS = 60
#: Bytes of many small arrays.
SMALL = 10_000_000


def cost_of_choice(shape: Shape, n_sampled: int, n_draws: int) -> Cost:
    """Forecast bytes.

    Parameters
    ----------
    shape : Shape
    n_sampled : int
        Rows that are looked at.
    n_draws : int
        Their graphs are held until the end.
    """
    n, v, drawn = n_sampled, shape.v, int(SHARE * n_sampled)
    rows = shape.row_bytes()
    sample = n * sum(rows)
    scaled = sample + min(n_threads(), v) * (3 * n * max(rows) + _vectors(shape, n))
    components = 4 * n * sum(min(N_COMPONENTS, d) for d in shape.features)
    near = 12 * N_NEIGHBORS * drawn * (v + 1)
    entries = 2 * n_neighbors(n)  # of a row of a graph, in both directions
    kept = n_draws * ENTRY * drawn * (min(entries * v, drawn) + entries)
    graphs = 2 * components + near + 2 * ENTRY * drawn * entries * v
    drawing = min(n_threads(), n_draws) * graphs
    copies = 3 * shape.held if shape.sparse else 0  # checked as CSR, hashed
    rest = 16 * sum(shape.features) + 40 * shape.n + copies + SMALL
    return Cost(0, max(scaled, sample + components + kept + drawing) + rest)


def _vectors(shape: Shape, n: int) -> float:
    pairs = zip(shape.stored, shape.features, strict=True)
    iterating = [d for s, d in pairs if iterates(n, d, N_COMPONENTS, s < d)]
    return 8 * VECTORS * max(iterating, default=0)
