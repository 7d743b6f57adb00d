"""Base partitions: neighbour graphs of every representation, each cut in two ways.

A *joint* graph links samples that are near by the sum of the views' distances, a *mean*
graph is the mean of the views' own graphs. *Spectral* cuts are k-means on the leading
eigenvectors; they prefer clusters of equal size. *Communities* are found by the Leiden
algorithm and merged by density; they do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.consensus.recipe import DEFAULT, Recipe
from mvgraph.graphs.neighbors import GraphSource, self_tuning_graph
from mvgraph.graphs.partition import spectral_labels
from mvgraph.ops.communities import (
    join_singles,
    leiden_at_least,
    merge_communities,
)
from mvgraph.ops.linalg.laplacian import graph_embedding
from mvgraph.ops.parallel import ordered

__all__ = [
    "FAMILIES",
    "Partition",
    "base_partitions",
    "view_partitions",
]

FAMILIES = (
    "joint, spectral",
    "joint, communities",
    "mean, spectral",
    "mean, communities",
)


class Partition(NamedTuple):
    """One base partition: how it was made, its family and its labels."""

    name: str
    family: str
    labels: np.ndarray


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
        Four per source, or two where a single view makes both graphs the same.
    """

    def cut(source: GraphSource) -> list[Partition]:
        graphs = {"joint": source.joint_graph(k)}
        if len(source.views) > 1:
            graphs["mean"] = source.mean_graph(k)
        found = []
        for g, (graph, W) in enumerate(graphs.items()):
            rng = np.random.default_rng([seed, k, g])
            for cut, labels in cuts(W, K, rng, recipe).items():
                name = f"{source.name}, {graph} graph of {k} neighbours, {cut}"
                found.append(Partition(name, f"{graph}, {cut}", labels))
        return found

    partitions = []
    for found in ordered(cut, sources):
        partitions += found
        progress()
    return partitions


def cuts(
    W: sp.csr_matrix, K: int, rng: np.random.Generator, recipe: Recipe
) -> dict[str, np.ndarray]:
    """Cut a graph of samples into K clusters by eigenvectors and by communities."""
    U = graph_embedding(W, K).astype(np.float32)
    return {
        "spectral": spectral_labels(U, K, rng, n_init=recipe.n_init),
        "communities": community_labels(W, K, rng),
    }


def community_labels(W: sp.csr_matrix, K: int, rng: np.random.Generator) -> np.ndarray:
    """Find communities, and merge those of densest connection until K are left."""
    linked = np.flatnonzero(np.diff(W.indptr))
    if len(linked) < K:
        linked = np.arange(W.shape[0])
    part = W[linked][:, linked] if len(linked) < W.shape[0] else W
    communities = join_singles(part, leiden_at_least(part, K, rng), K)
    found = merge_communities(part, communities).cut(K)
    # samples without neighbours would be communities of their own
    labels = np.full(W.shape[0], np.bincount(found).argmax())
    labels[linked] = found
    return labels


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
        return community_labels(W, K, np.random.default_rng([seed, 11]))

    return list(ordered(cut, range(len(source.views))))
