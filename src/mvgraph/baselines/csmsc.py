"""Consistent and specific multi-view subspace clustering (Luo et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.baselines._graph_results import spectral_fit
from mvgraph.ops.affinity.similarity import random_walk_embedding
from mvgraph.ops.arrays import Matrix, dense
from mvgraph.ops.proximal.threshold import shrink_columns, shrink_singular_values
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="csmsc",
    family="embedding",
    title="Subspace clustering with a common part and view-specific parts",
    reference="luo2018csmsc",
    cost="O(N r^2 + r^3) per step, r = rank of the joined views; O(N^2 r) at the end",
    memory="O(N^2)",
    needs_n_by_n=True,
    published=True,
)

MU, ETA, MU_MAX = 1e-6, 1.1, 1e6  # the schedule is part of the method
ERROR_CHANGE_TOL = 1e-7  # change of the error; not reached within 100 steps


class CSMSC(Clusterer):
    r"""Cluster by self-expression with a common and a view-specific part.

    **Solves** [luo2018]_, samples of length 1 in the columns of X_v,

    .. math:: \min \sum_v \|E_v\|_{2,1} + \lambda_c \|C\|_* + \lambda_d \sum_v
        \|D_v\|_F^2 \quad\text{s.t.}\quad X_v = X_v (C + D_v) + E_v

    then cuts the similarity ``(|C| + |C|') / 2 + sum_v (|D_v| + |D_v|') / (2 V)``.

    Parameters
    ----------
    n_clusters : int, default=8
    common_weight : float, default=0.5
        lambda_c > 0; the authors use 0.05 to 0.5.
    specific_weight : float, default=0.1
        lambda_d > 0; the authors use 0.1 to 1.
    scaling : str, default="none"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, before samples get length 1.
        Centred features (``zscore``) are unsuitable, since the method finds subspaces.
    max_iter : int, default=100
        Number of steps, at least 1; the result depends on it, since the iteration stops
        far from convergence.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Input of k-means, rows of length 1.
    graph_ : ndarray of shape (n_samples, n_samples)
        The similarity that is cut.
    n_iter_ : int
    history_ : list of dict
        objective, residual (squared error of self-expression), seconds per step.

    Notes
    -----
    A step takes O(N r^2) time, r <= min(N, d) the rank of the joined views, the cut
    O(N^2 r); memory O(N r + N^2) floats. The published steps are O(N^3); here they use
    exact coordinates: E_v is in the column space of X_v, D_v in its row space, C in the
    joint row space.

    References
    ----------
    .. [luo2018] Luo, Zhang, Zhang, Cao, "Consistent and specific multi-view subspace
       clustering", AAAI 2018, pages 3730-3737, :doi:`10.1609/aaai.v32i1.11617`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.csmsc import CSMSC
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(CSMSC(n_clusters=3, random_state=0).fit(X).labels_).tolist()
    [20, 20, 20]
    """

    common_weight: float = 0.5
    specific_weight: float = 0.1
    scaling: str = "none"
    max_iter: int = 100
    n_init: int = 20

    def _scaling_rule(self) -> str:
        return f"{self.scaling}+unit"

    def _fit(self, views: Views, run: Run) -> Result:
        N, K = len(views), self.n_clusters
        require_memory(5 * 8 * N**2, "A dense similarity", "use fewer samples.")
        c = joined_coordinates(scaled(views, self._scaling_rule()).arrays)
        parts = [Part(*[np.zeros_like(r)] * 6) for r in c.R]
        zero = np.zeros(c.B.T.shape)
        first = State(parts, zero, zero, MU, np.inf, np.inf, np.inf)
        state, history = iterate(
            partial(step, c, self.common_weight, self.specific_weight),
            first,
            lambda s: abs(s.change) < ERROR_CHANGE_TOL,
            self.max_iter,
        )
        Z = similarity(c, state)
        U = random_walk_embedding(Z, K)
        return spectral_fit(U, K, run, self.n_init, affinity=Z, history=history)


class Part(NamedTuple):
    """The iterates of a view; D_v = R' M, W is a copy of E."""

    M: Any
    E: Any
    W: Any
    Y1: Any  # multiplier of the self-expression
    Y3: Any  # of E = W
    common: Any  # T' G, which two steps need


