"""MGL: multiple graph learning for scalable multi-view clustering."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.clusterer import Clusterer
from mvgraph.base.cost import Cost, Shape
from mvgraph.base.published import published_settings
from mvgraph.base.result import Result
from mvgraph.base.run import Run
from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl.learning import fit_mgl
from mvgraph.mgl.method import cost_of_fit
from mvgraph.prediction.anchor_model import AnchorModel
from mvgraph.prediction.anchor_votes import AnchorClassifier
from mvgraph.views.container import Views
from mvgraph.views.scaling import Scaling

__all__ = ["MGL"]


class MGL(AnchorModel, Clusterer):
    r"""Cluster multi-view samples by a learned anchor graph of K components.

    The model of the paper is

    .. math:: \min_{Z^{(v)}, F} \sum_v \Bigl(\sqrt{\sum_{ij} d_{ij}^{(v)} Z_{ij}^{(v)}}
        + \alpha \|Z^{(v)}\|_F^2\Bigr) + \lambda \|\mathcal{Z}\|_{S_p}^p
        + \beta\, \mathrm{tr}(F^T L_Z F)

    with the rows of every Z on the simplex, F'F = I and L_Z the normalised Laplacian of
    the mean graph, which has exactly K components in the end: the clusters.

    The published form (:meth:`MGL.paper`) takes the tensor norm after an FFT along the
    samples, which smooths the graphs within the classes of a file sorted by class; its
    result depends on the order of the rows. The default basis ``neighbors`` does not:
    it starts from the closed-form graphs, smooths them along a neighbour graph of the
    samples, and reaches K components by rounding instead of growing beta.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int, float or None, default=None
        M; a float in (0, 1] is a share of the samples. None: 10 K, but at most half of
        the samples, or 2 K if that is more; for other bases 5 K and a quarter. k-means
        clusters with less than half of the mean number of samples are left out.
    anchors : {"kmeans", "random", "das", "vda"}, default="kmeans"
        How anchors are chosen; see :func:`mvgraph.graphs.anchors.select_anchors`.
        ``das`` and ``vda`` use the views divided by their maximum, as in their papers.
    scaling : str, default="auto"
        Rule or rules of :func:`mvgraph.views.scaling.fit_scaling`, for every view.
    n_neighbors : int, default=5
        Anchors that a sample is linked to per view, at least 1.
    basis : {"neighbors", "identity", "graph", "views", "fft-samples", "fft-anchors"}
        ``neighbors``, the default: a low-pass filter along neighbours in place of the
        tensor norm; see Notes. The others are bases in which the slices of the tensor
        are taken, and run the ADMM of the paper with the parameters below, which
        ``neighbors`` does not read; all but the FFTs are free of the order, but less
        accurate than ``neighbors``.
    tensor_weight : float, default=0.01
        lambda >= 0, the weight of the tensor Schatten p-norm.
    p : float, default=1.0
        Power of the norm, 0 < p <= 1.
    mu : float, default=1e-3
        First penalty of the ADMM, > 0.
    eta : float, default=1.1
        Growth of the penalty per step, > 1.
    tol : float, default=0.1
        The ADMM counts as converged when the relative primal and dual residuals are
        both below ``tol``; beta is adjusted from then on.
    max_iter : int, default=300
        Maximum number of steps.
    balance : bool, default=True
        Divide the distances of every view by its initial sum of d Z. Then the
        starting graphs are stationary for the data term, all views have the same
        weight, ``tensor_weight`` and ``mu`` are in units of alpha, and beta is in units
        of the data term of a view, whatever the scale of the features and the number
        of samples. False: as published.
    engine : {"auto", "memory", "chunked", "distributed"} or address, default="auto"
        Where the rows are stored while the graphs are learned (bases ``neighbors`` and
        ``identity``): in memory, in scratch files, or on the workers of a dask cluster
        (the current client, a new local cluster, or the address of a scheduler).
        ``auto``: memory, or scratch files if ``memory_limit`` leaves too little.
    memory_limit : int or None, default=None
        Bytes of private memory that this process may take in a fit, interpreter and
        held views included, at least 1; None: no limit. What interpreter, views,
        outputs and working memory leave is for the rows being learned. `fit` refuses
        what does not fit; forecasts are right within 30 %, see
        :func:`mvgraph.estimate`. Views that are mapped, read from files or dask arrays
        are not held. The memory of a device and of workers is not counted, nor are
        the chunks of dask arrays that are computed in this process. `predict` and
        `transform` read rows in blocks and need no limit.
    random_state : int, Generator, RandomState or None, default=None
        Seed of anchors and cuts.

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
        Basis ``neighbors``: objective (tr F'LF), n_components and seconds after the
        filter and after the rounding. Other bases: objective, primal_residual,
        dual_residual, beta, mu, n_components, seconds of every step.

    Notes
    -----
    Basis ``neighbors``, with views reduced to 4 K principal components: a quarter of
    Z is the mean of the views' closed-form graphs, the rest that of the summed
    distances. B
    links samples to 1000 of them, the landmarks, by the mean of the views' graphs, and
    Z becomes G = ((I + T) / 2)^2 Z with T = B Lambda^-1 B' an average over samples that
    share landmarks. Samples are labelled by the spectral cut of G, anchors by most of
    their weight, and G keeps the edges within clusters. Groups of at least five
    landmarks without edges to others, in no view, are clusters: beyond 1000 samples,
    about 0.5 % of them. Weights are integers, so that all sums over samples are exact
    and labels do not depend on engine, memory
    limit or workers. Time O(N V d (M + 1000)), memory O(N V) beside the outputs.

    Other bases: time O(iterations N M (V + min(M, 6 K))), memory O(N M V) floats.
    Departures from the paper: the J-step uses lambda / mu (lambda is missing in
    eq. 14); D_P is that of Z, not of Z^(v); beta is adjusted only after the ADMM has
    converged, since before that the tensor term has had no effect.

    References
    ----------
    .. [1] Jiang, Gao, Gao, "Multiple graph learning for scalable multi-view
       clustering", 2021.
    .. [2] Li, Zhang, Wang, Nie, "Multiview clustering: a scalable and parameter-free
       bipartite graph fusion method", IEEE TPAMI 44(1), 2022,
       :doi:`10.1109/TPAMI.2020.3011148` (anchors, starting graphs).

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import MGL
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 30)
    >>> views = [rng.normal(size=(3, d))[truth] * 5 + rng.normal(size=(90, d))
    ...          for d in (4, 6)]
    >>> model = MGL(n_clusters=3, random_state=0).fit(views)
    >>> np.bincount(model.labels_).tolist(), model.partition_
    ([30, 30, 30], 'components')
    """

    anchor_labels_: np.ndarray
    graph_: sp.csr_matrix
    embedding_: np.ndarray
    view_weights_: np.ndarray
    n_components_: int
    partition_: str
    _scalings: list[tuple[Scaling, ...]]
    _anchors: Anchors
    _memberships: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_anchors: int | float | None = None,
        anchors: str = "kmeans",
        scaling: str = "auto",
        n_neighbors: int = 5,
        basis: str = "neighbors",
        tensor_weight: float = 0.01,
        p: float = 1.0,
        mu: float = 1e-3,
        eta: float = 1.1,
        tol: float = 0.1,
        max_iter: int = 300,
        balance: bool = True,
        engine: Any = "auto",
        memory_limit: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.anchors = anchors
        self.scaling = scaling
        self.n_neighbors = n_neighbors
        self.basis = basis
        self.tensor_weight = tensor_weight
        self.p = p
        self.mu = mu
        self.eta = eta
        self.tol = tol
        self.max_iter = max_iter
        self.balance = balance
        self.engine = engine
        self.memory_limit = memory_limit
        self.random_state = random_state

    @classmethod
    def paper(
        cls, n_clusters: int, *, dataset: str | None = None, random_state: Any = None
    ) -> MGL:
        """Return the model exactly as published, for reproduction only.

        .. warning:: The FFT runs along samples and the anchors are sorted row indices,
           so the result depends on the order of the rows. On files sorted by class it
           smooths within the true classes; with shuffled rows it is at chance level.

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

    @property
    def _order_free(self) -> bool:  # type: ignore[override]
        return not str(self.basis).startswith("fft")

    @property
    def _accepts_missing(self) -> bool:  # type: ignore[override]
        return self.basis in ("neighbors", "identity")

    @property
    def _reads_in_place(self) -> bool:  # type: ignore[override]
        return self.basis in ("neighbors", "identity")

    def _fit(self, views: Views, run: Run) -> Result:
        return fit_mgl(self, views, run)

    def _cost(self, shape: Shape) -> Cost:
        return cost_of_fit(self, shape, self.n_clusters)

    @property
    def _used(self) -> np.ndarray:  # type: ignore[override]
        return np.arange(len(self._n_features))

    @property
    def _classifiers(self) -> list[AnchorClassifier]:  # type: ignore[override]
        memberships = [self._memberships] * len(self._n_features)
        return [
            AnchorClassifier(
                self._scalings, self._anchors, memberships, self.n_neighbors
            )
        ]

    @property
    def _graph_neighbors(self) -> int:  # type: ignore[override]
        return self.n_neighbors
