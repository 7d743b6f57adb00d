"""MGL in order-free form, on the support of every sample.

With the basis ``identity`` slices are per anchor and nothing mixes anchors, so Z, J and
Y live on the few anchors that are near a sample in some view: tens of numbers a row
and view instead of M. One pass over the rows makes the J-, Z- and Y-step and adds up
all that the next F- and J-step need: M x M, M x V x V and V numbers.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.iteration import iterate
from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl.problem import BETA, Learned, Options
from mvgraph.mgl.sparse_block import graph_rows, make_block, step_block
from mvgraph.ops.linalg.gram_eigen import leading_pairs_of_gram
from mvgraph.ops.linalg.spectral import (
    compare_components,
    fix_signs,
    inverse_sqrt,
)
from mvgraph.ops.proximal.tensor import shrink_filters

__all__ = ["learn"]


class Settings(NamedTuple):
    """What stays fixed while the graphs are learned; see mgl_steps.Problem."""

    K: int
    M: int
    tensor_weight: float
    p: float
    eta: float
    tol: float
    alpha: float
    weight: np.ndarray  # (V,) factor of the distances of every view


class State(NamedTuple):
    """Sums over rows and what follows from them; the rows are with the engine."""

    C: np.ndarray  # (M, M) sum of weight zbar zbar'
    dq: np.ndarray  # (M,) column degrees of the mean graph
    G: np.ndarray  # (M, V, V) Gram matrices of Z + Y / mu
    Q: np.ndarray  # (M, K)
    s: np.ndarray  # (K + 1,) singular values
    g: np.ndarray  # (V,)
    mu: float
    beta: float
    settled: bool
    excess: int
    norm: float
    primal: float
    dual: float
    size: float  # ||Z||^2
    block: np.ndarray | None = None  # where the next F-step starts


def whole_sums(C, G, V: int) -> dict[str, Any]:
    """Make C, its row sums and G of State from what the kernels add up.

    Mean rows sum to one, so that the degrees of anchors are the row sums of C.
    """
    C = C + np.triu(C, 1).T
    full = np.empty((len(C), V, V))
    v, w = np.triu_indices(V)
    full[:, v, w] = full[:, w, v] = G
    return {"C": C, "dq": C.sum(axis=1), "G": full}


def first_state(settings: Settings, fit, C, G, mu: float, beta: float) -> State:
    """Make the state that follows from the closed-form graphs."""
    V = len(fit)
    s = State(
        **whole_sums(C, G, V),
        Q=np.zeros((settings.M, settings.K)),
        s=np.zeros(1),
        g=np.sqrt(settings.weight * fit),
        mu=mu,
        beta=beta,
        settled=False,
        excess=-1,
        norm=0.0,
        primal=np.inf,
        dual=np.inf,
        size=V,
    )
    return update_embedding(settings, s)


def update_embedding(settings: Settings, s: State) -> State:
    """F-step from the sums (eq. 13), rank test, beta; see mgl_steps."""
    scale = inverse_sqrt(s.dq)
    gram = scale[:, None] * s.C * scale
    Q, w, block = leading_pairs_of_gram(gram, settings.K, s.block)
    singular = np.sqrt(np.maximum(w, 0))
    excess = compare_components(singular, settings.K)
    beta = s.beta * 2.0**-excess if s.settled else s.beta
    return s._replace(Q=fix_signs(Q), s=singular, excess=excess, beta=beta, block=block)


def tensor_filters(settings: Settings, s: State) -> tuple[np.ndarray, float]:
    """J-step as a V x V filter an anchor, upper parts, and the shrunk tensor's norm."""
    W, t = shrink_filters(s.G, settings.tensor_weight / s.mu, settings.p)
    v, w = np.triu_indices(len(s.g))
    return np.ascontiguousarray(W[:, v, w].T), float((t**settings.p).sum())


