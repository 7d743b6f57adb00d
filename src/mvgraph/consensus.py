"""GraphConsensus: many anchor-graph clusterings, weighed without labels, cut once."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from mvgraph import partition
from mvgraph.base import Clusterer, Fit
from mvgraph.bipartite import view_graphs
from mvgraph.ops.kmeans import kmeans
from mvgraph.pipelines import Ensemble, base_partitions, embed
from mvgraph.scaling import scale_views
from mvgraph.views import Views

__all__ = ["GraphConsensus", "fuse"]

#: Base partitions are made on at most so many rows, whatever the number of samples.
MAX_BASE_SAMPLES = 10_000
WEIGHT_POWER = 4


def fuse(
    partitions: dict[str, list[np.ndarray]], n_clusters: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Fuse base partitions by one cut of the graph of samples and base clusters.

    A pipeline weighs (stability * balance)^4: stability is the mean adjusted Rand
    index between its draws, balance the entropy of its cluster sizes over log K. A
    sample is linked to its base clusters with weight 1 / size.

    Parameters
    ----------
    partitions : dict of pipeline name to a list of label arrays, one a draw
    n_clusters : int
    rng : Generator

    Returns
    -------
    labels : ndarray of shape (N,)
    embedding : ndarray of shape (N, n_clusters)
    weights : dict of pipeline name to weight, largest 1
    """
    raw = {
        name: max(_stability(runs) * _balance(runs, n_clusters), 0) ** WEIGHT_POWER
        for name, runs in partitions.items()
    }
    top = max(raw.values()) or 1.0
    weights = {name: w / top for name, w in raw.items()}
    blocks = [
        np.sqrt(max(weights[name], 1e-6)) * _indicator(labels)
        for name, runs in partitions.items()
        for labels in runs
    ]
    U = embed(sp.hstack(blocks), n_clusters)
    labels = kmeans(partition.row_normalise(U), n_clusters, rng, n_init=20).labels
    return labels, U, weights


def _stability(runs: list[np.ndarray]) -> float:
    return float(np.mean([adjusted_rand_score(a, b) for a, b in combinations(runs, 2)]))


def _balance(runs: list[np.ndarray], K: int) -> float:
    entropies = []
    for labels in runs:
        q = np.bincount(labels) / len(labels)
        q = q[q > 0]
        entropies.append(-(q * np.log(q)).sum() / np.log(K))
    return float(np.mean(entropies))


def _indicator(labels: np.ndarray) -> sp.csr_matrix:
    """Return the (N, clusters) matrix with entries 1 / sqrt(cluster size)."""
    sizes = np.bincount(labels)
    values = 1 / np.sqrt(sizes[labels])
    rows = np.arange(len(labels))
    return sp.csr_matrix((values, (rows, labels)), shape=(len(labels), len(sizes)))


