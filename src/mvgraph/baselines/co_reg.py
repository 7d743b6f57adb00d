"""Co-regularised multi-view spectral clustering (Kumar, Rai, Daume 2011)."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.baselines._graph_results import spectral_fit
from mvgraph.ops.affinity.similarity import gaussian_kernel, normalise_similarity
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="co-reg",
    family="embedding",
    title="Co-regularised spectral clustering, pairwise (or centroid)",
    reference="kumar2011coreg",
    cost="O(N^2 (d + V K)) per sweep",
    memory="O(N^2 V)",
    needs_n_by_n=True,
    published=True,
)

EIGEN_TOL = 1e-10  # residual of the eigenpairs in a sweep


class CoReg(Clusterer):
    r"""Cluster with one spectral embedding per view, which agree with each other.

    **Solves**, over orthonormal U_v of shape (n_samples, n_clusters) [kumar2011]_,

    .. math:: \text{pairwise:}\quad \max \sum_v \mathrm{tr}(U_v^T A_v U_v)
        + \lambda \sum_{v<w} \|U_v^T U_w\|_F^2

    .. math:: \text{centroid:}\quad \max \sum_v \mathrm{tr}(U_v^T A_v U_v)
        + \lambda \sum_v \|U_v^T U_*\|_F^2

    with A_v the normalised Gaussian similarity of view v, sigma its median distance.

    Parameters
    ----------
    n_clusters : int, default=8
    variant : {"pairwise", "centroid"}, default="pairwise"
        Views agree with each other, or with a common embedding U_*.
    coupling : float, default=0.1
        lambda >= 0, the weight of the agreement; usually 0.01 to 0.1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view.
    max_iter : int, default=10
        Maximum number of sweeps over the views, at least 1.
    tol : float, default=1e-6
        Stop when a sweep increases the objective by less; 0: do all sweeps.
    n_init : int, default=10
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_features)
        Input of k-means, rows of length 1: all U_v concatenated, or U_*.
    n_iter_ : int
    history_ : list of dict
        objective (never decreases), residual (its increase) and seconds per sweep.

    Notes
    -----
    Time O(N^2 (d + sweeps V K)), memory O(N^2 V) floats: dense kernels. Departures from
    the published code: its pairwise driver passes only the columns of the first view to
    k-means (a slip); the order of views in a sweep depends on content and seed, not on
    the input order. That order matters to the pairwise variant as much as a seed does,
    because ten sweeps do not converge: on four sets, six orders differed by .06 to .15
    in accuracy. No order is the right one, so none is taken from the input: the same
    views in another order give the same labels, and several seeds show how far orders
    differ. The centroid variant does not depend on it.

    References
    ----------
    .. [kumar2011] Kumar, Rai, Daume III, "Co-regularized multi-view spectral
       clustering", NIPS 2011, pages 1413-1421.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.co_reg import CoReg
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(CoReg(n_clusters=3, random_state=0).fit(X).labels_).tolist()
    [20, 20, 20]
    """

    variant: str = "pairwise"
    coupling: float = 0.1
    scaling: str = "auto"
    max_iter: int = 10
    tol: float = 1e-6
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        if self.variant not in _SWEEPS:
            raise ValueError(
                f"variant must be one of {tuple(_SWEEPS)}; got {self.variant!r}."
            )
        N, V, K = len(views), views.n_views, self.n_clusters
        require_memory(
            (V + 3) * 8 * N**2, "One dense kernel per view", "use fewer samples."
        )
        X = scaled(views, self.scaling)
        A = [normalise_similarity(gaussian_kernel(x)) for x in X.arrays]
        U = [leading_eigenvectors(a, K)[1] for a in A]
        state, history = iterate(
            partial(_SWEEPS[self.variant], A, self.coupling),
            State(U, U[0], -np.inf, np.inf),
            lambda s: abs(s.residual) < self.tol,
            self.max_iter,
        )
        joined = np.hstack(state.U) if self.variant == "pairwise" else state.centroid
        return spectral_fit(joined, K, run, self.n_init, history=history)


class State(NamedTuple):
    """The embeddings after a sweep."""

    U: list[np.ndarray]  # one (N, K) per view
    centroid: np.ndarray  # U_*, (N, K)
    objective: float
    residual: float  # of the objective


def sweep_pairwise(A: list[np.ndarray], coupling: float, s: State) -> State:
    """Update views 2, ..., V, 1 in turn, each with the current state of all others."""
    U, K = list(s.U), s.centroid.shape[1]
    for v in [*range(1, len(U)), 0]:
        others = U[:v] + U[v + 1 :]
        pull = (np.hstack(others), coupling) if others else None
        U[v] = leading_eigenvectors(A[v], K, low_rank=pull, start=U[v], tol=EIGEN_TOL)[
            1
        ]
    pairs = sum(_overlap(U[v], U[w]) for v in range(len(U)) for w in range(v))
    total = _within(A, U) + coupling * pairs
    return State(U, s.centroid, total, total - s.objective)


def sweep_centroid(A: list[np.ndarray], coupling: float, s: State) -> State:
    """Update U_*, then every view with it."""
    K = s.centroid.shape[1]
    centroid = np.linalg.svd(np.hstack(s.U), full_matrices=False)[0][:, :K]
    pull = (centroid, coupling)
    U = [
        leading_eigenvectors(a, K, low_rank=pull, start=u, tol=EIGEN_TOL)[1]
        for a, u in zip(A, s.U, strict=True)
    ]
    total = _within(A, U) + coupling * sum(_overlap(u, centroid) for u in U)
    return State(U, centroid, total, total - s.objective)


def _within(A: list[np.ndarray], U: list[np.ndarray]) -> float:
    return sum(float(np.sum(u * (a @ u))) for a, u in zip(A, U, strict=True))


def _overlap(U: np.ndarray, W: np.ndarray) -> float:
    return float(np.sum((U.T @ W) ** 2))


_SWEEPS = {"pairwise": sweep_pairwise, "centroid": sweep_centroid}
