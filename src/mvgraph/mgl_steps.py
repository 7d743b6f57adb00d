"""The sub-problems of MGL, one named update each, and the step they make.

Letters of the paper: N samples, M anchors, V views, K clusters; Z the graphs, J their
low-rank copy, Y the multiplier, F = [P; Q] the embedding of samples and anchors, D the
squared distances, mu the penalty, beta the weight of the rank constraint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.bipartite import Graph
from mvgraph.engines.memory import map_rows
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.spectral import Embedding, bipartite_embedding, compare_components
from mvgraph.ops.tensor import make_transform, shrink_tensor

__all__ = ["BETA", "Problem", "State", "finished", "objective", "start", "step"]

MU_MAX = 1e12
BETA = 1e-3  # first weight of the rank constraint; the controller doubles it


class Problem(NamedTuple):
    """What stays fixed while Z is learned."""

    D: np.ndarray  # (V, N, M) squared distances of samples to anchors
    alpha: float
    K: int
    tensor_weight: float  # lambda
    p: float
    transform: str
    eta: float
    tol: float


class State(NamedTuple):
    """The iterates of algorithm 1."""

    Z: np.ndarray  # (V, N, M)
    J: np.ndarray
    Y: np.ndarray
    Zbar: np.ndarray  # (N, M), mean over views
    F: Embedding
    g: np.ndarray  # (V,)
    mu: float
    beta: float
    settled: bool  # the ADMM has settled: beta is controlled from here on
    excess: int  # of components: -1 fewer, 0 exactly K, 1 more
    norm: float  # ||J||_Sp^p
    primal: float  # ||Z - J|| / ||Z||
    dual: float  # ||Z - Z_old|| / ||Z||


def start(problem: Problem, graphs: list[Graph], mu: float, beta: float) -> State:
    """Start from the closed-form anchor graphs, Y = 0."""
    Z = np.stack([g.tocsr().toarray() for g in graphs])
    Zbar = Z.mean(axis=0)
    g = np.sqrt(np.einsum("vnm,vnm->v", problem.D, Z))
    F = bipartite_embedding(Zbar, problem.K)
    return State(
        Z, Z, np.zeros_like(Z), Zbar, F, g, mu, beta, False, -1, 0.0, np.inf, np.inf
    )


def update_tensor(problem: Problem, s: State) -> State:
    """J-step: shrink the tensor Z + Y / mu (eq. 14; the text drops lambda)."""
    transform = make_transform(problem.transform, s.Z.shape, _graph_basis(problem, s))
    X = s.Y / s.mu
    X += s.Z
    J, norm = shrink_tensor(X, problem.tensor_weight / s.mu, problem.p, transform)
    return s._replace(J=J, norm=norm)


def update_graphs_and_multiplier(problem: Problem, s: State) -> State:
    """Z-step and Y-step: project every row on the simplex (eq. 23, 24)."""
    from mvgraph.ops import _kernels

    V, N, _ = s.Z.shape
    P = s.F.P * _inverse_sqrt(s.F.dp)[:, None]
    Q = s.F.Q * _inverse_sqrt(s.F.dq)[:, None]
    inverse_g = 1 / np.maximum(s.g, 1e-150)
    sums = np.zeros((N, V + 3))

    def update(rows: slice) -> None:
        dF = squared_distances(P[rows], Q)  # eq. 20
        _kernels.update_graphs(
            problem.D[:, rows],
            s.J[:, rows],
            s.Y[:, rows],
            s.Z[:, rows],
            dF,
            s.Zbar[rows],
            inverse_g,
            s.mu,
            2 * problem.alpha,
            s.beta / V,
            sums[rows],
        )

    map_rows(update, N, size=64)
    total = sums.sum(axis=0)
    norm = np.sqrt(total[V + 2])
    return s._replace(
        g=np.sqrt(total[:V]),
        primal=float(np.sqrt(total[V]) / norm),
        dual=float(np.sqrt(total[V + 1]) / norm),
    )


def update_penalty(problem: Problem, s: State) -> State:
    """Raise mu; from when the ADMM has settled, steer beta by the rank test."""
    mu = min(s.mu * problem.eta, MU_MAX)
    settled = s.settled or max(s.primal, s.dual) < problem.tol
    return s._replace(mu=mu, settled=settled)


def update_embedding(problem: Problem, s: State) -> State:
    """F-step: embed samples and anchors of the mean graph (eq. 13), count components.

    beta doubles with too few components and halves with too many.
    """
    F = bipartite_embedding(s.Zbar, problem.K)
    excess = compare_components(F.s, problem.K)
    beta = s.beta * 2.0**-excess if s.settled else s.beta
    return s._replace(F=F, excess=excess, beta=beta)


def step(problem: Problem, s: State) -> State:
    """Algorithm 1: one pass over J, Z with Y, mu, and F with beta."""
    s = update_tensor(problem, s)
    s = update_graphs_and_multiplier(problem, s)
    s = update_penalty(problem, s)
    return update_embedding(problem, s)


def finished(s: State) -> bool:
    """Stop once the ADMM has settled on exactly K components."""
    return s.settled and s.excess == 0


def objective(problem: Problem, s: State) -> dict[str, Any]:
    """Return what the history keeps of an iterate."""
    fit = float(s.g.sum()) + problem.alpha * float(np.einsum("vnm,vnm->", s.Z, s.Z))
    trace = float(problem.K - s.F.s[: problem.K].sum())  # tr(F' L F)
    return {
        "objective": fit + problem.tensor_weight * s.norm + s.beta * trace,
        "primal_residual": s.primal,
        "dual_residual": s.dual,
        "beta": s.beta,
        "mu": s.mu,
        "n_components": int((s.F.s > 1 - 1e-7).sum()),
    }


def _inverse_sqrt(d: np.ndarray) -> np.ndarray:
    return np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)


def _graph_basis(problem: Problem, s: State) -> np.ndarray | None:
    if problem.transform != "graph":
        return None
    H = s.Zbar * _inverse_sqrt(s.F.dq)
    return np.linalg.eigh(H.T @ H)[1]