class GraphConsensus(Clusterer):
    """Cluster multi-view samples by the consensus of many anchor-graph clusterings.

    The order-free default. It draws anchors several times, builds one anchor graph a
    view, fuses the graphs in several ways under several scalings, cuts each, weighs
    every way by how stable and balanced its cuts are, and cuts the graph of samples
    and base clusters once more. No labels, no row order, cost linear in the samples.

    Parameters
    ----------
    n_clusters : int, default=8
        From 2 to the number of samples.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    anchor_labels_ : ndarray of int64, shape (n_anchors,)
        Clusters of the anchors of the first draw; -1 where no sample uses the anchor.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        Mean anchor graph of the first draw; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of the final cut.
    view_weights_ : ndarray of shape (n_views,)
        How well each view's own graph agrees with the labels, summing to one.
    pipeline_weights_ : dict of str to float
        Weight of every base pipeline, largest 1.
    n_components_ : int
        Components of ``graph_`` that hold samples.
    partition_ : "spectral"
    n_iter_ : int
        Number of base partitions.
    history_ : list of dict
        Seconds of every stage.

    References
    ----------
    .. [1] Fern, Brodley, "Solving cluster ensemble problems by bipartite graph
       partitioning", ICML 2004, :doi:`10.1145/1015330.1015414`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import GraphConsensus
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 30)
    >>> views = [rng.normal(size=(3, d))[truth] * 5 + rng.normal(size=(90, d))
    ...          for d in (4, 6)]
    >>> model = GraphConsensus(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_).tolist()
    [30, 30, 30]
    """

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _fit(self, views: Views, rng: np.random.Generator) -> Fit:
        K = self.n_clusters
        clock = [time.perf_counter()]
        sample = views[: min(len(views), MAX_BASE_SAMPLES)]  # rows come in hash order
        ensemble = base_partitions(sample, K, rng)
        clock.append(time.perf_counter())
        labels, U, weights = fuse(ensemble.partitions, K, rng)
        clock.append(time.perf_counter())
        return self._result(views, sample, ensemble, labels, U, weights, clock)

    def _result(self, views, sample, ensemble: Ensemble, labels, U, weights, clock):
        K = self.n_clusters
        self._draws = ensemble.draws
        self._memberships = [
            [
                partition.anchor_memberships(g.tocsr(), labels, K)
                for g in view_graphs(
                    scale_views(sample, d.scalings), d.anchors, NEIGHBORS
                )
            ]
            for d in ensemble.draws
        ]
        Z = _mean_graph(views, ensemble.draws[0])
        share = partition.anchor_memberships(Z[: len(sample)], labels, K)
        if len(views) > len(sample):
            rest = self._vote(views[len(sample) :])
            carried = partition.anchor_memberships(Z[: len(sample)], labels, K)
            labels = np.concatenate([labels, np.argmax(rest, axis=1)])
            U = np.vstack([U, Z[len(sample) :] @ _anchor_means(Z, U)])
            share = carried
        stages = ("base partitions", "fusion")
        return Fit(
            labels,
            samples={"graph_": Z, "embedding_": U},
            clusters={
                "anchor_labels_": np.where(share.sum(1) > 0, share.argmax(1), -1)
            },
            views={"view_weights_": self._view_weights(sample, labels)},
            other={
                "pipeline_weights_": weights,
                "n_components_": partition.components(Z)[0],
                "partition_": "spectral",
                "n_iter_": sum(map(len, ensemble.partitions.values())),
                "history_": [
                    {"stage": s, "seconds": b - a}
                    for s, a, b in zip(stages, clock[:-1], clock[1:], strict=True)
                ],
            },
        )

    def _view_weights(self, sample: Views, labels: np.ndarray) -> np.ndarray:
        """Agreement of each view's anchors with the labels, above chance."""
        labels = labels[: len(sample)]
        chance = np.bincount(labels).max() / len(labels)
        draw, shares = self._draws[0], self._memberships[0]
        graphs = view_graphs(
            scale_views(sample, draw.scalings), draw.anchors, NEIGHBORS
        )
        agreement = np.array(
            [
                np.mean((g.tocsr() @ B).argmax(axis=1) == labels)
                for g, B in zip(graphs, shares, strict=True)
            ]
        )
        excess = np.maximum(agreement - chance, 1e-3)
        return excess / excess.sum()

    def _vote(self, views: Views) -> np.ndarray:
        """Sum the shares of clusters over draws, views and nearest anchors."""
        votes = np.zeros((len(views), self.n_clusters))
        for draw, shares in zip(self._draws, self._memberships, strict=True):
            scaled = scale_views(views, draw.scalings)
            graphs = view_graphs(scaled, draw.anchors, NEIGHBORS)
            for g, B in zip(graphs, shares, strict=True):
                votes += g.tocsr() @ B
        return votes

    def predict(self, X: Any) -> np.ndarray:
        """Assign new samples through the anchors of all draws.

        Parameters
        ----------
        X : as in fit, with the same views

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        views = self._check_new(X)
        return self._new_label[np.argmax(self._vote(views), axis=1)]


#: Anchors a new sample is linked to.
NEIGHBORS = 5


def _mean_graph(views: Views, draw) -> sp.csr_matrix:
    graphs = view_graphs(scale_views(views, draw.scalings), draw.anchors, NEIGHBORS)
    return sp.csr_matrix(sum(g.tocsr() for g in graphs) / len(graphs))


def _anchor_means(Z: sp.csr_matrix, U: np.ndarray) -> np.ndarray:
    used = Z[: len(U)]
    degree = np.asarray(used.sum(axis=0)).ravel()
    return (used.T @ U) / np.maximum(degree, 1e-12)[:, None]
