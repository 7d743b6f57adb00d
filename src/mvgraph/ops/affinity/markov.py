"""Markov chains on samples: transition matrix, stationary distribution, reversal."""

from __future__ import annotations

import numpy as np

__all__ = ["stationary_distribution", "symmetrise_chain", "transition_matrix"]


def transition_matrix(W: np.ndarray) -> np.ndarray:
    """Divide every row by its sum, P = D^-1 W; rows without weight become absorbing.

    Parameters
    ----------
    W : ndarray of shape (n, n), non-negative

    Returns
    -------
    ndarray of shape (n, n)
        Rows sum to one.
    """
    degree = W.sum(axis=1)
    isolated = degree <= 0
    P = W / np.where(isolated, 1, degree)[:, None]
    P[isolated, isolated] = 1
    return P


def stationary_distribution(
    P: np.ndarray, *, tol: float = 1e-14, max_iter: int = 10_000
) -> np.ndarray:
    """Find the leading left eigenvector, pi' P = rho pi', by power iteration.

    Parameters
    ----------
    P : ndarray of shape (n, n)
        A transition matrix, or close to one: a few negative entries are allowed. If
        they dominate, the uniform distribution is returned.
    tol : float, default=1e-14
        Stop when no entry changes by more than tol times the largest entry.
    max_iter : int, default=10000

    Returns
    -------
    ndarray of shape (n,)
        Positive, sums to one.
    """
    n = len(P)
    pi = np.full(n, 1 / n)
    for _ in range(max_iter):
        new = pi @ P
        total = new.sum()
        if not total > 0:  # P is zero or negative entries dominate: no Markov chain
            return np.full(n, 1 / n)
        new /= total
        change = np.abs(new - pi).max()
        pi = new
        if change <= tol * pi.max():
            break
    pi = np.maximum(pi, 1e-12 / n)
    return np.asarray(pi / pi.sum())


def symmetrise_chain(P: np.ndarray) -> np.ndarray:
    """Symmetrise a chain by its stationary distribution.

    Computes  (R P R^-1 + (R P R^-1)') / 2,  R = diag(pi)^1/2: the symmetric form of the
    chain's additive reversal (Chung 2005), with eigenvalues in [-1, 1].

    Parameters
    ----------
    P : ndarray of shape (n, n)

    Returns
    -------
    ndarray of shape (n, n)
    """
    root = np.sqrt(stationary_distribution(P))
    S: np.ndarray = P * root[:, None]
    S /= root
    S += S.T.copy()
    S /= 2
    return S
