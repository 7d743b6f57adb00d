"""The steps of MGL: one named update per sub-problem.

Letters: see :mod:`mvgraph.mgl.problem`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.run import iterate
from mvgraph.graphs.anchors import Anchors
from mvgraph.graphs.bipartite import Graph, view_graphs
from mvgraph.mgl.fft_samples import FourierTensor, shrink_along_samples, take_rows
from mvgraph.mgl.problem import (
    Controller,
    Learned,
    Problem,
    finished,
    objective,
    residuals,
    update_penalty,
    update_rank,
)
from mvgraph.ops.arrays import Array, Device, is_non_numpy, namespace, to_numpy
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.linalg.spectral import Embedding, bipartite_embedding, inverse_sqrt
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.ops.proximal.tensor import make_basis, shrink_tensor
from mvgraph.views.container import Views


class State(NamedTuple):
    """The iterates of algorithm 1, and the distances they are computed from."""

    D: Array  # (V, N, M) squared distances of samples to anchors
    Z: Array  # (V, N, M)
    J: Array | FourierTensor
    Y: Array
    Zbar: Array  # (N, M), mean over views
    F: Embedding
    c: Controller


def learn_graphs(
    views: Views,
    anchors: Anchors,
    problem: Problem,
    device: Device | None = None,
    callback: Any = None,
) -> Learned:
    """Learn the graphs of scaled views.

    Parameters
    ----------
    views : Views
    anchors : Anchors
    problem : Problem
    device : Device, optional
        Device on which the graphs are learned; None: NumPy.
    callback : callable, optional
        Called after every step.

    Returns
    -------
    Learned
    """
    problem, first = start_from_views(views, anchors, problem, device)
    last, history = iterate(
        lambda s: step(problem, s),
        first,
        lambda s: finished(s.c),
        problem.max_iter,
        lambda s: objective(problem, s.c),
        callback,
    )
    Z = sp.csr_matrix(to_numpy(last.Zbar))
    return Learned(Z, to_numpy(last.F.P), last.c.g, history)


def start_from_views(
    views: Views, anchors: Anchors, problem: Problem, device: Device | None = None
) -> tuple[Problem, State]:
    """Build the closed-form anchor graphs; alpha is that of their rows."""
    graphs = view_graphs(views, anchors, problem.n_neighbors)
    D = _distances(views, anchors, device)
    alpha = float(np.array([g.alpha.mean() for g in graphs]).mean())
    problem = problem._replace(alpha=alpha)
    return problem, start(problem, D, graphs, device)


def start(
    problem: Problem, D: Array, graphs: list[Graph], device: Device | None = None
) -> State:
    """Start from given anchor graphs, Y = 0, on the device of the distances."""
    Z: Array = np.stack([g.tocsr().toarray() for g in graphs])
    if device is not None:
        Z = device.to_device(Z)
    xp = namespace(Z)
    Zbar = xp.mean(Z, axis=0)
    F = bipartite_embedding(Zbar, problem.K)
    c = Controller(
        np.sqrt(_products(D, Z)), problem.mu, problem.recipe.beta, singular=F.s
    )
    return State(D, Z, Z, xp.zeros_like(Z), Zbar, F, c)


def step(problem: Problem, s: State) -> State:
    """Update J, Z with Y, mu, and F with beta (one pass of algorithm 1)."""
    s = update_tensor(problem, s)
    s = update_graphs_and_multiplier(problem, s)
    s = s._replace(c=update_penalty(problem, s.c))
    return update_embedding(problem, s)


def update_tensor(problem: Problem, s: State) -> State:
    """J-step: shrink the tensor Z + Y / mu (eq. 14, where lambda is missing)."""
    tau = problem.tensor_weight / s.c.mu
    if problem.basis == "fft-samples" and not is_non_numpy(s.Z):
        similar = s.J if s.c.norm else None
        J, norm = shrink_along_samples(
            s.Z, s.Y, s.c.mu, tau, problem.p, similar=similar, recipe=problem.recipe
        )
        return s._replace(J=J, c=s.c._replace(norm=norm))
    X = s.Y / s.c.mu
    X += s.Z
    J, norm = shrink_tensor(X, tau, problem.p, make_basis(problem.basis, s.Z.shape))
    return s._replace(J=J, c=s.c._replace(norm=norm))


def update_graphs_and_multiplier(problem: Problem, s: State) -> State:
    """Z-step and Y-step: project every row on the simplex (eq. 23, 24)."""
    V, N, _ = s.Z.shape
    xp = namespace(s.Z)
    P = s.F.P * inverse_sqrt(s.F.dp)[:, None]
    Q = s.F.Q * inverse_sqrt(s.F.dq)[:, None]
    # |p - q|^2 - |p|^2: a constant in a row does not change its projection
    P = xp.concat([P, xp.ones_like(P[:, :1])], axis=1)
    Q = xp.concat([-2 * Q, xp.sum(Q * Q, axis=1)[:, None]], axis=1)
    inverse_g = 1 / np.maximum(s.c.g, 1e-150)
    row = RowProblem(inverse_g, s.c.mu, 2 * problem.alpha, s.c.beta / V)

    def update(rows: slice) -> tuple[Array, Array, Array, np.ndarray]:
        dF = P[rows, :] @ Q.T  # eq. 20
        J = take_rows(s.J, rows)
        return update_graphs(s.D, J, s.Y, s.Z, s.Zbar, dF, row, rows.start)

    if is_non_numpy(s.Z):
        Z, Y, Zbar, sums = update(slice(0, N))
        s = s._replace(Z=Z, Y=Y, Zbar=Zbar)
    else:  # in place, in blocks that stay in the cache
        sums = np.concatenate([part[3] for part in map_rows(update, N, size=32)])
    total = sums.sum(axis=0)
    return s._replace(c=residuals(total, s.c._replace(g=np.sqrt(total[:V]))))


def update_embedding(problem: Problem, s: State) -> State:
    """F-step: embed samples and anchors of the mean graph (eq. 13); adjust beta."""
    F = bipartite_embedding(s.Zbar, problem.K, s.F.block, problem.recipe.embedding_tol)
    return s._replace(F=F, c=update_rank(problem, s.c, F.s))


def _products(D: Array, Z: Array) -> np.ndarray:
    """Return sum D Z of every view."""
    if is_non_numpy(D):
        return to_numpy(namespace(D).sum(D * Z, axis=(1, 2)))
    return np.asarray(np.einsum("vnm,vnm->v", D, Z))


def _distances(views: Views, anchors: Anchors, device: Device | None) -> Array:
    """Return squared distances to the anchors (V, N, M), float64, on the device."""
    pairs = list(zip(views.arrays, anchors.points, strict=True))
    if device is None:
        D = [squared_distances(x, a) for x, a in pairs]
        return np.stack(D).astype(np.float64, copy=False)
    xp, D = device.xp, []
    for x, a in pairs:
        kind = np.result_type(x, a)
        x, a = (device.to_device(np.asarray(b, kind)) for b in (x, a))
        D.append(xp.astype(squared_distances(x, a), xp.float64))
    return xp.stack(D)


class RowProblem(NamedTuple):
    """The numbers in the quadratic problem of a row."""

    inverse_g: np.ndarray  # (V,)
    mu: float
    two_alpha: float
    beta_v: float  # beta / V


def update_graphs(
    D: Array,
    J: Array,
    Y: Array,
    Z: Array,
    Zbar: Array,
    dF: Array,
    c: RowProblem,
    first: int = 0,
) -> tuple[Array, Array, Array, np.ndarray]:
    """Project every row on the simplex and update the multiplier (eq. 23, 24).

    Solves, for every row z of every view,  min_z  z'd / g + beta / V z'f
    + alpha ||z||^2 + y'(z - j) + mu / 2 ||z - j||^2  on the simplex; y += mu (z - j).

    Parameters
    ----------
    D, Y, Z : array of shape (V, N, M)
        C-contiguous NumPy arrays Y, Z and Zbar are overwritten.
    Zbar : array of shape (N, M)
    J : array of shape (V, n, M)
        The n rows to update.
    dF : array of shape (n, M)
    c : RowProblem
    first : int, default=0
        First of the rows to update; arrays of other libraries are updated as a whole.

    Returns
    -------
    Z, Y, Zbar : array
    sums : ndarray of shape (n or 1, V + 3)
        Summed over rows: z'd of every view, squared primal and dual residual, ||Z||^2.
    """
    if is_non_numpy(Z):
        return _update_on_device(D, J, Y, Z, dF, c)
    from mvgraph.mgl.kernels import steps as _kernels

    sums = np.zeros((len(dF), len(D) + 3))
    J, dF = np.ascontiguousarray(J), np.ascontiguousarray(dF)
    _kernels.update_graphs(D, J, Y, Z, dF, Zbar, first, c, sums)
    return Z, Y, Zbar, sums


def _update_on_device(
    D: Array, J: Array, Y: Array, Z: Array, dF: Array, c: RowProblem
) -> tuple[Array, Array, Array, np.ndarray]:
    """update_graphs view by view, for any array library; returns new arrays."""
    xp, V = namespace(Z), D.shape[0]
    newZ, newY, fits, others = [], [], [], []
    for v in range(V):
        x = c.mu * J[v, ...] - Y[v, ...] - D[v, ...] * float(c.inverse_g[v])
        z = project_simplex((x - c.beta_v * dF) / (c.mu + c.two_alpha))
        gap, change = z - J[v, ...], z - Z[v, ...]
        fits.append(xp.sum(D[v, ...] * z))
        others.append(xp.stack([xp.sum(a * a) for a in (gap, change, z)]))
        newZ.append(z)
        newY.append(Y[v, ...] + c.mu * gap)
    sums = np.concatenate([to_numpy(xp.stack(fits)), to_numpy(sum(others))])
    Z = xp.stack(newZ)
    return Z, xp.stack(newY), xp.mean(Z, axis=0), sums[None]
