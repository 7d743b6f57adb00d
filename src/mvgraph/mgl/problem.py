"""The numbers of the problem of MGL, and the rules by which they change.

Letters of the paper: N samples, M anchors, V views, K clusters; Z the graphs, J their
low-rank copy, Y the multiplier, F = [P; Q] the embedding of samples and anchors, D the
squared distances, mu the penalty, beta the weight of the rank constraint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.mgl.method import DEFAULT, Recipe
from mvgraph.ops.linalg.spectral import compare_components


class Problem(NamedTuple):
    """What stays fixed while the graphs are learned."""

    K: int
    n_neighbors: int
    tensor_weight: float  # lambda
    p: float
    mu: float  # the first
    eta: float
    tol: float
    max_iter: int
    basis: str
    recipe: Recipe = DEFAULT
    alpha: float = 0.0  # mean regularisation of the rows; known once graphs are built


class Controller(NamedTuple):
    """Weights of the penalty and the rank constraint, and the values they depend on."""

    g: np.ndarray  # (V,), sqrt of sum d Z of every view
    mu: float
    beta: float = DEFAULT.beta
    converged: bool = False  # the ADMM has converged: beta is adjusted from then on
    rank_gap: int = -1  # sign of components - K: -1 fewer, 0 exactly K, 1 more
    singular: np.ndarray = np.zeros(1)  # (K + 1,), of the normalised mean graph
    norm: float = 0.0  # ||J||_Sp^p
    square: float = 0.0  # ||Z||^2
    primal: float = np.inf  # ||Z - J|| / ||Z||
    dual: float = np.inf  # ||Z - Z_old|| / ||Z||


class Learned(NamedTuple):
    """The mean graph (N, M), the embedding P, g of every view and the history."""

    Z: sp.csr_matrix
    P: np.ndarray
    g: np.ndarray
    history: list[dict[str, Any]]


def residuals(sums: np.ndarray, c: Controller) -> Controller:
    """Read residuals and ||Z||^2 from the last three sums over rows of a step."""
    primal, dual, square = (float(x) for x in sums[-3:])
    norm = np.sqrt(square)
    return c._replace(
        square=square,
        primal=float(np.sqrt(primal) / norm),
        dual=float(np.sqrt(dual) / norm),
    )


def update_penalty(problem: Problem, c: Controller) -> Controller:
    """Raise mu, and test the residuals for convergence."""
    mu = min(c.mu * problem.eta, problem.recipe.max_mu)
    converged = c.converged or max(c.primal, c.dual) < problem.tol
    return c._replace(mu=mu, converged=converged)


def update_rank(problem: Problem, c: Controller, singular: np.ndarray) -> Controller:
    """Test the rank; double beta if there are too few components, halve if too many."""
    gap = compare_components(singular, problem.K)
    beta = c.beta * 2.0**-gap if c.converged else c.beta
    return c._replace(singular=singular, rank_gap=gap, beta=beta)


def finished(c: Controller) -> bool:
    """Return True if the ADMM has converged to exactly K components."""
    return c.converged and c.rank_gap == 0


def objective(problem: Problem, c: Controller) -> dict[str, Any]:
    """Return the history entry of an iterate."""
    fit = float(c.g.sum()) + problem.alpha * c.square
    trace = float(problem.K - c.singular[: problem.K].sum())  # tr(F' L F)
    return {
        "objective": fit + problem.tensor_weight * c.norm + c.beta * trace,
        "primal_residual": c.primal,
        "dual_residual": c.dual,
        "beta": c.beta,
        "mu": c.mu,
        "n_components": int((c.singular > 1 - 1e-7).sum()),
    }
