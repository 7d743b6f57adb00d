"""Robust multi-view spectral clustering (Xia, Pan, Du, Yin 2014)."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.baselines._graph_results import spectral_fit
from mvgraph.ops.affinity.similarity import (
    gaussian_kernel,
    symmetrise_chain,
    transition_matrix,
)
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.ops.proximal.threshold import shrink_singular_values
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="rmsc",
    family="one graph",
    title="Robust spectral clustering: one low-rank transition matrix, sparse errors",
    reference="xia2014rmsc",
    cost="O(N^3) per step",
    memory="O(N^2 V)",
    needs_n_by_n=True,
    published=True,
)

MU_MAX = 1e10


class RMSC(Clusterer):
    r"""Cluster with the low-rank transition matrix that all views share.

    **Solves** [xia2014]_

    .. math:: \min_{P, E_v} \|P\|_* + \lambda \sum_v \|E_v\|_1 \quad\text{s.t.}\quad
        P_v = P + E_v,\; P \ge 0,\; P 1 = 1

    with P_v the random walk on the Gaussian similarity of view v, sigma its median
    distance; then cuts P, made symmetric by its stationary distribution.

    Parameters
    ----------
    n_clusters : int, default=8
    error_weight : float, default=0.005
        lambda > 0; 0.001 to 0.1.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view.
    mu : float, default=1e-3
        First penalty, > 0.
    eta : float, default=1.9
        Growth of the penalty per step, > 1. The growth is so fast that the result
        depends on it: the schedule is part of the method.
    tol : float, default=1e-7
        Stop when no row of P_v - P - E_v has an absolute sum above tol.
    max_iter : int, default=100
    n_init : int, default=10
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Input of k-means: eigenvectors of largest magnitude, rows of length 1.
    graph_ : ndarray of shape (n_samples, n_samples)
        P, the shared transition matrix; rows sum to one.
    n_iter_ : int
    history_ : list of dict
        objective, residual, mu and seconds of every step.

    Notes
    -----
    Time O(N^2 d V + steps N^3), memory O(N^2 V) floats. The nuclear-norm step computes
    only the eigenpairs of P'P above the threshold. Departure from the published code: E
    starts at 0, not at random, which gives the same P.

    References
    ----------
    .. [xia2014] Xia, Pan, Du, Yin, "Robust multi-view spectral clustering via low-rank
       and sparse decomposition", AAAI 2014, pages 2149-2155,
       :doi:`10.1609/aaai.v28i1.8950`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.rmsc import RMSC
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 9 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(RMSC(n_clusters=3, random_state=0).fit(X).labels_).tolist()
    [20, 20, 20]
    """

    error_weight: float = 0.005
    scaling: str = "auto"
    mu: float = 1e-3
    eta: float = 1.9
    tol: float = 1e-7
    max_iter: int = 100
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        N, V, K = len(views), views.n_views, self.n_clusters
        require_memory(
            (3 * V + 9) * 8 * N**2, "One dense chain per view", "use fewer samples."
        )
        X = scaled(views, self.scaling).arrays
        chains = [transition_matrix(gaussian_kernel(x)) for x in X]
        zero = np.zeros((N, N))
        zeros = [zero] * V
        first = State(zero, zero, zero, zeros, zeros, self.mu, np.inf, np.inf)
        state, history = iterate(
            partial(step, chains, self.error_weight, self.eta),
            first,
            lambda s: s.residual < self.tol,
            self.max_iter,
            lambda s: {"objective": s.objective, "residual": s.residual, "mu": s.mu},
        )
        U = leading_eigenvectors(symmetrise_chain(state.P), K, by_magnitude=True)[1]
        return spectral_fit(U, K, run, self.n_init, affinity=state.P, history=history)


class State(NamedTuple):
    """The iterates of the augmented Lagrangian method."""

    P: np.ndarray  # (N, N), rows on the simplex
    Q: np.ndarray  # (N, N), its low-rank copy
    Z: np.ndarray  # (N, N), multiplier of P = Q
    E: list[np.ndarray]  # errors, one (N, N) per view
    Y: list[np.ndarray]  # multipliers of P_v = P + E_v
    mu: float
    objective: float
    residual: float


def step(chains: list[np.ndarray], error_weight: float, eta: float, s: State) -> State:
    """Update P, Q, every E_v with its multiplier, Z and mu."""
    B = s.Q - s.Z / s.mu
    for C, E, Y in zip(chains, s.E, s.Y, strict=True):
        B += C - E - Y / s.mu
    B /= len(chains) + 1
    P = project_simplex(B)
    Q, rank = shrink_singular_values(P + s.Z / s.mu, 1 / s.mu)
    errors, multipliers, sizes, residual = [], [], 0.0, 0.0
    for C, Y in zip(chains, s.Y, strict=True):
        gap = C - P
        R = gap - Y / s.mu
        cut = np.clip(R, -error_weight / s.mu, error_weight / s.mu)
        E = R - cut  # shrunk by error_weight / mu
        multipliers.append(-s.mu * cut)  # = Y + mu (P + E - P_v)
        errors.append(E)
        sizes += float(np.abs(E).sum())
        residual = max(residual, float(np.abs(gap - E).sum(axis=1).max()))
    Z = s.Z + s.mu * (P - Q)
    mu = min(eta * s.mu, MU_MAX)
    cost = rank + error_weight * sizes
    return State(P, Q, Z, errors, multipliers, mu, cost, residual)
