"""GraphConsensus: many clusterings of the same views, weighed without labels, fused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from mvgraph.base.clusterer import Clusterer
from mvgraph.base.result import Result
from mvgraph.base.run import Run
from mvgraph.consensus.extension import GRAPH_NEIGHBORS, extend, learn_classifiers
from mvgraph.consensus.learning import learn
from mvgraph.graphs import partition
from mvgraph.prediction.anchor_model import AnchorModel
from mvgraph.prediction.anchor_votes import vote_labels
from mvgraph.views.container import Views

__all__ = ["GraphConsensus"]

#: Base partitions are made on at most so many rows, whatever the number of samples.
MAX_SAMPLE = 5_000


class GraphConsensus(AnchorModel, Clusterer):
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
    _reads_in_place = True
    _graph_neighbors = GRAPH_NEIGHBORS

    anchor_labels_: np.ndarray
    graph_: sp.csr_matrix
    embedding_: np.ndarray
    view_weights_: np.ndarray
    linked_views_: np.ndarray
    partition_weights_: dict[str, float]
    n_components_: int
    partition_: str
    rule_: str

    def __init__(self, n_clusters: int = 8, *, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _fit(self, views: Views, run: Run) -> Result:
        sample_rows = run.order.rows[: min(len(views), MAX_SAMPLE)]
        sample = views[sample_rows]
        copy_of = run.order.copy_of  # copies of a view would only count it twice
        first = np.unique(copy_of)
        consensus = learn(sample.select(first), self.n_clusters, run.rng, run.stages)
        used = first[consensus.linked]
        sample_rows, sample = sample_rows[consensus.rows], sample[consensus.rows]
        labels = consensus.fusion.labels
        with run.stages("anchors"):
            classifiers = learn_classifiers(
                sample.select(used), labels, self.n_clusters, run.rng
            )
        extended = extend(
            views.select(used), classifiers, sample_rows, consensus.fusion, run.stages
        )
        agree = np.zeros(views.n_views)
        agree[first] = [
            np.maximum(agreement_with(labels, runs[:, consensus.rows]), 0).mean()
            for runs in consensus.own
        ]
        return replace(
            extended,
            view_weights=_normalised(agree[copy_of]),
            linked_views=np.isin(copy_of, used),
            n_components=partition.components(extended.graph)[0],
            partition="spectral",
            history=run.stages.history,
            n_iter=len(consensus.partitions),
            extra={
                **extended.extra,
                "partition_weights_": consensus.weights(),
                "rule_": consensus.fusion.rule,
                "_used": used,
                "_classifiers": classifiers,
            },
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
        views = self._views_used(X)
        return self._new_label[vote_labels(views, self._classifiers)]


def agreement_with(labels: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Return the adjusted Rand index of the labels with every run."""
    return np.array([adjusted_rand_score(labels, run) for run in runs])


def _normalised(x: np.ndarray) -> np.ndarray:
    return x / x.sum() if x.sum() > 0 else np.full(len(x), 1 / len(x))
