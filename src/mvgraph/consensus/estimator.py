"""GraphConsensus: many clusterings of the same views, weighed without labels, fused."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from mvgraph.base.clusterer import Clusterer, Fit
from mvgraph.base.progress import Stages
from mvgraph.consensus.fusion import Fusion
from mvgraph.consensus.learning import learn
from mvgraph.graphs import partition
from mvgraph.graphs.anchors import Anchors, default_n_anchors, kmeans_anchors
from mvgraph.graphs.bipartite import BLOCK, mean_graph
from mvgraph.ops.hashing import sum_hash
from mvgraph.prediction.anchor_votes import Carrier, cluster_shares, vote_labels
from mvgraph.prediction.discriminant import learn_discriminant
from mvgraph.prediction.embedding import AnchorEmbedding, anchor_means
from mvgraph.views.container import Views
from mvgraph.views.rows import Rows
from mvgraph.views.scaling import learn_scalings, scale_views

__all__ = ["GraphConsensus"]

#: Base partitions are made on at most so many rows, whatever the number of samples.
MAX_SAMPLE = 5_000
#: Scalings and draws of anchors that carry the labels to other rows.
CARRIERS = ("auto", "auto+unit")
NEIGHBORS = 10
#: Anchors a sample is linked to in ``graph_``.
GRAPH_NEIGHBORS = 5


def origins(views: Views) -> np.ndarray:
    """Return, for every view, the first view that holds exactly the same numbers."""
    hashes = [sum_hash(x, 0) for x in views.arrays]
    return np.array(
        [
            next(u for u in range(v + 1) if np.array_equal(hashes[u], hashes[v]))
            for v in range(views.n_views)
        ]
    )


class GraphConsensus(AnchorEmbedding, Clusterer):
    """Cluster multi-view samples by the consensus of many anchor-graph clusterings.

    The order-free default. It scales the views in several ways, draws anchors two or
    four times for each, makes base partitions of three families (fused graphs, fused
    distances, fused spectral embeddings), weighs them by how much they agree with each
    other, and cuts the graph of samples and base clusters once. A view whose own
    clusters depend on no other view (noise, or another subject) is left out. Labels are
    never used, nor the order of rows, views or anchors.

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
        Clusters of the anchors of ``graph_``; -1 where no sample uses the anchor.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        Mean anchor graph of the views that were used; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of the final cut.
    view_weights_ : ndarray of shape (n_views,)
        How well the clusters of each view alone agree with the labels (adjusted Rand
        index, at least 0), scaled to sum one.
    linked_views_ : ndarray of bool, shape (n_views,)
        False for views that were left out.
    partition_weights_ : dict of str to float
        Weight of every base partition, summing to one.
    n_components_ : int
        Components of ``graph_`` that hold samples.
    partition_ : "spectral"
    rule_ : {"cut", "vote"}
        How the consensus was read; see :func:`mvgraph.consensus.fusion.fuse`.
    n_iter_ : int
        Number of base partitions.
    history_ : list of dict
        Seconds of every stage.

    Notes
    -----
    Base partitions are made on at most 5000 rows, drawn by content, and carried to
    the others through anchors and linear discriminants of the clusters: the cost is
    linear in the number of samples. Rows that a view lacks (NaN throughout) or that are
    zero throughout in it have no edge there.

    References
    ----------
    .. [1] Fern, Brodley, "Solving cluster ensemble problems by bipartite graph
       partitioning", ICML 2004, :doi:`10.1145/1015330.1015414`.
    .. [2] Strehl, Ghosh, "Cluster ensembles: a knowledge reuse framework for combining
       multiple partitions", JMLR 3, 2002.

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

    _accepts_missing = True

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _fit(self, views: Views, rng: np.random.Generator) -> Fit:
        raise NotImplementedError("_fit_ordered reads the rows where they lie")

    def _fit_ordered(self, views: Views, rows: np.ndarray, rng) -> Fit:
        stages = Stages(self._callback)
        sample_rows = rows[: min(len(views), MAX_SAMPLE)]
        sample = views[sample_rows]
        origin = origins(sample)  # copies of a view would only count it twice
        first = np.unique(origin)
        consensus = learn(sample.select(first), self.n_clusters, rng, stages)
        self._used = first[consensus.linked]
        sample_rows, sample = sample_rows[consensus.rows], sample[consensus.rows]
        with stages("anchors"):
            self._carriers = self._learn_carriers(
                sample.select(self._used), consensus.fusion.labels, rng
            )
        fit = self._carry(views, sample_rows, consensus.fusion, stages)
        agree = np.zeros(views.n_views)
        agree[first] = [
            np.maximum(
                agreement_with(consensus.fusion.labels, runs[:, consensus.rows]), 0
            ).mean()
            for runs in consensus.own
        ]
        linked = np.isin(origin, self._used)
        return fit._replace(
            views={"view_weights_": _shares(agree[origin]), "linked_views_": linked},
            other={
                "partition_weights_": consensus.weights(),
                "partition_": "spectral",
                "rule_": consensus.fusion.rule,
                "n_components_": partition.components(fit.samples["graph_"])[0],
                "n_iter_": len(consensus.partitions),
                "history_": stages.history,
            },
        )

    def _learn_carriers(self, sample: Views, labels: np.ndarray, rng) -> list[Carrier]:
        """Learn, on the sample, what anchors and discriminants say of the clusters."""
        M = default_n_anchors(len(sample), self.n_clusters)
        carriers = []
        for rule in CARRIERS:
            scalings = learn_scalings(sample, rule)
            anchors = kmeans_anchors(scale_views(sample, scalings), M, rng)
            source = Rows(sample, scalings)
            shares = cluster_shares(source, anchors, NEIGHBORS, labels, self.n_clusters)
            told = learn_discriminant(
                source.read(slice(0, len(sample))), labels, self.n_clusters
            )
            carriers.append(Carrier(scalings, anchors, shares, NEIGHBORS, told))
        return carriers

    def _carry(
        self, views: Views, sample_rows: np.ndarray, fusion: Fusion, stages: Stages
    ) -> Fit:
        """Give every row a label: those of the sample, the others through anchors."""
        used = views.select(self._used)
        main = self._carriers[0]
        source, n_blocks = Rows(used, main.scalings), -(-len(views) // BLOCK)
        with stages("graph of all rows", n_blocks) as tick:
            Z = mean_graph(source, main.anchors, GRAPH_NEIGHBORS, tick)
        self._anchor_embedding = anchor_means(Z[sample_rows], fusion.embedding)
        if len(sample_rows) == len(views):
            labels = np.empty(len(views), dtype=np.int64)
            embedding = np.empty_like(fusion.embedding)
        else:
            with stages("labels of all rows", n_blocks) as tick:
                labels = vote_labels(used, self._carriers, tick)
            embedding = Z @ self._anchor_embedding.astype(np.float32)
        labels[sample_rows] = fusion.labels
        embedding[sample_rows] = fusion.embedding
        share = np.mean(main.shares, axis=0)
        anchor_labels = np.where(share.any(axis=1), share.argmax(axis=1), -1)
        return Fit(
            labels,
            samples={"graph_": Z, "embedding_": embedding},
            clusters={"anchor_labels_": anchor_labels},
        )

    def predict(self, X: Any) -> np.ndarray:
        """Assign new samples through the anchors and the discriminants.

        Parameters
        ----------
        X : as in fit, with the same views

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        views = self._check_new(X).select(self._used)
        return self._new_label[vote_labels(views, self._carriers)]

    def _anchors_of(self, views: Views) -> tuple[Rows, Anchors, int]:
        main = self._carriers[0]
        source = Rows(views.select(self._used), main.scalings)
        return source, main.anchors, GRAPH_NEIGHBORS


def agreement_with(labels: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Return the adjusted Rand index of the labels with every run."""
    return np.array([adjusted_rand_score(labels, run) for run in runs])


def _shares(x: np.ndarray) -> np.ndarray:
    return x / x.sum() if x.sum() > 0 else np.full(len(x), 1 / len(x))
