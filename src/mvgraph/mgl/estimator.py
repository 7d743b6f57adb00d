"""MGL: multiple graph learning for scalable multi-view clustering."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base.clusterer import Clusterer, Fit
from mvgraph.base.iteration import iterate
from mvgraph.base.memory import require_memory
from mvgraph.base.published import published_settings
from mvgraph.engines import make_engine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs import partition
from mvgraph.graphs.anchors import Anchors, select_anchors
from mvgraph.graphs.bipartite import Graph, view_graphs
from mvgraph.mgl import dense as steps
from mvgraph.mgl.anchors import count_anchors
from mvgraph.mgl.method import row_bytes
from mvgraph.mgl.problem import BETA, Learned, Options
from mvgraph.mgl.sparse import learn
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.namespace import home_of, is_foreign, namespace, to_numpy
from mvgraph.ops.proximal.tensor import TRANSFORMS
from mvgraph.prediction.anchor_votes import Carrier, vote_labels
from mvgraph.prediction.embedding import AnchorEmbedding, anchor_means
from mvgraph.views.container import Views
from mvgraph.views.order import count_distinct
from mvgraph.views.rows import Rows
from mvgraph.views.scaling import fit_scaling, learn_scalings, scale_views

__all__ = ["MGL"]

FEWEST = 0.5  # of the mean size of cells; smaller ones make no anchors
MAX_LEARN = 100_000  # rows that scalings and anchors are learned on


class MGL(AnchorEmbedding, Clusterer):
    r"""Cluster multi-view samples by learning one anchor graph a view, jointly.

    Solves

    .. math:: \min_{Z^{(v)}, F} \sum_v \Bigl(\sqrt{\sum_{ij} d_{ij}^{(v)} Z_{ij}^{(v)}}
        + \alpha \|Z^{(v)}\|_F^2\Bigr) + \lambda \|\mathcal{Z}\|_{S_p}^p
        + \beta\, \mathrm{tr}(F^T L_Z F)

    with the rows of every Z on the simplex, F'F = I and L_Z the normalised Laplacian of
    the mean graph; beta grows until the graph has exactly K components, which are the
    clusters.

    The default basis ``identity`` is order-free. The published form
    (:meth:`MGL.paper`) runs an FFT along samples: its result depends on the order of
    the rows, and its published scores come from files sorted by class.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int, float or None, default=None
        M; a float in (0, 1] is a share of the samples. None: 5 K, but at most a quarter
        of the samples (or 2 K, where there are so many). Anchors of few samples become
        components before clusters do: k-means cells with less than half of the mean
        number of samples are left out.
    anchors : {"kmeans", "random", "das", "vda"}, default="kmeans"
        How anchors are chosen; see :func:`mvgraph.graphs.anchors.select_anchors`.
        ``das`` and ``vda`` read the views divided by their maximum, as their papers do.
    scaling : str, default="auto"
        Rule or rules of :func:`mvgraph.views.scaling.fit_scaling`, for every view.
    n_neighbors : int, default=5
        Anchors a sample is linked to at the start, at least 1.
    basis : {"identity", "graph", "views", "fft-samples", "fft-anchors"}
        In what basis the slices of the tensor are taken; default ``identity``. The
        FFTs read the order of samples or anchors.
    tensor_weight : float, default=0.01
        lambda >= 0, the weight of the tensor Schatten p-norm.
    p : float, default=1.0
        Power of the norm, 0 < p <= 1.
    mu : float, default=1e-3
        First penalty of the ADMM, > 0.
    eta : float, default=1.1
        Growth of the penalty a step, > 1.
    tol : float, default=0.1
        The ADMM counts as settled, and beta is steered from there on, when the
        relative primal and dual residuals are both below ``tol``.
    max_iter : int, default=300
        Most steps.
    balance : bool, default=True
        Divide the distances of every view by its sum of d Z at the start. Then the
        starting graphs are stationary for the data term, all views count the same,
        and ``tensor_weight`` and ``mu`` are in units of alpha, beta in units of the
        data term of a view, whatever the scale of the features and the number of
        samples. False: as published.
    engine : {"auto", "memory", "chunked", "distributed"} or address, default="auto"
        Where the rows live while the graphs are learned (basis ``identity``): in
        memory, in scratch files, or on the workers of a dask cluster (the current
        client, a new local cluster, or the address of a scheduler). ``auto``: memory,
        or scratch files where ``memory_limit`` is too small.
    memory_limit : int or None, default=None
        Bytes that the rows being learned may take in memory.
    random_state : int, Generator, RandomState or None, default=None
        Seed of anchors and cuts.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    anchor_labels_ : ndarray of int64, shape (n_anchors,)
        Clusters of the anchors; -1 where no sample uses the anchor.
    graph_ : csr_matrix of shape (n_samples, n_anchors)
        The learned graph, mean over views; rows sum to one.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        P of the F-step.
    view_weights_ : ndarray of shape (n_views,)
        1 / g, scaled to sum to one.
    n_components_ : int
        Connected components of ``graph_`` that hold samples.
    partition_ : {"components", "spectral"}
        Where the labels come from: the components, if there are exactly K, else a
        spectral cut of the same graph (with a ConvergenceWarning).
    n_iter_ : int
        Steps; 1 where fewer samples than n_clusters are distinct.
    history_ : list of dict
        objective, primal_residual, dual_residual, beta, mu, n_components, seconds of
        every step.

    Notes
    -----
    Time O(iterations N M (V + min(M, 6 K))), memory O(N M V) floats. Departures from
    the text: the J-step uses lambda / mu (eq. 14 drops lambda); D_P is that of Z, not
    of Z^(v); beta is steered only once the ADMM has settled, since earlier the tensor
    term has had no effect yet.

    References
    ----------
    .. [1] "Multiple Graph Learning for Scalable Multi-view Clustering".
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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_anchors: int | float | None = None,
        anchors: str = "kmeans",
        scaling: str = "auto",
        n_neighbors: int = 5,
        basis: str = "identity",
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
           smooths inside the true classes; with shuffled rows it is at chance level.

        Parameters
        ----------
        n_clusters : int
        dataset : {"msrc_v5", "handwritten4", "mnist4"} or None
            Published set whose settings to use; None: those of MSRC-v5.
        random_state : int or None

        Returns
        -------
        MGL

        Raises
        ------
        ValueError
            There are no published settings for this set.
        """
        chosen = published_settings("mgl", dataset, strict=True)
        return cls(n_clusters, random_state=random_state, **chosen)

    @property
    def _order_free(self) -> bool:  # type: ignore[override]
        return not str(self.basis).startswith("fft")

    @property
    def _accepts_missing(self) -> bool:  # type: ignore[override]
        return self.basis == "identity"

    def _check_parameters(self, views: Views) -> None:
        super()._check_parameters(views)
        if self.basis not in TRANSFORMS:
            raise ValueError(f"basis must be one of {TRANSFORMS}; got {self.basis!r}.")

    def _fit_ordered(self, views: Views, rows: np.ndarray, rng) -> Fit:
        if self.basis != "identity":
            return super()._fit_ordered(views, rows, rng)
        few = self._few_distinct(views)
        sample = views[rows[: min(len(views), MAX_LEARN)]]
        self._scalings = learn_scalings(sample, self.scaling)
        scaled = scale_views(sample, self._scalings)
        self._anchors = self._select_anchors(sample, scaled, len(views), rng)
        needed = len(views) * row_bytes(views.n_views, self.n_neighbors)
        engine = make_engine(self.engine, self.memory_limit, needed)
        # files are read as they lie; in memory the order of content makes the result
        # independent of the order of rows to the last bit
        order = rows if type(engine) is MemoryEngine else None
        source = Rows(views, self._scalings, order)
        options = Options(
            self.n_clusters,
            self.n_neighbors,
            self.tensor_weight,
            self.p,
            self.mu,
            self.eta,
            self.tol,
            1 if few else self.max_iter,
            self.balance,
        )
        learned = learn(engine, source, self._anchors, options, self._after_step())
        fit = self._result(learned, rng, few)
        return fit if order is None else fit.take(np.argsort(order))

    def _fit(self, views: Views, rng: np.random.Generator) -> Fit:
        """Fit with dense graphs, as the bases other than ``identity`` need."""
        few = self._few_distinct(views)
        n_values = (
            len(views)
            * count_anchors(self.n_anchors, len(views), self.n_clusters)
            * views.n_views
        )
        if self._home is None:
            require_memory(
                7 * 8 * n_values,
                "Learning dense graphs",
                "use fewer anchors or samples.",
            )
        self._scalings = learn_scalings(views, self.scaling)
        scaled = scale_views(views, self._scalings)
        self._anchors = self._select_anchors(views, scaled, len(views), rng)
        problem, first = self._start(scaled, self._anchors)
        last, history = iterate(
            lambda s: steps.step(problem, s),
            first,
            steps.finished,
            1 if few else self.max_iter,
            lambda s: steps.objective(problem, s),
            self._after_step(),
        )
        Z = sp.csr_matrix(to_numpy(last.Zbar))
        learned = Learned(Z, to_numpy(last.F.P), last.g, history)
        return self._result(learned, rng, few)

    def _few_distinct(self, views: Views) -> bool:
        """Tell whether no graph can have K components; fit has warned of it."""
        return count_distinct(views, self.n_clusters) < self.n_clusters

    def _after_step(self) -> Any:
        tell = self._callback
        if tell is None:
            return None
        return lambda i, entry: tell(i + 1, self.max_iter, entry)

    def _result(self, learned: Learned, rng: np.random.Generator, few: bool) -> Fit:
        """Read labels from the learned graph."""
        K, Z, history = self.n_clusters, learned.Z, learned.history
        absent = K - learned.P.shape[1]  # where anchors coincide there are fewer than K
        learned = learned._replace(P=np.pad(learned.P, ((0, 0), (0, absent))))
        count, labels, anchor_labels = partition.components(Z)
        if count != K:
            if not few:
                _warn_components(count, K, len(history), self.max_iter)
            labels = partition.spectral_labels(learned.P, K, rng)
            anchor_labels = _majority(Z, labels, K)
        self._memberships = anchor_memberships(Z, labels, K)
        self._anchor_embedding = anchor_means(Z, learned.P)
        return Fit(
            labels,
            samples={"graph_": Z, "embedding_": learned.P},
            clusters={"anchor_labels_": anchor_labels},
            views={"view_weights_": _self_weights(learned.g)},
            other={
                "n_components_": count,
                "partition_": "components" if count == K else "spectral",
                "n_iter_": len(history),
                "history_": history,
            },
        )

    def _select_anchors(self, views: Views, scaled: Views, N: int, rng) -> Anchors:
        M = count_anchors(self.n_anchors, N, self.n_clusters)
        if self.n_clusters > M:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {M} anchors that "
                f"n_anchors={self.n_anchors} makes of {N} samples; ask for fewer "
                "clusters or more anchors."
            )
        if M > N:
            raise ValueError(f"n_anchors={M} is more than n_samples={N}; lower it.")
        if self.anchors not in ("das", "vda"):
            cells = {"fewest": FEWEST, "at_least": 2 * self.n_clusters, "n_init": 5}
            return _at_least_two(select_anchors(scaled, self.anchors, M, rng, **cells))
        by_max = scale_views(views, [fit_scaling(x, "max") for x in views.arrays])
        rows = select_anchors(by_max, self.anchors, M, rng).rows
        points = scaled[rows].arrays
        return Anchors(
            tuple(x.toarray() if sp.issparse(x) else x for x in points), rows
        )

    def _start(
        self, scaled: Views, anchors: Anchors
    ) -> tuple[steps.Problem, steps.State]:
        graphs = view_graphs(scaled, anchors, self.n_neighbors)
        D = self._distances(scaled, anchors)
        alpha, unit = np.array([g.alpha.mean() for g in graphs]), 1.0
        if self.balance:
            total = _weighted_distances(D, graphs)
            for v, t in enumerate(total):
                D[v, ...] /= float(t)
            unit = max(float((alpha / total).mean()), 1e-12)
            alpha = alpha / total
        problem = steps.Problem(
            D,
            float(alpha.mean()),
            self.n_clusters,
            self.tensor_weight * unit,
            self.p,
            self.basis,
            self.eta,
            self.tol,
        )
        first = steps.start(problem, graphs, self.mu * unit, BETA, self._home)
        return problem, first

    def _distances(self, scaled: Views, anchors: Anchors) -> Any:
        """Return distances to the anchors (V, N, M), float64, where X came from."""
        pairs = list(zip(scaled.arrays, anchors.points, strict=True))
        if self._home is None:
            D = [squared_distances(x, a) for x, a in pairs]
            return np.stack(D).astype(np.float64, copy=False)
        xp, put = self._home.xp, self._home.put
        kinds = [np.result_type(x, a) for x, a in pairs]
        there = [
            squared_distances(put(np.asarray(x, kind)), put(np.asarray(a, kind)))
            for (x, a), kind in zip(pairs, kinds, strict=True)
        ]
        return xp.stack([xp.astype(d, xp.float64) for d in there])

    def predict(self, X: Any) -> np.ndarray:
        """Assign new samples through the anchors.

        Every sample is linked to its nearest anchors in every view and takes the
        cluster with the most evidence. Samples of the fit may get another label than
        in ``labels_`` where there are few samples a cluster.

        Parameters
        ----------
        X : as in fit, with the same views

        Returns
        -------
        ndarray of int64, shape (n_samples,)
        """
        views = self._check_new(X)
        shares = [self._memberships] * views.n_views
        carrier = Carrier(self._scalings, self._anchors, shares, self.n_neighbors)
        return self._new_label[vote_labels(views, [carrier])]

    def _anchors_of(self, views: Views) -> tuple[Rows, Anchors, int]:
        return Rows(views, self._scalings), self._anchors, self.n_neighbors


def _at_least_two(anchors: Anchors) -> Anchors:
    """Repeat the only anchor, where all samples coincide: a link needs a second one."""
    if anchors.n_anchors > 1:
        return anchors
    rows = None if anchors.rows is None else np.repeat(anchors.rows, 2)
    return Anchors(tuple(np.repeat(x, 2, axis=0) for x in anchors.points), rows)


def _weighted_distances(D: Any, graphs: list[Graph]) -> np.ndarray:
    """Sum d Z of every view; 1 where a view puts all samples on their anchors."""
    total = []
    for v, g in enumerate(graphs):
        d = D[v, ...]
        if is_foreign(d):
            near = home_of(d).put(g.indices)
            found = to_numpy(namespace(d).take_along_axis(d, near, axis=1))
        else:
            found = np.take_along_axis(d, g.indices, axis=1)
        total.append(float((found * g.weights).sum()))
    return np.array([t if t > 0 else 1.0 for t in total])


def _self_weights(g: np.ndarray) -> np.ndarray:
    w = 1 / np.maximum(g, 1e-12)
    return w / w.sum()


def _majority(Z, labels: np.ndarray, K: int) -> np.ndarray:
    share = anchor_memberships(Z, labels, K)
    return np.where(share.any(axis=1), share.argmax(axis=1), -1)


def _warn_components(count: int, K: int, n_iter: int, max_iter: int) -> None:
    warnings.warn(
        f"The learned graph has {count} components, not n_clusters={K}, after {n_iter} "
        f"of at most {max_iter} steps; labels come from a spectral cut of the same "
        "graph. Raise max_iter, change n_clusters or n_neighbors, or read "
        "n_components_.",
        ConvergenceWarning,
        stacklevel=5,
    )
