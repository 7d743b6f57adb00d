"""Base partitions: neighbour graphs of every representation, each cut in two ways.

A *joint* graph links samples that are near by the sum of the views' distances, a *mean*
graph is the mean of the views' own graphs. *Spectral* cuts are k-means on the leading
eigenvectors; they prefer clusters of equal size. *Communities* are found by the Leiden
algorithm and merged by density; they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.consensus.method import DEFAULT, Recipe
from mvgraph.graphs.neighbors import GraphSource, self_tuning_graph
from mvgraph.graphs.partition import spectral_labels
from mvgraph.ops.communities import join_singles, leiden_at_least
from mvgraph.ops.linalg.laplacian import graph_embedding
from mvgraph.ops.merges import merge_communities
from mvgraph.ops.parallel import ordered

FAMILIES = (
    "joint, spectral",
    "joint, communities",
    "mean, spectral",
    "mean, communities",
)


class Partition(NamedTuple):
    """One base partition: how it was made, its family, its labels, its evidence."""

    name: str
    family: str
    labels: np.ndarray
    evidence: float | None = None  # of its joint graph; None: the mean graphs judge


def base_partitions(
    sources: list[GraphSource],
    k: int,
    K: int,
    seed: int,
    progress: Callable[[], None],
    recipe: Recipe = DEFAULT,
) -> list[Partition]:
    """Cut the joint and the mean graph of every source, in both ways.

    Parameters
    ----------
    sources : list of GraphSource
    k : int
        Neighbours of a sample.
    K : int
        Clusters.
    seed : int
    progress : callable
        Called after every source.
    recipe : Recipe, optional

    Returns
    -------
    list of Partition
        Four per source, or two where a single view makes both graphs the same, or the
        joint graph leaves open which of its pieces belong together.
    """

    def cut(source: GraphSource) -> list[Partition]:
        graphs = {"joint": source.joint_graph(k)}
        if len(source.views) > 1:
            graphs["mean"] = source.mean_graph(k)
        kinds = {
            graph: cuts(W, K, np.random.default_rng([seed, k, g]), recipe)
            for g, (graph, W) in enumerate(graphs.items())
        }
        evidence: dict[str, list[float]] = {}
        if len(graphs) > 1:
            # partitions of fewer neighbours are judged by the same graph
            most = max(recipe.neighbors)
            judge = graphs["joint"] if k == most else source.joint_graph(most)
            judged = _judge_joint(judge, graphs["mean"], kinds, K, seed, recipe)
            if judged is None:
                del kinds["joint"]
            else:
                evidence["joint"] = judged
        title = f"{source.name}, {{}} graph of {k} neighbours, {{}}"
        return [
            Partition(title.format(graph, cut), f"{graph}, {cut}", labels[cut], own)
            for graph, labels in kinds.items()
            for cut, own in zip_longest(labels, evidence.get(graph, []))
        ]

    partitions = []
    for found in ordered(cut, sources):
        partitions += found
        progress()
    return partitions


def cuts(
    W: sp.csr_matrix, K: int, rng: np.random.Generator, recipe: Recipe
) -> dict[str, np.ndarray]:
    """Cut a graph of samples into K clusters by eigenvectors and by communities."""
    rows = linked_rows(W, K, min(recipe.neighbors))
    part = W[rows][:, rows] if len(rows) < W.shape[0] else W
    U = graph_embedding(part, K).astype(np.float32)
    found = {
        "spectral": spectral_labels(U, K, rng, n_init=recipe.n_init),
        "communities": _communities(part, K, rng),
    }
    return {cut: _spread(labels, rows, W.shape[0]) for cut, labels in found.items()}


def community_labels(
    W: sp.csr_matrix, K: int, rng: np.random.Generator, recipe: Recipe = DEFAULT
) -> np.ndarray:
    """Find communities, and merge those of densest connection until K are left."""
    rows = linked_rows(W, K, min(recipe.neighbors))
    part = W[rows][:, rows] if len(rows) < W.shape[0] else W
    return _spread(_communities(part, K, rng), rows, W.shape[0])


def _communities(W: sp.csr_matrix, K: int, rng: np.random.Generator) -> np.ndarray:
    communities = join_singles(W, leiden_at_least(W, K, rng), K)
    return merge_communities(W, communities).cut(K)


def _judge_joint(
    judge: sp.csr_matrix,
    mean: sp.csr_matrix,
    kinds: dict[str, dict[str, np.ndarray]],
    K: int,
    seed: int,
    recipe: Recipe,
) -> list[float] | None:
    """Return the evidence of the cuts of a joint graph, None if it leaves them open."""
    cuts_of = {graph: np.stack([*found.values()]) for graph, found in kinds.items()}
    inside = assortativity(judge, cuts_of["joint"]).tolist()
    told, blurred = (assortativity(mean, cuts_of[g]).max() for g in ("mean", "joint"))
    lost = 1 - blurred / told if told > 0 else 0.0
    if _is_open(judge, K, max(inside), lost, seed, recipe):
        return None
    return [recipe.joint_weight * max(r, 0.0) ** recipe.joint_power for r in inside]


def _is_open(
    W: sp.csr_matrix, K: int, inside: float, lost: float, seed: int, recipe: Recipe
) -> bool:
    """Return True if a joint graph leaves open which pieces are joined.

    Twice as many clusters would lose hardly more of its links: much less than its
    partitions lose of the links of the mean graph, beside those of that graph.
    """
    room = round(lost, 9) / recipe.open  # nothing hangs on rounding where none is lost
    if max(1 - inside, 0) >= room:
        return False
    rng = np.random.default_rng([seed, 13])
    pieces = community_labels(W, min(2 * K, W.shape[0]), rng, recipe)
    return bool(max(1 - assortativity(W, pieces[None])[0], 0) < room)


def linked_rows(W: sp.csr_matrix, K: int, least: int) -> np.ndarray:
    """Return the samples in components of at least so many, or all if those are few.

    Smaller components arise where samples have fewer neighbours than are asked for.
    Each would be a community of its own, and true clusters would be merged instead.
    """
    component = connected_components(W, directed=False)[1]
    rows = np.flatnonzero(np.bincount(component)[component] >= least)
    return rows if len(rows) >= max(K, least) else np.arange(W.shape[0])


def _spread(found: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """Give the samples that were not cut the largest cluster."""
    labels = np.full(n, np.bincount(found).argmax())
    labels[rows] = found
    return labels


def assortativity(W: sp.csr_matrix, partitions: np.ndarray) -> np.ndarray:
    """Return the share of links inside clusters, beyond chance: 1 if all are.

    Modularity divided by the largest that clusters of these degrees could have
    [newman2003]_.

    Parameters
    ----------
    W : csr_matrix of shape (N, N)
    partitions : ndarray of int, shape (B, N)

    Returns
    -------
    ndarray of shape (B,)

    References
    ----------
    .. [newman2003] Newman, "Mixing patterns in networks", Physical Review E 67, 2003,
       :doi:`10.1103/PhysRevE.67.026126`.
    """
    from mvgraph.ops.kernels import communities as _kernels

    degree, inside = np.asarray(W.sum(axis=1)).ravel(), np.zeros(len(partitions))
    total = max(degree.sum(), 1e-300)
    shares = [np.bincount(labels, weights=degree) / total for labels in partitions]
    chance = np.array([share @ share for share in shares])
    by_row = np.ascontiguousarray(partitions.T, dtype=np.int32)
    _kernels.sum_inside(W.indptr, W.indices, W.data, by_row, inside)
    room = np.where(chance < 1, 1 - chance, 1)
    return np.where(chance < 1, (inside / total - chance) / room, 0.0)


def evidence_of(
    partitions: list[Partition], W: sp.csr_matrix, recipe: Recipe = DEFAULT
) -> np.ndarray:
    """Return the factors of the weights of partitions, beside their agreement.

    A partition of a mean graph is judged by the share of links inside its clusters,
    beyond chance, relative to the largest. One of a joint graph keeps the evidence of
    that graph: views that complement each other have groups that no mean graph shows.

    Parameters
    ----------
    partitions : list of B Partition
    W : csr_matrix of shape (N, N)
        Sum of the mean graphs of all scalings.
    recipe : Recipe, optional

    Returns
    -------
    ndarray of shape (B,)
    """
    own = np.array([np.nan if p.evidence is None else p.evidence for p in partitions])
    judged = np.isnan(own)
    r = assortativity(W, np.stack([p.labels for p in partitions]))
    r = np.maximum(r, 0) / max(r[judged].max(initial=0), 1e-300)
    return np.where(judged, r**recipe.mean_power, own)


def view_partitions(
    source: GraphSource, K: int, seed: int, recipe: Recipe = DEFAULT
) -> list[np.ndarray]:
    """Cluster every view alone, by the communities of its graph.

    Returns
    -------
    list of V arrays of int, shape (N,)
    """

    def cut(v: int) -> np.ndarray:
        W = self_tuning_graph(source.views[v], recipe.neighbors[0])
        return community_labels(W, K, np.random.default_rng([seed, 11]), recipe)

    return list(ordered(cut, range(len(source.views))))
