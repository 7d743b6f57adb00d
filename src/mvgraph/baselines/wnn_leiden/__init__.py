"""Leiden communities in the graph of weighted nearest neighbours of all views."""

from __future__ import annotations

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.baselines._graph_results import community_fit
from mvgraph.baselines.wnn_leiden.weighted_neighbors import (
    joint_neighbors,
    neighbors_in_view,
    shared_neighbor_graph,
    weigh_views,
)
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.linalg.principal import principal_scores
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="wnn-leiden",
    family="one graph",
    title="Leiden communities in the graph of weighted nearest neighbours",
    reference="hao2021wnn",
    cost="O(V N^2 q) for q components, then O(N k^2)",
    memory="O(V N (r + d)) for r candidates",
)

#: Rows with at most this many features are not scaled to length 1: only their signs,
#: or their angles, would be left.
NARROW = 2


class WNNLeiden(Clusterer):
    r"""Weigh the views of every sample, join its neighbours, and find communities.

    **Solves**, greedily and with guaranteed connected communities [traag2019]_,

    .. math:: \max \sum_{ij} \Bigl(W_{ij} - \gamma \frac{d_i d_j}{\sum_k d_k}\Bigr)
        [c_i = c_j]

    with W the Jaccard indices of lists of neighbours. The neighbours of i are the j of
    largest :math:`\sum_v w_v(i) \exp(-\max(\|e_i^v - e_j^v\| - \delta_v(i), 0) /
    \sigma_v(i))`, e the principal components of a view; the weight w_v(i) is large
    where the neighbours of i in view v predict its features there, and those in other
    views do not [hao2021]_.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of communities to find; ignored if ``resolution`` is given.
    resolution : float or None, default=None
        gamma > 0; 1 is modularity. None: found by bisection, in at most 30 trials, so
        that there are ``n_clusters`` communities.
    n_neighbors : int, default=20, at least 1
        k; within a view, the sample itself is one of them.
    n_candidates : int, default=200, at least 1
        Nearest samples in every view, the sample included, that are considered as joint
        neighbours, at least ``n_neighbors`` + 1.
    n_components : int, default=30, at least 1
        Principal components of a view.
    prune : float, default=1/15
        Smallest Jaccard index that is a link, from 0 to 1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, before the components are
        found; their rows are scaled to length 1 if there are more than two.
    random_state : int, Generator, RandomState or None, default=None
        Seed of Leiden.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        The communities. If there are not n_clusters, a ConvergenceWarning is issued;
        where ``resolution`` was given, only if there are fewer.
    n_communities_ : int
    resolution_ : float
        The gamma of ``labels_``.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        W.
    sample_view_weights_ : ndarray of shape (n_samples, n_views)
        w, rows sum to one.
    view_weights_ : ndarray of shape (n_views,)
        Their means.
    n_iter_ : int
        Trials of gamma.
    history_ : list of dict
        resolution and n_communities of every trial.

    Notes
    -----
    Time O(V N^2 q) for exact neighbours by q components, O(V^2 N r q) for r candidates,
    about O(N k^2) per trial; memory O(V N (r + d)), without an N x N matrix. The
    published tools also search approximately. The weights are those of muon to a
    correlation of .999 if its rows have length 1, as in Seurat (``muon.pp.l2norm``),
    and it has as many neighbours; with rows as they are, the weights correlated with
    ours by .76 to .91 on three sets. A sample that pruning would cut off keeps
    its links. A view gets a large weight if no other view predicts it, noise included,
    or if it predicts itself well, as views of few features do. At gamma = 1 the number
    of communities grows with N.

    References
    ----------
    .. [hao2021] Hao et al., "Integrated analysis of multimodal single-cell data", Cell
       184, 2021, :doi:`10.1016/j.cell.2021.04.048`.
    .. [traag2019] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9, 2019,
       :doi:`10.1038/s41598-019-41695-z`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.wnn_leiden import WNNLeiden
    >>> truth = np.repeat([0, 1, 2], 30)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(90, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(WNNLeiden(3, random_state=0).fit(X).labels_)
    array([30, 30, 30])
    """

    resolution: float | None = None
    n_neighbors: int = 20
    n_candidates: int = 200
    n_components: int = 30
    prune: float = 1 / 15
    scaling: str = "auto"

    def _fit(self, views: Views, run: Run) -> Result:
        most = len(views) - 1
        k = min(self.n_neighbors, most)
        range_ = min(max(self.n_candidates - 1, k), most)
        near = [
            neighbors_in_view(components(x, self.n_components), k, range_)
            for x in scaled(views, self.scaling).arrays
        ]
        weights = weigh_views(near, k)
        W = shared_neighbor_graph(joint_neighbors(near, weights, k), self.prune)
        return community_fit(
            W,
            self.n_clusters,
            self.resolution,
            run,
            sample_view_weights=weights,
            view_weights=weights.mean(axis=0),
        )


def components(x: Matrix, n_components: int) -> np.ndarray:
    """Return principal components with rows of length 1; sparse x stays sparse."""
    E = principal_scores(x.astype(np.float64, copy=False), n_components)
    return row_normalise(E) if E.shape[1] > NARROW else E