class State(NamedTuple):
    """All iterates; C = B G, Y2 = B Y."""

    parts: list[Part]
    G: Any
    Y: Any
    mu: float
    objective: float
    residual: float  # squared error of self-expression
    change: float  # of the residual


def step(
    c: Coordinates, common_weight: float, specific_weight: float, s: State
) -> State:
    """Update D, E, W of every view, then K, C and the multipliers."""
    mu, parts, pull, cost = s.mu, [], -s.Y / s.mu, 0.0
    for R, power, T, a in zip(c.R, c.power, c.T, s.parts, strict=True):
        target = R + a.Y1 / mu
        M = (target - a.common - a.E) * (mu / (mu * power + 2 * specific_weight))
        E = (target - a.common - power * M + a.W - a.Y3 / mu) / 2
        W = shrink_columns(E + a.Y3 / mu, 1 / mu)
        parts.append(a._replace(M=M, E=E, W=W))
        pull += T @ (target - power * M - E)
        cost += np.linalg.norm(E, axis=0).sum()
        cost += specific_weight * np.sum(power * M**2)
    H, norm = shrink_singular_values(s.G + s.Y / mu, common_weight / mu)
    G, error = c.inverse @ (pull + H), 0.0
    for v, (R, power, T, a) in enumerate(zip(c.R, c.power, c.T, parts, strict=True)):
        common = T.T @ G
        gap = R - common - power * a.M
        error += float(np.sum(gap**2))
        Y1, Y3 = a.Y1 + mu * (gap - a.E), a.Y3 + mu * (a.E - a.W)
        parts[v] = a._replace(Y1=Y1, Y3=Y3, common=common)
    Y, cost = s.Y + mu * (G - H), float(cost + common_weight * norm)
    return State(parts, G, Y, min(mu * ETA, MU_MAX), cost, error, error - s.residual)


def similarity(c: Coordinates, s: State) -> np.ndarray:
    """Add up the similarities of samples from all parts."""
    Z = np.abs(c.B @ s.G)
    for R, a in zip(c.R, s.parts, strict=True):
        Z += np.abs(R.T @ a.M) / len(c.R)
    return (Z + Z.T) / 2


class Coordinates(NamedTuple):
    """Views in their own coordinates, and the coordinates of the joint row space."""

    R: list[np.ndarray]  # features of view v after a rotation, (r_v, n)
    power: list[np.ndarray]  # the diagonal matrix R R', (r_v, 1)
    T: list[np.ndarray]  # R_v = T_v' B', (r, r_v)
    B: np.ndarray  # orthonormal basis of the joint row space, (n, r)
    inverse: np.ndarray  # (sum T T' + I)^-1


def principal_coordinates(X: Matrix) -> np.ndarray:
    """Rotate features so that they are orthogonal, and drop those that vanish.

    The Gram matrix of the samples is kept, R'R = X X', and R R' is diagonal: R is S V'
    of the singular value decomposition X' = U S V'.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)

    Returns
    -------
    R : ndarray of shape (r, n), r <= min(n, d), r >= 1
    """
    n, d = X.shape
    w, U = scipy.linalg.eigh(dense(X.T @ X if d <= n else X @ X.T))
    keep = w > 1e-14 * max(w[-1], 1e-300)
    keep[-1] = True
    if d <= n:
        return np.ascontiguousarray((X @ U[:, keep]).T)
    return np.asarray(np.sqrt(np.maximum(w[keep], 0))[:, None] * U[:, keep].T)


def joined_coordinates(arrays: Sequence[Matrix]) -> Coordinates:
    """Find the coordinates of views; r is at most min(n, sum d_v).

    Parameters
    ----------
    arrays : sequence of ndarray or csr_matrix of shape (n, d_v)

    Returns
    -------
    Coordinates
    """
    R = [principal_coordinates(x.astype(np.float64, copy=False)) for x in arrays]
    power = [np.sum(r * r, axis=1, keepdims=True) for r in R]
    S = np.vstack(R)
    n = S.shape[1]
    B = np.eye(n) if len(S) >= n else np.linalg.qr(S.T)[0]
    T = [B.T @ r.T for r in R]
    inverse = np.linalg.inv(sum(t @ t.T for t in T) + np.eye(B.shape[1]))
    return Coordinates(R, power, T, B, inverse)
