"""MGL: multiple graph learning for scalable multi-view clustering, as published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base import Clusterer, Result, Run, require_memory
from mvgraph.base.method import published_settings
from mvgraph.graphs import partition
from mvgraph.graphs.anchors import choose_anchors, count_anchors
from mvgraph.graphs.bipartite import self_weights
from mvgraph.mgl.method import DEFAULT, DENSE_ARRAYS
from mvgraph.mgl.problem import Learned, Problem
from mvgraph.mgl.steps import learn_graphs
from mvgraph.ops.labels import anchor_memberships
from mvgraph.prediction.anchor_predictor import (
    AnchorClassifier,
    AnchorPredictor,
    anchor_means,
)
from mvgraph.views.container import Views
from mvgraph.views.scaling import learn_scalings, scale_views


class MGL(Clusterer):
    r"""Cluster by the model of the paper; the result depends on the order of the rows.

    The FFT runs along samples and the anchors are sorted row indices. On files sorted
    by class it smooths within the true classes; with shuffled rows it is at chance
    level. `fit` warns of this. :class:`mvgraph.AnchorFilter` is the form without this
    effect. The model is

    .. math:: \min_{Z^{(v)}, F} \sum_v \Bigl(\sqrt{\sum_{ij} d_{ij}^{(v)} Z_{ij}^{(v)}}
        + \alpha \|Z^{(v)}\|_F^2\Bigr) + \lambda \|\mathcal{Z}\|_{S_p}^p
        + \beta\, \mathrm{tr}(F^T L_Z F)

    with the rows of every Z on the simplex, F'F = I and L_Z the normalised Laplacian of
    the mean graph, which has exactly K components in the end: the clusters. The
    defaults are the settings for MSRC-v5; :meth:`paper` has those of the other sets.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int or float, default=0.5
        M; a float in (0, 1] is a share of the samples.
    anchors : {"kmeans", "random", "das", "vda"}, default="das"
        How anchors are chosen; see :func:`mvgraph.graphs.anchors.select_anchors`.
        ``das`` and ``vda`` use the views divided by their maximum, as in their papers.
    scaling : str, default="unit"
        Rule or rules of :func:`mvgraph.views.scaling.fit_scaling`, for every view.
    n_neighbors : int, default=10
        Anchors that a sample is linked to per view at the start, at least 1.
    basis : {"fft-samples", "fft-anchors"}, default="fft-samples"
        Axis of the FFT, in whose slices the tensor norm is taken: samples, as in the
        published results, or anchors, as in the text of the paper.
    tensor_weight : float, default=0.2
        lambda >= 0, the weight of the tensor Schatten p-norm.
    p : float, default=0.1
        Power of the norm, 0 < p <= 1.
    mu : float, default=1e-5
        First penalty of the ADMM, > 0.
    eta : float, default=1.1
        Growth of the penalty per step, > 1.
    tol : float, default=0.65
        The ADMM counts as converged when the relative primal and dual residuals are
        both below ``tol``; beta is adjusted from then on.
    max_iter : int, default=300
        Maximum number of steps.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the anchors, unless they are ``das`` or ``vda``, and of the cut where
        the graph does not have K components.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    anchor_labels_ : ndarray of int64, shape (n_anchors,)
        Clusters of the anchors; -1 for an anchor that no sample uses.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        The learned graph; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        P of the F-step.
    view_weights_ : ndarray of shape (n_views,)
        1 / g, scaled to sum to one: how near the samples of a view are to its anchors.
    n_components_ : int
        Connected components of ``graph_`` that contain samples.
    partition_ : {"components", "spectral"}
        Source of the labels: the components, if there are exactly K, else a spectral
        cut of the same graph (with a ConvergenceWarning).
    n_iter_ : int
        Length of the history.
    history_ : list of dict
        objective, primal_residual, dual_residual, beta, mu, n_components and seconds of
        every step.

    Notes
    -----
    Time O(iterations N M (V + min(M, 6 K))), memory O(N M V) floats. Arrays of CuPy
    and torch are processed on their device. Departures from the paper: the J-step uses
    lambda / mu (lambda is missing in eq. 14); D_P is that of Z, not of Z^(v); beta is
    adjusted only after the ADMM has converged, since before that the tensor term has
    had no effect.

    References
    ----------
    .. [1] Jiang, Gao, Gao, "Multiple graph learning for scalable multi-view
       clustering", 2021.
    .. [2] Li, Zhang, Wang, Nie, "Multiview clustering: a scalable and parameter-free
       bipartite graph fusion method", IEEE TPAMI 44(1), 2022,
       :doi:`10.1109/TPAMI.2020.3011148` (anchors, starting graphs).

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from mvgraph import MGL, RowOrderWarning
    >>> warnings.simplefilter("ignore", RowOrderWarning)
    >>> truth = np.repeat([0, 1, 2], 30)  # sorted by class
    >>> rng = np.random.default_rng(0)
    >>> views = [rng.normal(size=(3, d))[truth] * 5 + rng.normal(size=(90, d))
    ...          for d in (4, 6)]
    >>> np.bincount(MGL(n_clusters=3).fit(views).labels_).tolist()
    [30, 30, 30]
    """

    _order_free = False
    predictor = AnchorPredictor
    recipe = DEFAULT

    n_anchors: int | float = 0.5
    anchors: str = "das"
    scaling: str = "unit"
    n_neighbors: int = 10
    basis: str = "fft-samples"
    tensor_weight: float = 0.2
    p: float = 0.1
    mu: float = 1e-5
    eta: float = 1.1
    tol: float = 0.65
    max_iter: int = 300

    @classmethod
    def paper(
        cls, n_clusters: int, *, dataset: str | None = None, random_state: Any = None
    ) -> MGL:
        """Return the model with the settings of one of the paper's sets.

        Parameters
        ----------
        n_clusters : int
        dataset : {"msrc_v5", "handwritten4", "mnist4"} or None
            Data set whose published settings are used; None: MSRC-v5.
        random_state : int or None

        Returns
        -------
        MGL

        Raises
        ------
        ValueError
            If there are no published settings for this set.
        """
        chosen = published_settings("mgl", dataset, strict=True)
        return cls(n_clusters, random_state=random_state, **chosen)

    def _fit(self, views: Views, run: Run) -> Result:
        K, few = self.n_clusters, run.order.n_distinct < self.n_clusters
        problem = Problem(
            K,
            self.n_neighbors,
            self.tensor_weight,
            self.p,
            self.mu,
            self.eta,
            self.tol,
            1 if few else self.max_iter,  # few: no graph can have K components
            self.basis,
            self.recipe,
        )
        if run.device is None:
            M = count_anchors(self.n_anchors, len(views))
            require_memory(
                DENSE_ARRAYS * 8 * len(views) * M * views.n_views,
                "Learning dense graphs",
                "use fewer anchors or samples.",
            )
        scalings = learn_scalings(views, self.scaling)
        scaled = scale_views(views, scalings)
        anchors = choose_anchors(
            views,
            scaled,
            self.anchors,
            self.n_anchors,
            len(views),
            K,
            run.rng,
            min_share=self.recipe.min_cluster_share,
            at_least=2 * K,
            n_init=self.recipe.anchor_starts,
        )
        callback = run.stages.after_step(self.max_iter)
        learned = learn_graphs(scaled, anchors, problem, run.device, callback)
        result = _read(learned, problem, run.rng, few)
        memberships = [anchor_memberships(learned.Z, result.labels, K)] * views.n_views
        votes = AnchorClassifier(scalings, anchors, memberships, self.n_neighbors)
        means = anchor_means(learned.Z, np.asarray(result.embedding))
        every, used = np.arange(K), np.arange(views.n_views)
        predictor = AnchorPredictor([votes], self.n_neighbors, every, means, used=used)
        return replace(result, predictor=predictor)


def _read(
    learned: Learned, problem: Problem, rng: np.random.Generator, few_distinct: bool
) -> Result:
    """Read labels from the learned graph: its components, or a spectral cut.

    With fewer distinct samples than clusters, no graph can have K components, and
    ``fit`` has warned already.
    """
    K, Z, history = problem.K, learned.Z, learned.history
    missing = K - learned.P.shape[1]  # there are fewer than K if anchors coincide
    P = np.pad(learned.P, ((0, 0), (0, missing)))
    count, labels, anchor_labels = partition.components(Z)
    exact = count == K
    if not exact:
        labels = partition.spectral_labels(P, K, rng)
        members = anchor_memberships(Z, labels, K)
        anchor_labels = np.where(members.any(axis=1), members.argmax(axis=1), -1)
    text = (
        f"The learned graph has {count} components, not n_clusters={K}, after "
        f"{len(history)} of at most {problem.max_iter} steps; labels come from a "
        "spectral cut of the same graph. Raise max_iter, or change n_clusters or "
        "n_neighbors."
    )
    return Result(
        labels,
        embedding=P,
        graph=Z,
        anchor_labels=anchor_labels,
        view_weights=self_weights(learned.g),
        n_components=count,
        partition="components" if exact else "spectral",
        history=history,
        warnings=() if exact or few_distinct else ((text, ConvergenceWarning),),
    )
