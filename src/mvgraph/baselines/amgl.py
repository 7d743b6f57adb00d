"""AMGL: parameter-free auto-weighted multiple graph learning."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import normalised_graphs
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.linalg.laplacian import top_eigenpairs
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="amgl",
    family="embedding",
    title="Spectral embedding of all views with automatic weights",
    reference="nie2016amgl",
    cost="O(V N^2 d) + a sparse eigenproblem per step",
    memory="O(V N k)",
    published=True,
)


class State(NamedTuple):
    """Iterates: the embedding and the weights of the views."""

    F: np.ndarray  # (N, K)
    alpha: np.ndarray  # (V,)
    objective: float
    residual: float  # relative


class AMGL(Clusterer):
    r"""Embed samples by an automatically weighted sum of the Laplacians of all views.

    **Solves**

    .. math:: \min_{F'F = I} \sum_v \sqrt{\mathrm{tr}(F' L_v F)}

    by :math:`\alpha_v = 1 / (2 \sqrt{\mathrm{tr}(F' L_v F)})` and the bottom
    eigenvectors of :math:`\sum_v \alpha_v L_v`; L_v is the normalised Laplacian of the
    nearest neighbours in view v [nie2016]_. Labels: k-means on the rows of F.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="auto"
        See :func:`mvgraph.views.scaling.fit_scaling`.
    n_neighbors : int, default=10, at least 1
    n_init : int, default=10
        Starts of k-means, at least 1; published: 1.
    tol : float, default=1e-8
        Stop when the relative decrease of the objective is below ``tol``, >= 0.
    max_iter : int, default=100
    random_state : int, Generator, RandomState or None, default=None
        Seed of k-means; everything else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        F.
    view_weights_ : ndarray of shape (n_views,)
        alpha, not normalised.
    n_iter_ : int
    history_ : list of dict
        objective, residual (its relative decrease), seconds of every step.

    Notes
    -----
    Time O(V N^2 d) for the graphs and, per step, Lanczos for K pairs of a sparse
    matrix. Memory O(V N k); no dense N x N array is formed.
    Departure: traces below 1e-24 (views with K or more components) count as 1e-24.

    References
    ----------
    .. [nie2016] Nie, Li, Li, "Parameter-free auto-weighted multiple graph learning",
       IJCAI 2016, pp. 1881-1887 (no DOI).

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.amgl import AMGL
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(AMGL(n_clusters=2).fit([X, X**3]).labels_)
    array([20, 20])
    """

    scaling: str = "auto"
    n_neighbors: int = 10
    n_init: int = 10
    tol: float = 1e-8
    max_iter: int = 100

    def _fit(self, views: Views, run: Run) -> Result:
        K, V = self.n_clusters, views.n_views
        graphs = normalised_graphs(scaled(views, self.scaling), self.n_neighbors)
        s, history = iterate(
            lambda s: _step(s, graphs, K),
            State(np.empty((len(views), K)), np.full(V, 1 / V), np.inf, np.inf),
            lambda s: s.residual < self.tol,
            self.max_iter,
        )
        return Result(
            kmeans(s.F, K, run.rng, n_init=self.n_init).labels,
            embedding=s.F,
            view_weights=s.alpha,
            history=history,
        )


def _step(s: State, graphs: list[sp.csr_matrix], K: int) -> State:
    """Embed by the weighted graph, then update the weights of the views.

    The bottom eigenvectors of the weighted sum of L_v = I - S_v are the top ones of the
    weighted sum of S_v.
    """
    total = sum(a * S for a, S in zip(s.alpha, graphs, strict=True)).tocsr()
    # no eigenvalue of a normalised graph exceeds 1
    F = top_eigenpairs(total, K, float(s.alpha.sum()))[1]
    traces = np.array([float(np.einsum("ik,ik->", F, F - S @ F)) for S in graphs])
    roots = np.sqrt(np.maximum(traces, 1e-24))
    objective = float(roots.sum())
    fall = (s.objective - objective) / s.objective if s.objective < np.inf else np.inf
    return State(F, 1 / (2 * roots), objective, fall)
