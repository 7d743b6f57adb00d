"""The sub-problems of MGL, one named update each, and the step they make.

Letters of the paper: N samples, M anchors, V views, K clusters; Z the graphs, J their
low-rank copy, Y the multiplier, F = [P; Q] the embedding of samples and anchors, D the
squared distances, mu the penalty, beta the weight of the rank constraint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.graphs.bipartite import Graph
from mvgraph.mgl.fft_samples import Waves, shrink_along_samples, take_rows
from mvgraph.mgl.graph_step import Penalty, update_graphs
from mvgraph.ops.linalg.spectral import (
    Embedding,
    bipartite_embedding,
    compare_components,
    inverse_sqrt,
)
from mvgraph.ops.namespace import Home, is_foreign, namespace, to_numpy
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.proximal.tensor import make_transform, shrink_tensor

__all__ = ["Problem", "State", "finished", "objective", "start", "step"]

MU_MAX = 1e12
Array = Any  # of NumPy or any library of the array API standard
F_TOL = 1e-6  # residual of the F-step: its eigenvalues are right to about 1e-12


class Problem(NamedTuple):
    """What stays fixed while Z is learned."""

    D: Array  # (V, N, M) squared distances of samples to anchors
    alpha: float
    K: int
    tensor_weight: float  # lambda
    p: float
    transform: str
    eta: float
    tol: float


class State(NamedTuple):
    """The iterates of algorithm 1."""

    Z: Array  # (V, N, M)
    J: Array | Waves
    Y: Array
    Zbar: Array  # (N, M), mean over views
    F: Embedding
    g: np.ndarray  # (V,)
    mu: float
    beta: float
    settled: bool  # the ADMM has settled: beta is controlled from here on
    excess: int  # of components: -1 fewer, 0 exactly K, 1 more
    norm: float  # ||J||_Sp^p
    square: float  # ||Z||^2
    primal: float  # ||Z - J|| / ||Z||
    dual: float  # ||Z - Z_old|| / ||Z||


def start(
    problem: Problem,
    graphs: list[Graph],
    mu: float,
    beta: float,
    home: Home | None = None,
) -> State:
    """Start from the closed-form anchor graphs, Y = 0, in the home of the distances."""
    Z: Array = np.stack([g.tocsr().toarray() for g in graphs])
    if home is not None:
        Z = home.put(Z)
    xp = namespace(Z)
    Zbar = xp.mean(Z, axis=0)
    g = np.sqrt(_products(problem.D, Z))
    F = bipartite_embedding(Zbar, problem.K)
    Y, far = xp.zeros_like(Z), np.inf
    return State(Z, Z, Y, Zbar, F, g, mu, beta, False, -1, 0.0, 0.0, far, far)


def update_tensor(problem: Problem, s: State) -> State:
    """J-step: shrink the tensor Z + Y / mu (eq. 14; the text drops lambda)."""
    tau = problem.tensor_weight / s.mu
    if problem.transform == "fft-samples" and not is_foreign(s.Z):
        J, norm = shrink_along_samples(
            s.Z, s.Y, s.mu, tau, problem.p, similar=s.J if s.norm else None
        )
        return s._replace(J=J, norm=norm)
    transform = make_transform(problem.transform, s.Z.shape, _graph_basis(problem, s))
    X = s.Y / s.mu
    X += s.Z
    J, norm = shrink_tensor(X, tau, problem.p, transform)
    return s._replace(J=J, norm=norm)


def update_graphs_and_multiplier(problem: Problem, s: State) -> State:
    """Z-step and Y-step: project every row on the simplex (eq. 23, 24)."""
    V, N, _ = s.Z.shape
    xp = namespace(s.Z)
    P = s.F.P * inverse_sqrt(s.F.dp)[:, None]
    Q = s.F.Q * inverse_sqrt(s.F.dq)[:, None]
    # |p - q|^2 - |p|^2: what is constant in a row does not move its projection
    P = xp.concat([P, xp.ones_like(P[:, :1])], axis=1)
    Q = xp.concat([-2 * Q, xp.sum(Q * Q, axis=1)[:, None]], axis=1)
    c = Penalty(1 / np.maximum(s.g, 1e-150), s.mu, 2 * problem.alpha, s.beta / V)

    def update(rows: slice) -> tuple:
        dF = P[rows, :] @ Q.T  # eq. 20
        J = take_rows(s.J, rows)
        return update_graphs(problem.D, J, s.Y, s.Z, s.Zbar, dF, c, rows.start)

    if is_foreign(s.Z):
        Z, Y, Zbar, sums = update(slice(0, N))
        s = s._replace(Z=Z, Y=Y, Zbar=Zbar)
    else:  # in place, in blocks that stay in the cache
        sums = np.concatenate([part[3] for part in map_rows(update, N, size=32)])
    total = sums.sum(axis=0)
    norm = np.sqrt(total[V + 2])
    return s._replace(
        square=float(total[V + 2]),
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
    F = bipartite_embedding(s.Zbar, problem.K, s.F.block, F_TOL)
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
    fit = float(s.g.sum()) + problem.alpha * s.square
    trace = float(problem.K - s.F.s[: problem.K].sum())  # tr(F' L F)
    return {
        "objective": fit + problem.tensor_weight * s.norm + s.beta * trace,
        "primal_residual": s.primal,
        "dual_residual": s.dual,
        "beta": s.beta,
        "mu": s.mu,
        "n_components": int((s.F.s > 1 - 1e-7).sum()),
    }


def _graph_basis(problem: Problem, s: State) -> Array | None:
    if problem.transform != "graph":
        return None
    H = s.Zbar * inverse_sqrt(s.F.dq)
    return namespace(H).linalg.eigh(H.T @ H)[1]


def _products(D: Array, Z: Array) -> np.ndarray:
    """Sum D Z of every view."""
    if is_foreign(D):
        return to_numpy(namespace(D).sum(D * Z, axis=(1, 2)))
    return np.einsum("vnm,vnm->v", D, Z)
