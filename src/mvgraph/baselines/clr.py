"""CLR: the constrained Laplacian rank algorithm, on one view or on joined views."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import component_fit
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import neighbor_graph, symmetrise, without_diagonal
from mvgraph.ops.distance import join_features
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHODS = (
    Method(
        name="clr",
        family="one graph",
        title="Constrained Laplacian rank graph of the first view",
        reference="nie2016clr",
        cost="O(N^2 d) + a sparse eigenproblem per step",
        memory="O(N k) + sparse factor",
        parameters={"view": 0},
        published=True,
    ),
    Method(
        name="clr-concat",
        family="joined views",
        title="Constrained Laplacian rank graph of the joined views",
        reference="nie2016clr",
        cost="O(N^2 d) + a sparse eigenproblem per step",
        memory="O(N k) + sparse factor",
        parameters={"view": None},
        published=True,
    ),
)


class CLR(Clusterer):
    r"""Cluster one view by the nearest graph that has exactly K components.

    **Solves** (the L2 form)

    .. math:: \min_S \|S - A\|_F^2 \quad \text{s.t. rows of S on the simplex,}\;
        \mathrm{rank}(L_S) = N - K

    through :math:`\min_{S, F'F = I} \|S - A\|_F^2 + 2 \lambda\, \mathrm{tr}(F' L_S F)`,
    A the graph of nearest neighbours [nie2016]_.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    view : int, str or None, default=0
        Position or name of the view to cluster; None joins all views.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`.
    n_neighbors : int, default=10
        Neighbours of every sample in A, at least 1.
    symmetric : bool, default=False
        Start from (A + A') / 2. The results with True and False differ considerably.
    local : bool, default=True
        S has links only where A has; False: between any two samples.
    weight : float, default=0.1
        First lambda, > 0.
    max_iter : int, default=30
    random_state : int, Generator, RandomState or None, default=None
        Used only to order equal samples: the method is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Components of ``graph_``, numbered by first occurrence.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        (S + S') / 2.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        F: bottom eigenvectors of the Laplacian of ``graph_``.
    n_components_ : int
        If not K, a ConvergenceWarning is issued; the labels are the components.
    n_iter_ : int
    history_ : list of dict
        objective, residual (tr F'LF), weight, n_components, seconds of every step.

    Notes
    -----
    Time O(N^2 d) for A and, per step, O(N k) and one eigenproblem for K + 1 pairs with
    a sparse N x N factorisation. Memory O(N k) and that factorisation; ``local=False``
    uses dense blocks of rows. No dense N x N array is formed. Departures from the
    public routine: if A has more than K components at the start, the routine aborts;
    here these components are returned with a warning. Equal distances to all neighbours
    give equal weights instead of none. The L1 form is not implemented.

    References
    ----------
    .. [nie2016] Nie, Wang, Jordan, Huang, "The constrained Laplacian rank algorithm for
       graph-based clustering", AAAI 2016, :doi:`10.1609/aaai.v30i1.10302`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.clr import CLR
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(CLR(n_clusters=2, n_neighbors=5).fit(X).labels_)
    array([20, 20])
    """

    view: int | str | None = 0
    scaling: str = "auto"
    n_neighbors: int = 10
    symmetric: bool = False
    local: bool = True
    weight: float = 0.1
    max_iter: int = 30

    def _fit(self, views: Views, run: Run) -> Result:
        K = self.n_clusters
        views = scaled(views, self.scaling)
        X = self._features(views, run)
        A = neighbor_graph(X, self.n_neighbors, drop_first=True)
        A = symmetrise(A) if self.symmetric else without_diagonal(A)
        cut, history = rank.start_cut(A, K, self.weight), []
        if cut.rank_gap < 0:
            cut, history = self._constrain(A, cut)
        remedy = "Change n_neighbors, symmetric or scaling, or raise max_iter."
        return component_fit(cut.symmetric, cut.F, history, remedy)

    def _features(self, views: Views, run: Run) -> Any:
        """Return the selected view, in the numbering of the input, or all joined."""
        if self.view is None:
            return join_features(views.arrays)
        if isinstance(self.view, str):
            return views.view(self.view)
        if not 0 <= self.view < views.n_views:
            raise ValueError(
                f"view={self.view} but there are {views.n_views} views, counted from 0."
            )
        return views.arrays[list(run.order.views).index(self.view)]

    def _constrain(self, A: sp.csr_matrix, cut: rank.Cut):
        solve = rank.nearest_rows_on_pattern if self.local else rank.nearest_rows
        return iterate(
            lambda s: rank.rank_step(s, lambda F, weight: solve(A, F, weight)),
            cut,
            lambda s: s.rank_gap == 0,
            self.max_iter,
            lambda s: rank.rank_objective(s, A),
        )
