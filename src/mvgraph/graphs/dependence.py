"""Which views have clusters that depend on those of another view."""

from __future__ import annotations

import numpy as np

#: Two views are linked if their chi-square lies so many standard deviations above its
#: mean over shuffled rows: by the normal law, one false pair in 30,000.
LINK_Z = 4.0
#: Views that a view is compared with, those that follow it in order of content. All
#: pairs of 100 views take a second.
MAX_PARTNERS = 100


def linked_views(
    own: list[np.ndarray],
    mask: np.ndarray | None = None,
    max_partners: int = MAX_PARTNERS,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the views whose clusters depend on those of another view.

    A view of pure noise, or one with clear clusters of something else, agrees with no
    other view better than chance. With one or two views nothing can be told apart, and
    where no pair is linked all views are kept.

    Parameters
    ----------
    own : list of V arrays of int, shape (N,)
        A partition of every view alone.
    mask : ndarray of bool, shape (N, V), or None
        False where a view lacks a row; a pair is compared on rows that both have.
    max_partners : int, optional

    Returns
    -------
    linked : ndarray of bool, shape (V,)
    z : ndarray of shape (V, V)
        Standardised chi-square of the pairs of views; 0 for pairs that were not
        compared.
    """
    V = len(own)
    most = min(V, max_partners + 1)
    z = np.zeros((V, V))
    for u in range(V):
        for v in ((u + step) % V for step in range(1, most)):
            if z[u, v] == 0:
                rows = slice(None) if mask is None else mask[:, u] & mask[:, v]
                z[u, v] = z[v, u] = dependence(own[u][rows], own[v][rows])
    linked = z.max(axis=1) > LINK_Z
    if V <= 2 or not linked.any():
        linked = np.ones(V, dtype=bool)
    return linked, z


def dependence(a: np.ndarray, b: np.ndarray) -> float:
    """Standardise the chi-square of two partitions by its law under shuffled rows.

    Mean and variance over all permutations of the rows are exact [lewis1984]_.

    Parameters
    ----------
    a, b : ndarray of int, shape (N,)

    Returns
    -------
    float
        0 where either has a single cluster, or there are fewer than four rows.

    References
    ----------
    .. [lewis1984] Lewis, Saunders, Westcott, "The moments of the Pearson chi-squared
       statistic and the minimum expected value in two-way tables", Biometrika 71(3),
       1984, :doi:`10.1093/biomet/71.3.515`.
    """
    N = len(a)
    width = int(b.max()) + 1 if N else 1
    table = np.bincount(a * width + b) if N else np.zeros(1)
    table = np.pad(table, (0, -len(table) % width)).reshape(-1, width).astype(float)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    table = table[rows > 0][:, columns > 0]
    rows, columns = rows[rows > 0], columns[columns > 0]
    r, c = table.shape
    if r < 2 or c < 2 or N < 4:
        return 0.0
    chi_square = N * (float((table**2 / np.outer(rows, columns)).sum()) - 1)
    mean = N * (r - 1) * (c - 1) / (N - 1)
    v1, v2 = ((q - 1) * (N - q) / (N - 1) for q in (r, c))
    w1, w2 = (
        (N * float((1 / sizes).sum()) - q**2) / (N - 2)
        for sizes, q in ((rows, r), (columns, c))
    )
    variance = 2 * N / (N - 3) * (v1 - w1) * (v2 - w2) + N**2 / (N - 1) * w1 * w2
    return float((chi_square - mean) / np.sqrt(max(variance, 1e-12)))
