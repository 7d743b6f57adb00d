"""SMSC: multi-view spectral clustering with a non-negative and a spectral embedding."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.baselines._graph_results import normalised_graphs
from mvgraph.ops.linalg.laplacian import leading_eigenpairs
from mvgraph.ops.linalg.spectral import fix_signs
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="smsc",
    family="embedding",
    title="Non-negative and spectral embedding of all views, no k-means",
    reference="hu2020smsc",
    cost="O(V N^2 d) + O(V N k K) per sweep",
    memory="O(V N (k + K))",
    published=True,
)


class State(NamedTuple):
    """Iterates of one run."""

    Y: np.ndarray  # (N, K), non-negative, shared
    F: np.ndarray  # (V, N, K), orthonormal columns in every view
    p: np.ndarray  # (V,) weights of the views
    objective: float  # sum of squared residuals
    residual: float  # relative


class SMSC(Clusterer):
    r"""Factor the graphs of all views into a shared non-negative embedding and F_v.

    **Solves**

    .. math:: \min_{Y \ge 0,\, F_v' F_v = I} \sum_v \|S_v - Y F_v'\|_F

    S_v the normalised graph of nearest neighbours in view v, by weights
    :math:`p_v = 1 / \|S_v - Y F_v'\|_F`; a sample's label is the largest entry of its
    row of Y, without k-means [hu2020]_.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="rowz"
        See :func:`mvgraph.views.scaling.fit_scaling`; ``rowz`` is part of the method.
    n_neighbors : int, default=10, at least 1
    n_init : int, default=20, at least 1
        Number of starts with random signs of the starting singular vectors; that with
        the smallest objective is kept. The signs matter, since Y is clipped at zero.
    tol : float, default=1e-8
        Stop when the relative change of the objective is below ``tol``, >= 0.
    max_iter : int, default=60
    random_state : int, Generator, RandomState or None, default=None
        Seed of the signs.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Clusters, numbered by first occurrence; may be fewer than K.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Y.
    view_weights_ : ndarray of shape (n_views,)
        p, not normalised.
    n_iter_ : int
    history_ : list of dict
        objective (sum of squared residuals), residual (its relative change), seconds of
        every sweep of the run that is kept.

    Notes
    -----
    Time O(V N^2 d) for the graphs and O(n_init V N (k + K) K) per sweep; memory
    O(V N (k + K)), without N x N arrays. As published, Y has an extra factor 1 / V.

    References
    ----------
    .. [hu2020] Hu, Nie, Wang, Li, "Multi-view spectral clustering via integrating
       nonnegative embedding and spectral embedding", Information Fusion 55, 2020,
       :doi:`10.1016/j.inffus.2019.09.005`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.smsc import SMSC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 9, 0], [9, 0, 0]], 20, axis=0) + rng.normal(size=(40, 3))
    >>> np.bincount(SMSC(n_clusters=2, random_state=0).fit([X, X + 1]).labels_)
    array([20, 20])
    """

    scaling: str = "rowz"
    n_neighbors: int = 10
    n_init: int = 20
    tol: float = 1e-8
    max_iter: int = 60

    def _fit(self, views: Views, run: Run) -> Result:
        graphs = normalised_graphs(scaled(views, self.scaling), self.n_neighbors)
        start = np.stack(
            [fix_signs(leading_eigenpairs(S, self.n_clusters)[1]) for S in graphs]
        )
        best, history = None, []
        for start_number in range(self.n_init):
            signs = run.rng.choice([-1.0, 1.0], size=(len(start), 1, self.n_clusters))
            F = start * signs if start_number else start
            last, steps = alternate(graphs, F, self.tol, self.max_iter)
            # ties within rounding error go to the first
            if best is None or last.objective < best.objective * (1 - 1e-9):
                best, history = last, steps
        assert best is not None
        return Result(
            best.Y.argmax(axis=1),
            embedding=best.Y,
            view_weights=best.p,
            history=history,
        )


def alternate(
    graphs: list[sp.csr_matrix], F: np.ndarray, tol: float, max_iter: int
) -> tuple[State, list[dict[str, Any]]]:
    """Alternate between Y, F and the weights, from given F (V, N, K)."""
    squares = np.array([float(S.multiply(S).sum()) for S in graphs])
    return iterate(
        lambda s: _sweep(s, graphs, squares),
        State(F[0], F, np.ones(len(F)), np.inf, np.inf),
        lambda s: s.residual < tol,
        max_iter,
    )


def _sweep(s: State, graphs: list[sp.csr_matrix], squares: np.ndarray) -> State:
    V, share = len(graphs), s.p / s.p.sum()
    Y = sum(w * (S @ F) for w, S, F in zip(share, graphs, s.F, strict=True)) / V
    Y = np.maximum(Y, 0)
    polar = [scipy.linalg.svd(S.T @ Y, full_matrices=False) for S in graphs]
    F = np.stack([U @ Vt for U, _, Vt in polar])
    # ||S - Y F'||^2 = ||S||^2 - 2 sum of singular values of S'Y + ||Y||^2
    gaps = squares - 2 * np.array([t.sum() for _, t, _ in polar]) + (Y**2).sum()
    gaps = np.maximum(gaps, 1e-24)
    total = float(gaps.sum())
    change = abs(total - s.objective) / s.objective if s.objective < np.inf else np.inf
    return State(Y, F, 1 / np.sqrt(gaps), total, change)
