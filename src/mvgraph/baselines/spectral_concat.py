"""Spectral clustering of the joined, scaled views."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.baselines._graph_results import spectral_fit
from mvgraph.ops.affinity.similarity import joined_neighbor_graph, spectral_embedding
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="spectral-concat",
    family="joined views",
    title="Spectral clustering on the neighbour graph of the joined, scaled views",
    reference="ng2001spectral",
    cost="O(N^2 d)",
    memory="O(N (d + k + K))",
)


class SpectralConcat(Clusterer):
    r"""Cluster the neighbour graph of the joined, scaled views by normalised cut.

    **Solves** [ng2001]_, over orthonormal U of shape (n_samples, n_clusters),

    .. math:: \max \mathrm{tr}(U^T D^{-1/2} W D^{-1/2} U)

    with W = (A + A') / 2, a_ij = 1 where j is among the nearest neighbours of i over
    all features of all views; k-means then cuts the rows of U scaled to length 1.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=10
        Neighbours of a sample, without itself, from 1 to n_samples - 1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view.
    n_init : int, default=10
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, C)
        Input of k-means, rows of length 1; C is n_clusters, or the number of components
        if that is larger.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        W.
    n_components_ : int
        Connected components of the graph. If there are more than n_clusters, some are
        merged arbitrarily and a ConvergenceWarning is issued.

    Notes
    -----
    Time O(N^2 d) for the neighbours, then O(N (k + K) K) per step of the eigensolver;
    memory O(N (d + k + 6 K)), without an N x N matrix.

    References
    ----------
    .. [ng2001] Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.spectral_concat import SpectralConcat
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(SpectralConcat(3, random_state=0).fit(X).labels_).tolist()
    [20, 20, 20]
    """

    n_neighbors: int = 10
    scaling: str = "auto"
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        K = self.n_clusters
        W = joined_neighbor_graph(scaled(views, self.scaling).arrays, self.n_neighbors)
        U, count = spectral_embedding(W, K)
        text = (
            f"The neighbour graph has {count} components, more than K={K}; "
            "some were merged. Raise n_neighbors or n_clusters."
        )
        return spectral_fit(
            U,
            K,
            run,
            self.n_init,
            affinity=W,
            n_components=count,
            history=[],
            n_iter=1,
            warnings=((text, ConvergenceWarning),) if count > K else (),
        )
