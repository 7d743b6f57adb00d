"""The order-free form of MGL, on the sparsity pattern of every row.

With the basis ``identity`` there is one slice per anchor and no step mixes anchors.
Therefore Z, J and Y are non-zero only at the few anchors near a sample in some view:
tens of numbers per row and view instead of M. One pass over the rows performs the J-,
Z- and Y-step and computes the sums that the next F- and J-step need: M x M, M x V x V
and V numbers.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.iteration import iterate
from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl.kernels.records import StepTerms
from mvgraph.mgl.problem import (
    BETA,
    Controller,
    Learned,
    Parameters,
    Problem,
    finished,
    make_problem,
    objective,
    residuals,
    update_penalty,
    update_rank,
)
from mvgraph.mgl.sparse_block import graph_rows, make_block, step_block
from mvgraph.ops.linalg.gram_eigen import leading_pairs_of_gram
from mvgraph.ops.linalg.spectral import fix_signs, inverse_sqrt
from mvgraph.ops.proximal.tensor import shrink_filters

__all__ = ["State", "first_state", "learn_sparse_graphs", "step"]


class State(NamedTuple):
    """Sums over rows and what follows from them; the engine stores the rows."""

    weight: np.ndarray  # (V,) factors of the distances of the views
    C: np.ndarray  # (M, M) sum of weight zbar zbar'
    dq: np.ndarray  # (M,) column degrees of the mean graph
    G: np.ndarray  # (M, V, V) Gram matrices of Z + Y / mu
    Q: np.ndarray  # (M, K)
    c: Controller
    block: np.ndarray | None = None  # start of the next F-step


def learn_sparse_graphs(
    engine: Any,
    source: Any,
    anchors: Anchors,
    parameters: Parameters,
    callback: Any = None,
) -> Learned:
    """Learn the graphs of all rows of a source, in the order of the source.

    Parameters
    ----------
    engine : MemoryEngine or another engine
    source : ScaledRows, or any object with ``len`` and ``read``
    anchors : Anchors
    parameters : Parameters
    callback : callable or None

    Returns
    -------
    Learned
    """
    o = parameters
    with engine:
        made = partial(
            make_block, anchors=anchors, n_neighbors=o.n_neighbors, dtype=o.dtype
        )
        count, alpha, fit, C, G = engine.start(made, source)
        weight = 1 / np.where(fit > 0, fit, 1) if o.balance else np.ones(len(fit))
        problem, unit = make_problem(o, alpha / np.maximum(count, 1) * weight)
        last, history = iterate(
            partial(step, problem, engine),
            first_state(problem, weight, fit, C, G, o.mu * unit),
            lambda s: finished(s.c),
            o.max_iter,
            lambda s: objective(problem, s.c),
            callback,
        )
        to_embedding = _to_embedding(last, o.K)
        pattern, zbar, P = engine.gather(partial(graph_rows, to_embedding=to_embedding))
    return Learned(_to_csr(pattern, zbar, anchors.n_anchors), P, last.c.g, history)


def first_state(
    problem: Problem,
    weight: np.ndarray,
    fit: np.ndarray,
    C: np.ndarray,
    G: np.ndarray,
    mu: float,
    beta: float = BETA,
) -> State:
    """Return the state that follows from the closed-form graphs."""
    V = len(fit)
    c = Controller(np.sqrt(weight * fit), mu, beta, square=V)
    Q = np.zeros((len(C), problem.K))
    return update_embedding(problem, State(weight, *whole_sums(C, G, V), Q, c))


def step(problem: Problem, engine: Any, s: State) -> State:
    """Make one pass over the rows, then update mu, F and beta (algorithm 1)."""
    W, norm = tensor_filters(problem, s)
    Q = s.Q * inverse_sqrt(s.dq)[:, None] / np.sqrt(2)
    terms = StepTerms(
        W,
        Q @ _to_embedding(s, problem.K).T,
        np.einsum("mk,mk->m", Q, Q),
        s.weight / np.maximum(s.c.g, 1e-150),
        s.c.mu,
        2 * problem.alpha,
        s.c.beta / len(s.c.g),
        min(s.c.mu * problem.eta, 1e12),
    )
    sums, C, G = engine.step(partial(step_block, terms=terms))
    V = len(s.c.g)
    c = s.c._replace(g=np.sqrt(s.weight * sums[:V]), norm=norm)
    c = update_penalty(problem, residuals(sums, c))
    C, dq, G = whole_sums(C, G, V)
    return update_embedding(problem, s._replace(C=C, dq=dq, G=G, c=c))


def tensor_filters(problem: Problem, s: State) -> tuple[np.ndarray, float]:
    """Return the J-step as V x V filters per anchor (upper parts), and ||J||_Sp^p."""
    W, t = shrink_filters(s.G, problem.tensor_weight / s.c.mu, problem.p)
    v, w = np.triu_indices(len(s.c.g))
    return np.ascontiguousarray(W[:, v, w].T), float((t**problem.p).sum())


def update_embedding(problem: Problem, s: State) -> State:
    """F-step from the sums (eq. 13), with the rank test that adjusts beta."""
    scale = inverse_sqrt(s.dq)
    gram = scale[:, None] * s.C * scale
    Q, w, block = leading_pairs_of_gram(gram, problem.K, s.block)
    c = update_rank(problem, s.c, np.sqrt(np.maximum(w, 0)))
    return s._replace(Q=fix_signs(Q), c=c, block=block)


def whole_sums(
    C: np.ndarray, G: np.ndarray, V: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return C, its row sums and G of State from the sums of the kernels.

    Mean rows sum to one, so that the degrees of anchors are the row sums of C.
    """
    C = C + np.triu(C, 1).T
    full = np.empty((len(C), V, V))
    v, w = np.triu_indices(V)
    full[:, v, w] = full[:, w, v] = G
    return C, C.sum(axis=1), full


def _to_embedding(s: State, K: int) -> np.ndarray:
    """Return the matrix (M, K) that maps a mean row to its embedding P."""
    scale = inverse_sqrt(s.dq)[:, None]
    return np.asarray(s.Q * scale / np.maximum(s.c.singular[:K], 1e-12) / np.sqrt(2))


def _to_csr(pattern: np.ndarray, zbar: np.ndarray, M: int) -> sp.csr_matrix:
    used = (pattern >= 0) & (zbar > 0)
    indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    Z = sp.csr_matrix(
        (zbar[used], pattern[used], indptr), shape=(len(pattern), M), copy=False
    )
    Z.has_sorted_indices = True
    return Z
