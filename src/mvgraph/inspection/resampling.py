"""Communities of resampled rows, and how well the resamples agree."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from mvgraph.graphs.representations import (
    Representation,
    informative_rows,
    unit_representation,
)
from mvgraph.graphs.sources import NEIGHBORS, GraphSource
from mvgraph.graphs.tree import community_tree
from mvgraph.ops.communities import Merges, leiden
from mvgraph.ops.labels import indicator
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.parallel import ordered
from mvgraph.views.container import Views
from mvgraph.views.imputation import impute

__all__ = ["Resample", "modularity", "resamples", "stability"]

N_COMPONENTS = 40
SHARE = 0.8  # of the rows in every resample
#: Leaves of every tree: a cut below this number depends on no other number.
N_LEAVES = 100


class Resample(NamedTuple):
    """Some of the rows, a graph of them, and its tree of communities."""

    rows: np.ndarray
    W: sp.csr_matrix
    tree: Merges
    n_communities: int  # of largest modularity


def resamples(
    sample: Views, n_draws: int, n_leaves: int, seed: int
) -> list[list[Resample]]:
    """Draw rows, link them jointly and by view, and find communities.

    Parameters
    ----------
    sample : Views
        Rows in an order that means nothing.
    n_draws : int
    n_leaves : int
        Communities at the bottom of every tree, at least `N_LEAVES`.
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
        source = GraphSource.of(part, informative[rows])
        graphs = [source.mean_graph(k)]
        if len(source.views) > 1:
            graphs.append(source.joint_graph(k))
        return [_communities(rows, W, max(N_LEAVES, n_leaves), rng) for W in graphs]

    return [list(graph) for graph in zip(*ordered(draw, range(n_draws)), strict=True)]


def n_neighbors(n: int) -> int:
    """Return how many neighbours a sample is linked to: those of the default, or fewer.

    20 neighbours of 200 samples would join small classes.
    """
    return min(NEIGHBORS[0], int(np.sqrt(n)))


def _represent(sample: Views) -> tuple[Representation, np.ndarray]:
    informative = informative_rows(sample)
    found = unit_representation(sample, informative, N_COMPONENTS)
    if sample.mask is None:
        return found, informative
    (arrays,), known = impute(found.arrays, sample.mask, [found.arrays])
    arrays = [np.asarray(row_normalise(x), dtype=np.float32) for x in arrays]
    return found._replace(arrays=arrays), informative | (known & ~sample.mask)


def _communities(
    rows: np.ndarray, W: sp.csr_matrix, n_leaves: int, rng: np.random.Generator
) -> Resample:
    """Find the communities of the rows that have a neighbour, and a tree of them."""
    linked = np.flatnonzero(np.diff(W.indptr))
    if not len(linked):
        linked = np.arange(W.shape[0])
    W = W[linked][:, linked]
    groups = leiden(W, rng)
    tree = community_tree(W, groups, n_leaves, rng)
    return Resample(rows[linked], W, tree, int(groups.max()) + 1)


def stability(draws: list[Resample], k: int) -> float:
    """Return the mean adjusted Rand index of cuts, on the rows that two draws share."""
    cuts = [(draw.rows, draw.tree.cut(k)) for draw in draws]
    agree = []
    for (rows, first), (others, second) in combinations(cuts, 2):
        _, a, b = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
        agree.append(adjusted_rand_score(first[a], second[b]))
    return float(np.mean(agree))


def modularity(W: sp.csr_matrix, labels: np.ndarray) -> float:
    """Return the weight inside clusters less that expected of the degrees, as shares.

    Parameters
    ----------
    W : csr_matrix of shape (n, n), symmetric
    labels : ndarray of int, shape (n,)
    """
    H = indicator(labels[None], int(labels.max()) + 1)
    between = (H.T @ W @ H).toarray()
    total = max(float(between.sum()), 1e-300)
    degrees = between.sum(axis=1) / total
    return float(np.trace(between) / total - degrees @ degrees)