def step(settings: Settings, engine: Any, s: State) -> State:
    """Make one pass over the rows, then mu, F and beta (algorithm 1)."""
    V = len(s.g)
    scale = inverse_sqrt(s.dq)[:, None]
    W, norm = tensor_filters(settings, s)
    toP = s.Q * scale / np.maximum(s.s[: settings.K], 1e-12) / np.sqrt(2)
    Q = s.Q * scale / np.sqrt(2)
    small = {
        "W": W,
        "H": Q @ toP.T,
        "qq": np.einsum("mk,mk->m", Q, Q),
        "inverse_g": settings.weight / np.maximum(s.g, 1e-150),
        "mu": s.mu,
        "two_alpha": 2 * settings.alpha,
        "beta_v": s.beta / V,
    }
    mu = min(s.mu * settings.eta, 1e12)
    sums, C, G = engine.step(partial(step_block, small=small, next_mu=mu))
    size = float(sums[V + 2])
    primal, dual = (float(np.sqrt(x / size)) for x in sums[V : V + 2])
    s = s._replace(
        **whole_sums(C, G, V),
        g=np.sqrt(settings.weight * sums[:V]),
        mu=mu,
        norm=norm,
        primal=primal,
        dual=dual,
        size=size,
        settled=s.settled or max(primal, dual) < settings.tol,
    )
    return update_embedding(settings, s)


def finished(s: State) -> bool:
    """Stop once the ADMM has settled on exactly K components."""
    return s.settled and s.excess == 0


def objective(settings: Settings, s: State) -> dict[str, Any]:
    """Return what the history keeps; the same keys as mgl_steps.objective."""
    trace = float(settings.K - s.s[: settings.K].sum())
    fit = float(s.g.sum()) + settings.alpha * s.size
    return {
        "objective": fit + settings.tensor_weight * s.norm + s.beta * trace,
        "primal_residual": s.primal,
        "dual_residual": s.dual,
        "beta": s.beta,
        "mu": s.mu,
        "n_components": int((s.s > 1 - 1e-7).sum()),
    }


def learn(
    engine: Any,
    source: Any,
    anchors: Anchors,
    options: Options,
    callback: Any = None,
) -> Learned:
    """Learn the graphs of all rows of a source; results in the order of the source.

    Parameters
    ----------
    engine : MemoryEngine or another engine
    source : Rows or anything with ``len`` and ``read`` that the engine can read
    anchors : Anchors
    options : Options
    callback : callable or None

    Returns
    -------
    Learned
    """
    o = options
    with engine:
        made = partial(
            make_block, anchors=anchors, n_neighbors=o.n_neighbors, dtype=o.dtype
        )
        count, alpha, fit, C, G = engine.start(made, source)
        settings, unit = _settings(o, anchors, alpha / np.maximum(count, 1), fit)
        first = first_state(settings, fit, C, G, o.mu * unit, BETA)
        last, history = iterate(
            partial(step, settings, engine),
            first,
            finished,
            o.max_iter,
            partial(objective, settings),
            callback,
        )
        scale = inverse_sqrt(last.dq)[:, None]
        to_embedding = last.Q * scale / np.maximum(last.s[: o.K], 1e-12) / np.sqrt(2)
        support, zbar, P = engine.gather(partial(graph_rows, to_embedding=to_embedding))
    return Learned(_to_csr(support, zbar, anchors.n_anchors), P, last.g, history)


def _settings(o: Options, anchors: Anchors, alpha, fit) -> tuple[Settings, float]:
    """Balance the views; see MGL."""
    weight = 1 / np.where(fit > 0, fit, 1) if o.balance else np.ones(len(fit))
    alpha = float((alpha * weight).mean())
    unit = max(alpha, 1e-12) if o.balance else 1.0
    settings = Settings(
        o.K, anchors.n_anchors, o.tensor_weight * unit, o.p, o.eta, o.tol, alpha, weight
    )
    return settings, unit


def _to_csr(support: np.ndarray, zbar: np.ndarray, M: int) -> sp.csr_matrix:
    used = (support >= 0) & (zbar > 0)
    indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    Z = sp.csr_matrix(
        (zbar[used], support[used], indptr), shape=(len(support), M), copy=False
    )
    Z.has_sorted_indices = True
    return Z
