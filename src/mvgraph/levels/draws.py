"""Draws of the rows, linked in two ways, and a tree of communities of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.neighbors import (
    GraphSource,
    Neighbors,
    mean_of_graphs,
    self_tuning_graph,
)
from mvgraph.ops.communities import join_singles, leiden, leiden_at_least
from mvgraph.ops.merges import Merges, merge_communities
from mvgraph.ops.parallel import ordered

#: Principal components of a view. As good as all features: section "How the rule was
#: chosen" of ``docs/results_n_clusters.md``.
N_COMPONENTS = 100
#: Draws beside that of all rows, and the share of the rows in each.
N_DRAWS, SHARE = 4, 0.8
#: Neighbours of a row in a tree: few, since twenty join classes of ten or twenty
#: samples. The stability of trees of 20 neighbours, or of both, chose no better.
FEW = 7
#: Neighbours in the graphs whose communities are counted too: as in the first graphs
#: of the default.
MANY = 20
#: Leaves of a tree: at least, and at most; a fifth of the rows between.
LEAVES = (100, 250)
#: Resolution at which the search for so many communities starts.
START = 4.0


class Tree(NamedTuple):
    """Communities of the rows of a draw, and their merges down to one."""

    rows: np.ndarray  # (n,) of the sample, those with an edge
    merges: Merges  # of the n rows

    def cuts(self, numbers: np.ndarray) -> np.ndarray:
        """Return the cluster of every leaf in the cuts into ascending numbers.

        Returns
        -------
        ndarray of int, shape (len(numbers), leaves)
        """
        C, children = self.merges.n_leaves_, self.merges.children_
        parent, step = np.arange(2 * C - 1), np.full(2 * C - 1, C)
        for side in children.T:
            parent[side] = C + np.arange(C - 1)
            step[side] = np.arange(C - 1)
        nodes = np.empty((len(numbers), C), dtype=np.int64)
        node = np.arange(C)
        for i in range(len(numbers) - 1, -1, -1):
            merged = C - int(numbers[i])  # so many merges are made
            while (up := step[node] < merged).any():
                node = np.where(up, parent[node], node)
            nodes[i] = node
        present = np.zeros((len(numbers), 2 * C - 1), dtype=np.int64)
        np.put_along_axis(present, nodes, 1, axis=1)
        return np.take_along_axis(np.cumsum(present, axis=1), nodes, axis=1) - 1


def draw_trees(
    source: GraphSource,
    seed: int,
    n_draws: int = N_DRAWS,
    k: int = FEW,
    step: Callable[[], None] = lambda: None,
) -> dict[str, list[Tree]]:
    """Grow the trees of the graphs of all rows and of every draw.

    Parameters
    ----------
    source : GraphSource
        `MANY` neighbours of n rows in an order that means nothing.
    seed : int
    n_draws : int, optional
    step : callable, optional
        Called after every draw.

    Returns
    -------
    dict of str to list of Tree
        For the joint graph, and the mean graph of several views: the tree of all rows,
        then those of the draws.
    """
    n = len(source.joint.indices)

    def grow(d: int) -> dict[str, Tree]:
        rng = np.random.default_rng([seed, d])
        rows = np.sort(rng.permutation(n)[: n if d == 0 else int(SHARE * n)])
        graphs = _graphs(source, rows, k)
        return {name: _tree(W, rows, n, rng) for name, W in graphs.items()}

    drawn = []
    for trees in ordered(grow, range(n_draws + 1)):
        drawn.append(trees)
        step()
    return {graph: [trees[graph] for trees in drawn] for graph in drawn[0]}


def count_communities(source: GraphSource, seed: int) -> dict[tuple[str, int], int]:
    """Count the communities of largest modularity in the graphs of all rows.

    Returns
    -------
    dict of (str, int) to int
        By graph, joint or mean, and its neighbours, many or few.
    """
    # the mean graph of few neighbours says nothing that the others do not
    wanted = [("joint", MANY), ("mean", MANY), ("joint", FEW)]
    if len(source.views) == 1:
        wanted = wanted[::2]

    def count(g: int) -> int:
        rng = np.random.default_rng([seed, N_DRAWS + 1, g])
        _, part = _linked(_whole(source, *wanted[g]))
        return int(leiden(part, rng).max()) + 1

    return dict(zip(wanted, ordered(count, range(len(wanted))), strict=True))


def view_communities(source: GraphSource, seed: int) -> list[np.ndarray]:
    """Return the communities of every view alone, (n,) each."""

    def find(v: int) -> np.ndarray:
        rng = np.random.default_rng([seed, N_DRAWS + 2, v])
        return leiden(self_tuning_graph(source.views[v], _fewer(source, FEW)), rng)

    return list(ordered(find, range(len(source.views))))


def _fewer(source: GraphSource, k: int) -> int:
    """Return the neighbours that are linked: 20 of 200 samples join small classes."""
    return min(k, int(np.sqrt(len(source.joint.indices))))


def _whole(source: GraphSource, name: str, k: int) -> sp.csr_matrix:
    """Return the joint or the mean graph of all rows, which is made once."""
    make = source.joint_graph if name == "joint" else source.mean_graph
    return make(_fewer(source, k))


def _graphs(source: GraphSource, rows: np.ndarray, k: int) -> dict[str, sp.csr_matrix]:
    """Return the joint graph of some rows, and the mean graph of several views."""
    names = ("joint", "mean")[: len(source.views)]
    if len(rows) == len(source.joint.indices):
        return {name: _whole(source, name, k) for name in names}
    k = _fewer(source, k)
    graphs = {"joint": self_tuning_graph(among(source.joint, rows, k), k)}
    if "mean" in names:
        views = [self_tuning_graph(among(x, rows, k), k) for x in source.views]
        graphs["mean"] = mean_of_graphs(views, source.weights)
    return graphs


def among(near: Neighbors, rows: np.ndarray, k: int) -> Neighbors:
    """Return the nearest k of every row among some rows.

    A row that has fewer of them among its own is linked to itself instead, as far as
    to its last.
    """
    from mvgraph.levels.kernels import trees as _kernels

    place = np.full(len(near.indices), -1)
    place[rows] = np.arange(len(rows))
    shape = len(rows), min(k, near.indices.shape[1])
    found = Neighbors(np.empty(shape, dtype=np.int64), np.empty(shape))
    _kernels.among(*near, rows, place, *found)
    return found


def _tree(W: sp.csr_matrix, rows: np.ndarray, n: int, rng: np.random.Generator) -> Tree:
    """Find communities of the rows that have an edge, and merge them by density."""
    linked, part = _linked(W)
    few, most = LEAVES
    leaves = min(max(few, n // 5), most, n // 3, len(linked))
    small = join_singles(part, leiden_at_least(part, leaves, rng, START), 2)
    return Tree(rows[linked], merge_communities(part, small))


def _linked(W: sp.csr_matrix) -> tuple[np.ndarray, sp.csr_matrix]:
    """Return the rows that have an edge, all if there is none, and their graph."""
    linked = np.flatnonzero(np.diff(W.indptr))
    if not 1 < len(linked) < W.shape[0]:
        return np.arange(W.shape[0]), W
    return linked, W[linked][:, linked]
