"""AnchorFilter: a clustering by anchor graphs that are smoothed along neighbours."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvgraph.anchor_filter.links import (
    Points,
    choose_landmarks,
    isolated_groups,
    spread,
    with_groups,
)
from mvgraph.anchor_filter.method import (
    DEFAULT,
    Recipe,
    cost_of_fit,
    count_default_anchors,
    row_bytes,
)
from mvgraph.anchor_filter.predictor import FilterPredictor
from mvgraph.anchor_filter.rows import Targets
from mvgraph.anchor_filter.smoothing import Smooth, learn_smooth_graph
from mvgraph.base import Clusterer, Result, Run
from mvgraph.base.limits import Cost, Shape
from mvgraph.engines import make_engine
from mvgraph.graphs.anchors import Anchors, choose_anchors
from mvgraph.graphs.bipartite import self_weights
from mvgraph.graphs.partition import components
from mvgraph.levels.auto import AUTO, choose
from mvgraph.prediction.anchor_predictor import AnchorClassifier
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import Scaling, fit_projection, learn_scalings, scale_views


class AnchorFilter(Clusterer):
    r"""Cluster multi-view samples by an anchor graph that is smoothed along neighbours.

    Samples are linked to M anchors, the rows of Z (N, M), and to L landmarks, the rows
    of B (N, L). T averages over samples that share landmarks, and

    .. math:: G = \bigl((I + T) / 2\bigr)^2 Z, \qquad T = B \Lambda^{-1} B^T,

    is a smooth anchor graph, :math:`\Lambda` the column sums of B. Its spectral cut
    into K clusters is rounded: every anchor and every sample keeps the edges of one
    cluster, so that the graph has exactly K components.

    The method is the order-free descendant of :class:`mvgraph.MGL`: the filter takes
    the place of the tensor norm, and rounding that of the growing rank constraint. The
    labels depend neither on the order of rows and views nor on the engine.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        K. From 2 to the number of samples. ``"auto"``: the number of the level that
        stands out most; see ``levels_`` and :class:`mvgraph.ChooseK`, which finds the
        same. Where no division stands out, all samples are one cluster, with a warning.
    n_anchors : int, float or None, default=None
        M; a float in (0, 1] is a share of the samples. None: 10 K, but at most half of
        the samples, or 2 K if that is more. k-means clusters with less than half of the
        mean number of samples are left out.
    anchors : {"kmeans", "random", "das", "vda"}, default="kmeans"
        How anchors are chosen; see :func:`mvgraph.graphs.anchors.select_anchors`.
        ``das`` and ``vda`` use the views divided by their maximum, as in their papers.
    scaling : str, default="auto"
        Rule or rules of :func:`mvgraph.views.scaling.fit_scaling`, for every view.
    n_neighbors : int, default=5
        Anchors, and landmarks, that a sample is linked to per view, at least 1.
    engine : {"auto", "memory", "chunked", "distributed"} or address, default="auto"
        Where the rows are stored while the graph is learned: in memory, in scratch
        files, or on the workers of a dask cluster (the current client, a new local
        cluster, or the address of a scheduler). ``auto``: memory, or scratch files if
        ``memory_limit`` leaves too little.
    memory_limit : int or None, default=None
        Bytes of private memory that this process may take in a fit, interpreter and
        views in memory included, at least 1; None: no limit. The rows being learned get
        what interpreter, views, outputs and working memory leave. `fit` raises an error
        for what does not fit; forecasts are right within 30 %, see
        :func:`mvgraph.estimate`. Views that are mapped, read from files or dask arrays
        are not held. The memory of workers is not counted, nor are the chunks of dask
        arrays that are computed in this process. `predict` and `transform` read rows
        in blocks and need no limit.
    random_state : int, Generator, RandomState or None, default=None
        Seed of anchors and cuts.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    n_clusters_ : int
        The number given, or found.
    levels_ : tuple of Level
        At most four numbers that stand out, if the number was to be found; see
        :class:`mvgraph.ChooseK`.
    anchor_labels_ : ndarray of int64, shape (n_anchors,)
        Clusters of the anchors; -1 for an anchor that no sample uses.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        The learned graph; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of the smooth graph, before rounding.
    view_weights_ : ndarray of shape (n_views,)
        1 / g, scaled to sum to one: how near the samples of a view are to its anchors.
    n_components_ : int
        Connected components of ``graph_`` that contain samples.
    partition_ : {"components", "spectral"}
        Source of the labels: the components, if there are exactly K, else the spectral
        cut alone (with a ConvergenceWarning).
    n_iter_ : int
        Length of the history.
    history_ : list of dict
        objective (tr F'LF), n_components and seconds, after the filter and after the
        rounding.

    Notes
    -----
    Views are reduced to 4 K principal components. A quarter of Z is the mean of the
    views' closed-form graphs [1]_, the rest that of the summed distances. The landmarks
    are 1000 samples, and B is the mean of the views' graphs. Samples are labelled by
    the spectral cut of G, anchors by most of their weight, and G keeps the edges within
    clusters. Groups of at least five landmarks without edges to others, in no view, are
    clusters: beyond 1000 samples, about 0.5 % of them. Weights are integers, so that
    all sums over samples are exact and labels do not depend on engine, memory limit or
    workers. Time O(N V d (M + 1000)), memory O(N V) in addition to the outputs.

    References
    ----------
    .. [1] Li, Zhang, Wang, Nie, "Multiview clustering: a scalable and parameter-free
       bipartite graph fusion method", IEEE TPAMI 44(1), 2022,
       :doi:`10.1109/TPAMI.2020.3011148` (anchors, starting graphs).
    .. [2] Jiang, Gao, Gao, "Multiple graph learning for scalable multi-view
       clustering", 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import AnchorFilter
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 30)
    >>> views = [rng.normal(size=(3, d))[truth] * 5 + rng.normal(size=(90, d))
    ...          for d in (4, 6)]
    >>> model = AnchorFilter(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_).tolist(), model.partition_
    ([30, 30, 30], 'components')
    """

    _accepts_missing = True
    _reads_in_place = True
    predictor = FilterPredictor
    recipe = DEFAULT

    n_clusters: int | str = field(  # type: ignore[assignment]
        default=AUTO, kw_only=False
    )
    n_anchors: int | float | None = None
    anchors: str = "kmeans"
    scaling: str = "auto"
    n_neighbors: int = 5
    engine: Any = "auto"
    memory_limit: int | None = None

    def _fit(self, views: Views, run: Run) -> Result:
        order = run.order
        choice = choose(self.n_clusters, views, order.rows, order.copies_before, run)
        K, recipe = choice.n_clusters, self.recipe
        # copies beyond the neighbours of a row say nothing new: others come first, so
        # that the sample has some of every row
        turn = order.copies_before // (self.n_neighbors + 1)
        rows = order.rows[np.argsort(turn, kind="stable")]
        sample = views[rows[: min(len(views), recipe.max_sample_rows)]]
        scalings = _reduced(learn_scalings(sample, self.scaling), sample, K, recipe)
        anchors, targets = self._targets(K, sample, scalings, len(views), run.rng)
        needed = len(views) * row_bytes(views.n_views, self.n_neighbors)
        engine = make_engine(self.engine, run.bytes_left, needed)
        # out of memory rows are read in the order of the file, for speed
        read = rows if engine.in_memory else None
        first = rows[: recipe.cut_rows]
        learned = learn_smooth_graph(
            engine,
            ScaledRows(views, scalings, read),
            targets,
            K,
            np.arange(len(first)) if engine.in_memory else first,
            run.rng,
            recipe,
            run.stages.after_step(2),
        )
        k, V = self.n_neighbors, views.n_views
        votes = AnchorClassifier(scalings, anchors, [learned.memberships] * V, k)
        every, used = np.arange(K), np.arange(V)  # labels are the numbers of centres
        predictor = FilterPredictor(
            [votes], k, every, learned.model, every, K, used=used
        )
        found = _read(learned, K, order.n_distinct < K, predictor)
        sampled = rows[: len(sample)] if read is None else slice(len(sample))
        notes = found.warnings + choice.notes(found.labels[sampled], sample)
        found = replace(found, n_clusters=K, levels=choice.levels, warnings=notes)
        return found if read is None else found.take("samples", np.argsort(read))

    def _targets(
        self,
        K: int,
        sample: Views,
        scalings: list[tuple[Scaling, ...]],
        n_samples: int,
        rng: np.random.Generator,
    ) -> tuple[Anchors, Targets]:
        """Choose anchors and landmarks; anchors of isolated groups are appended."""
        scaled, recipe = scale_views(sample, scalings), self.recipe
        M = self.n_anchors
        anchors = choose_anchors(
            sample,
            scaled,
            self.anchors,
            count_default_anchors(n_samples, K, recipe) if M is None else M,
            n_samples,
            K,
            rng,
            min_share=recipe.min_cluster_share,
            at_least=2 * K,
            n_init=recipe.anchor_starts,
        )
        scales, k = spread(scaled), self.n_neighbors
        landmarks = Points(choose_landmarks(scaled, recipe.landmarks), scales, k)
        group = isolated_groups(landmarks, K)
        points = Points(anchors.points, scales, k)
        targets = Targets(points, landmarks, group, recipe.joint)
        return with_groups(anchors, landmarks, group), targets

    def _cost(self, shape: Shape) -> Cost:
        return cost_of_fit(self, shape, self.n_clusters)


def _reduced(
    scalings: list[tuple[Scaling, ...]], sample: Views, K: int, recipe: Recipe
) -> list[tuple[Scaling, ...]]:
    """Add to each scaling the projection on the leading principal components."""
    first = sample[: min(len(sample), recipe.projection_rows)]
    n_components = recipe.components_per_cluster * K
    scaled, reduced = scale_views(first, scalings), []
    for v, (x, steps) in enumerate(zip(scaled.arrays, scalings, strict=True)):
        present = x if first.mask is None else x[first.mask[:, v]]
        reduced.append(steps + fit_projection(present, n_components))
    return reduced


def _read(
    learned: Smooth, K: int, few_distinct: bool, predictor: FilterPredictor
) -> Result:
    """Return the clusters; the components of the graph are these clusters.

    With fewer distinct samples than clusters, ``fit`` has warned already.
    """
    count, _, anchor_labels = components(learned.Z)
    exact = count == K
    text = (
        f"The learned graph has {count} components, not n_clusters={K}: a cluster of "
        "the spectral cut is not connected, or empty. Change n_clusters or n_neighbors."
    )
    return Result(
        learned.labels,
        embedding=np.pad(learned.P, ((0, 0), (0, K - learned.P.shape[1]))),
        graph=learned.Z,
        anchor_labels=np.where(anchor_labels >= 0, learned.owner, -1),
        view_weights=self_weights(learned.g),
        n_components=count,
        partition="components" if exact else "spectral",
        history=learned.history,
        predictor=predictor,
        warnings=() if exact or few_distinct else ((text, ConvergenceWarning),),
    )
