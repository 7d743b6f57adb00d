"""GraphConsensus: many clusterings of the same views, weighed without labels, fused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.clusterer import Clusterer
from mvgraph.base.limits import Cost, Shape
from mvgraph.base.result import Result
from mvgraph.base.run import Run
from mvgraph.consensus.all_rows import extend
from mvgraph.consensus.extension import Extension, learn_classifiers
from mvgraph.consensus.fitted import FittedConsensus
from mvgraph.consensus.fusion import view_weights
from mvgraph.consensus.learning import learn
from mvgraph.consensus.method import DEFAULT, Recipe, cost_of_fit, sample_size
from mvgraph.consensus.predictor import ConsensusPredictor
from mvgraph.graphs.adjacency import with_closed_neighborhoods
from mvgraph.graphs.neighbors import few_copies
from mvgraph.levels.auto import AUTO, choose
from mvgraph.ops.merges import Merges
from mvgraph.views.container import Views

if TYPE_CHECKING:
    from mvgraph.levels.found import Level


class GraphConsensus(FittedConsensus, Clusterer):
    """Cluster multi-view samples by the consensus of many neighbour-graph partitions.

    The order-free default. It scales the views in several ways, links every sample to
    its nearest in all views together and in each view, and cuts these graphs by
    eigenvectors and by communities. The partitions are weighed by how much they agree
    with each other and fused in four ways, two of which have no preference for clusters
    of equal size; the result that agrees best with the partitions is the consensus.
    Small groups that nothing connects to other samples are clusters of their own. A
    view whose clusters depend on no other view (noise, or another subject) is left out.
    Class labels are never used, nor the order of rows or views.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        From 2 to the number of samples. ``"auto"``: the number of the level that stands
        out most; see ``levels_`` and :class:`mvgraph.ChooseK`, which finds the same.
        Where no division stands out, all samples are one cluster, with a warning.
    max_sample : int or None, default=None
        Rows that are clustered, at least 1, drawn by content; the others are labelled
        by them. None: 5000. Time and memory of this part grow with its square.
    engine : {"auto", "memory", "distributed"}, address or engine, default="auto"
        Where all rows are labelled, once the sample is clustered: in this process, or
        on the workers of a dask cluster (the current client, a new local cluster, or
        the address of a scheduler). ``auto``: on the workers if the views are dask
        arrays and there is a client, else in this process.
    memory_limit : int or None, default=None
        Bytes of private memory that this process may take in a fit, interpreter and
        held views included, at least 1; None: no limit. `fit` refuses what does not
        fit; forecasts are right within 30 %, see :func:`mvgraph.estimate`. Views that
        are mapped, read from files or dask arrays are not held. The memory of workers
        is not counted, nor are the chunks of dask arrays that are computed in this
        process. `predict` and `transform` read rows in blocks and need no limit.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    cluster_ids_ : ndarray of int64, shape (n_clusters,)
        Numbers of the clusters, rising: the columns of ``membership_`` and
        `predict_proba`. From 0 on, unless `fit` was told ``like``.
    changes_ : tuple of Change
        With ``like``: what became of every cluster, each with ``kind`` (kept, grown,
        shrunk, split, merged, new, gone), the numbers ``before`` and ``after``, and
        samples and shares before and after.
    next_cluster_id_ : int
        The least number that no cluster has had.
    n_clusters_ : int
        The number given, or found.
    levels_ : tuple of Level
        At most four numbers that stand out, if the number was to be found, each with
        ``k``, ``stability``, ``confidence`` and ``views``; see
        :class:`mvgraph.ChooseK`.
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
    membership_ : ndarray of float32, shape (n_samples, n_clusters)
        Probability of every cluster; rows sum to one.
    confidence_ : ndarray of shape (n_samples,)
        The largest membership, that of the label: about how often such a label is right
        if classes are matched to clusters one to one. It follows from how many of the
        base partitions and of the neighbours of a sample say the same, and from how
        well the partitions agree on the whole. See :doc:`/results_n_clusters`.
    outlier_score_ : ndarray of float32, shape (n_samples,)
        How far every sample is from all that was seen, in [0, 1]: one minus the
        probability that a sample of its cluster is as far, jointly or in a view, or has
        views that agree as little. See `labels` and `outlier_reason_`.
    outlier_part_ : ndarray of int16, shape (n_samples,)
        The part in which a sample is most unusual: 0 jointly, then the views that were
        used, then their disagreement with the others.
    outlier_reason_ : ndarray of str, shape (n_samples,)
        Why a sample belongs nowhere, in words; empty for others.
    tree_ : Merges
        Merges of communities below and above the clusters, with ``children_`` and
        ``distances_`` as in scikit-learn's AgglomerativeClustering; see `cut`. At least
        ``n_clusters`` leaves.
    partition_weights_ : dict of str to float
        Weight of every base partition, summing to one.
    n_components_ : int
        Components of ``graph_`` that hold samples.
    partition_ : "spectral"
    rule_ : {"cut", "vote", "linkage", "linkage, vote"}
        How the consensus was read; see :func:`mvgraph.consensus.fusion.fuse`.
    n_iter_ : int
        Number of base partitions.
    history_ : list of dict
        Seconds of every stage.

    Notes
    -----
    Base partitions are made on at most 5000 rows, drawn by content, and extended to
    the others through anchors and linear discriminants of the clusters: the cost is
    linear in the number of samples. If all views are dask arrays, their rows are read
    where they lie, and ``graph_``, ``embedding_``, ``membership_``, ``confidence_`` and
    the results of `predict`, `predict_proba` and `transform` are dask arrays, computed
    when they are read; ``labels_`` and ``tree_`` are NumPy arrays. Rows that a view
    lacks (NaN throughout) or that are zero throughout in it have no edge there.

    References
    ----------
    .. [1] Fern, Brodley, "Solving cluster ensemble problems by bipartite graph
       partitioning", ICML 2004, :doi:`10.1145/1015330.1015414`.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation",
       IEEE TPAMI 27(6), 2005, :doi:`10.1109/TPAMI.2005.113`.
    .. [3] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019, :doi:`10.1038/s41598-019-41695-z`.

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
    predictor = ConsensusPredictor
    #: The constants; not a parameter, since none of them needs to be set.
    recipe: Recipe = DEFAULT

    n_clusters_: int
    levels_: tuple[Level, ...]
    anchor_labels_: np.ndarray
    graph_: sp.csr_matrix
    embedding_: np.ndarray
    view_weights_: np.ndarray
    linked_views_: np.ndarray
    membership_: np.ndarray
    tree_: Merges
    partition_weights_: dict[str, float]
    n_components_: int
    partition_: str
    rule_: str
    outlier_score_: Any
    outlier_part_: Any
    lazy_labels_: Any

    def __init__(
        self,
        n_clusters: int | str = AUTO,
        *,
        max_sample: int | None = None,
        engine: Any = "auto",
        memory_limit: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters  # type: ignore[assignment]
        self.max_sample = max_sample
        self.engine = engine
        self.memory_limit = memory_limit
        self.random_state = random_state

    def _fit(self, views: Views, run: Run) -> Result:
        places = np.arange(len(views))
        recipe, most = self.recipe, sample_size(self)
        if len(views) > most:
            few = few_copies(run.order.copies_before, min(recipe.neighbors))
            places = np.flatnonzero(few)[:most]
        sample_rows, copies = run.order.rows[places], run.order.copies_before[places]
        sample = views[sample_rows]
        read = (sample_rows, sample) if views.on_workers else None
        copy_of = run.order.copy_of  # copies of a view would only count it twice
        first = np.unique(copy_of)
        choice = choose(self.n_clusters, sample, np.arange(len(sample)), copies, run)
        K = choice.n_clusters
        distinct = views.select(first)
        linked = with_closed_neighborhoods(distinct)
        linked = sample.select(first) if linked is distinct else linked[sample_rows]
        consensus = learn(linked, copies, K, run.rng, recipe, run.stages)
        used = first[consensus.linked]
        sample_rows, sample = sample_rows[consensus.rows], sample[consensus.rows]
        notes = choice.notes(consensus.labels, sample)
        with run.stages("anchors"):
            sample = sample.select(used)
            classifiers = learn_classifiers(
                sample, consensus.labels, K, run.rng, recipe
            )
            extension = Extension.learn(
                sample, sample_rows, classifiers, consensus, recipe
            )
        found = extend(views.select(used), extension, self.engine, run.stages)
        return replace(
            found.result,
            n_clusters=K,
            levels=choice.levels,
            warnings=notes,
            anchor_labels=extension.anchor_labels,
            view_weights=view_weights(consensus.labels, consensus.own, copy_of),
            linked_views=np.isin(copy_of, used),
            partition="spectral",
            history=run.stages.history,
            n_iter=len(consensus.weights),
            sample=read,
            predictor=ConsensusPredictor.learned(extension, used),
            extra={
                **found.result.extra,
                "tree_": consensus.tree._replace(labels=found.leaves),
                "partition_weights_": consensus.weights,
                "rule_": consensus.rule,
            },
        )

    def _cost(self, shape: Shape) -> Cost:
        return cost_of_fit(self, shape, self.n_clusters)
