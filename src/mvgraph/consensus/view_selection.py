"""View selection: which views have clusters that depend on those of another view."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.labels import indicator
from mvgraph.ops.linalg.bipartite_spectral import normalised_biadjacency

__all__ = ["linked_views"]

#: A pair of views is linked if its chi-square lies so many standard deviations above
#: the mean of shuffled rows.
LINK_Z = 4.0
N_PERMUTATIONS = 50


def linked_views(
    own: list[np.ndarray],
    K: int,
    rng: np.random.Generator,
    mask: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the views whose clusters depend on those of another view.

    A view of pure noise, or one with clear clusters of something else, agrees with no
    other view better than chance. With one or two views nothing can be told apart, and
    where no pair is linked all views are kept.

    Parameters
    ----------
    own : list of V arrays of int, shape (runs, N)
        Partitions of every view alone.
    K : int
    rng : Generator
    mask : ndarray of bool, shape (N, V), or None
        False where a view lacks a row; a pair is compared on rows that both have.

    Returns
    -------
    linked : ndarray of bool, shape (V,)
    z : ndarray of shape (V, V)
        Standardised chi-square of every pair of views.
    """
    V, N = len(own), own[0].shape[1]
    z = np.zeros((V, V))
    if mask is None:
        H = [_memberships(runs, K) for runs in own]
        shuffles = [rng.permutation(N) for _ in range(N_PERMUTATIONS)]
        for u, v in combinations(range(V), 2):
            z[u, v] = z[v, u] = _dependence(H[u], H[v], shuffles)
    else:
        for u, v in combinations(range(V), 2):
            both = np.flatnonzero(mask[:, u] & mask[:, v])
            shuffles = [rng.permutation(len(both)) for _ in range(N_PERMUTATIONS)]
            a, b = (_memberships(own[w][:, both], K) for w in (u, v))
            z[u, v] = z[v, u] = _dependence(a, b, shuffles) if len(both) else 0
    linked = z.max(axis=1) > LINK_Z
    if V <= 2 or not linked.any():
        linked = np.ones(V, dtype=bool)
    return linked, z


def _memberships(runs: np.ndarray, K: int) -> sp.csr_matrix:
    """Memberships in the clusters of all runs, columns scaled by 1 / sqrt(size)."""
    return normalised_biadjacency(indicator(runs, K))


def _dependence(a, b, shuffles: list[np.ndarray]) -> float:
    """Chi-square in standard deviations above the mean of shuffled rows."""
    null = np.array([_chi_square(a[p], b) for p in shuffles])
    return (_chi_square(a, b) - float(null.mean())) / max(float(null.std()), 1e-12)


def _chi_square(a: sp.csr_matrix, b: sp.csr_matrix) -> float:
    return float((a.T @ b).power(2).sum())
