"""Leiden communities in the mean of the neighbour graphs of all views."""

from __future__ import annotations

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.baselines._graph_results import community_fit
from mvgraph.graphs.neighbors import mean_of_graphs
from mvgraph.ops.affinity.similarity import joined_neighbor_graph
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="leiden-mean",
    family="one graph",
    title="Leiden communities in the mean of the views' neighbour graphs",
    reference="traag2019leiden",
    cost="O(N^2 d)",
    memory="O(N (d + V k))",
)


class LeidenMean(Clusterer):
    r"""Find communities in the mean of the neighbour graphs of all views.

    **Solves**, greedily and with guaranteed connected communities [traag2019]_,

    .. math:: \max \sum_{ij} \Bigl(W_{ij} - \gamma \frac{d_i d_j}{\sum_k d_k}\Bigr)
        [c_i = c_j]

    with W the mean of the views' :math:`D_v^{-1/2} (A_v + A_v^T) D_v^{-1/2}`, where
    A_v links every sample to its nearest others in view v, and d the row sums of W.
    Every view counts equally, however many features it has.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of communities to find; ignored if ``resolution`` is given.
    resolution : float or None, default=None
        gamma > 0; 1 is modularity, larger values give more communities. None: found by
        bisection, in at most 30 trials, so that there are ``n_clusters`` communities.
    n_neighbors : int, default=10
        Neighbours of a sample in a view, without itself, from 1 to n_samples - 1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view.
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
    n_iter_ : int
        Trials of gamma.
    history_ : list of dict
        resolution and n_communities of every trial.

    Notes
    -----
    Time O(N^2 d) for the neighbours, then about O(N V k) per trial; memory
    O(N (d + V k)).

    References
    ----------
    .. [traag2019] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9, 2019,
       :doi:`10.1038/s41598-019-41695-z`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.leiden_mean import LeidenMean
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(LeidenMean(3, random_state=0).fit(X).labels_)
    array([20, 20, 20])
    """

    resolution: float | None = None
    n_neighbors: int = 10
    scaling: str = "auto"

    def _fit(self, views: Views, run: Run) -> Result:
        graphs = [
            joined_neighbor_graph([x], self.n_neighbors)
            for x in scaled(views, self.scaling).arrays
        ]
        W = mean_of_graphs(graphs, np.full(len(graphs), 1 / len(graphs)))
        return community_fit(W, self.n_clusters, self.resolution, run)
