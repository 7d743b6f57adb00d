"""Tests of every column, one group of rows against all other rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy import special, stats

from mvgraph.ops.arrays import Matrix
from mvgraph.ops.labels import cluster_sums

#: Values of a dense matrix that are cast and squared at a time.
BLOCK = 2**22


class GroupTest(NamedTuple):
    """Signed statistics and two-sided p-values, groups x columns."""

    score: np.ndarray
    pvalue: np.ndarray


def mann_whitney(x: Matrix, groups: np.ndarray, n_groups: int) -> GroupTest:
    """Test whether values of a group tend to be larger, or smaller, than the others.

    The rank sum in its normal approximation, with corrections for ties and for
    continuity, as ``scipy.stats.mannwhitneyu(method="asymptotic")``. Zeros of a column
    share one rank, so that only the other values are sorted.

    Parameters
    ----------
    x : ndarray or sparse matrix of shape (n, d)
    groups : ndarray of int, shape (n,)
        From 0 to ``n_groups - 1``.
    n_groups : int

    Returns
    -------
    GroupTest
        Scores are z: positive where values inside are larger. 0 and 1 where nothing
        can be compared: constant columns, groups without rows or with all rows.

    References
    ----------
    Mann, Whitney, "On a test of whether one of two random variables is stochastically
    larger than the other", Annals of Mathematical Statistics 18, 1947,
    :doi:`10.1214/aoms/1177730491`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.ops.group_tests import mann_whitney
    >>> x = np.array([[5.0, 0], [6, 1], [7, 0], [0, 1], [1, 0], [2, 1]])
    >>> found = mann_whitney(x, np.array([0, 0, 0, 1, 1, 1]), 2)
    >>> found.score.round(2).tolist(), found.pvalue[0].round(2).tolist()
    ([[1.75, -0.5], [-1.75, 0.5]], [0.08, 0.62])
    """
    n, d = x.shape
    size = np.bincount(groups, minlength=n_groups).astype(float)
    sums, ties = np.empty((n_groups, d)), np.empty(d)
    for j, (rows, values) in enumerate(_columns(x)):
        sums[:, j], ties[j] = _rank_sums(values, groups[rows], size)
    inside, outside = size[:, None], n - size[:, None]
    excess = sums - inside * (n + 1) / 2  # U less its mean
    spread = (n + 1) - ties / max(n * (n - 1), 1)
    s = np.sqrt(inside * outside / 12 * np.maximum(spread, 0))
    far = np.maximum(np.abs(excess) - 0.5, 0)
    z = np.sign(excess) * np.divide(far, s, out=np.zeros_like(s), where=s > 0)
    return GroupTest(z, 2 * special.ndtr(-np.abs(z)))


def welch(
    x: Matrix, groups: np.ndarray, n_groups: int, *, block_values: int = BLOCK
) -> GroupTest:
    """Test whether the mean of a group differs, with unequal variances.

    As ``scipy.stats.ttest_ind(equal_var=False)``.

    Parameters
    ----------
    x, groups, n_groups : as in `mann_whitney`
    block_values : int, default=4194304
        Values of a dense x that are cast and squared at a time.

    Returns
    -------
    GroupTest
        Scores are t: positive where the mean inside is larger. 0 and 1 for constant
        columns and for fewer than two rows inside or outside; infinite and 0 where
        both sides are constant and differ.

    References
    ----------
    Welch, "The generalization of Student's problem when several different population
    variances are involved", Biometrika 34, 1947, :doi:`10.1093/biomet/34.1-2.28`.
    """
    peak = float(abs(x).max())
    unit = peak if peak > 0 else 1.0
    size, mean, square = _moments(x, groups, n_groups, unit, block_values)
    n = size.sum()
    outside = n - size
    mean_out, square_out = np.zeros_like(mean), np.zeros_like(square)
    for k in range(n_groups):  # of the others, around their joint mean
        others = np.arange(n_groups) != k
        mean_out[k] = (size[others] * mean[others]).sum(axis=0) / max(outside[k, 0], 1)
        shift = mean[others] - mean_out[k]
        square_out[k] = (square[others] + size[others] * shift**2).sum(axis=0)
    var = square / np.maximum(size - 1, 1)
    var_out = square_out / np.maximum(outside - 1, 1)
    several = (size > 1) & (outside > 1)
    rounding = 1e-12 * np.maximum(np.abs(mean), np.abs(mean_out))
    tested = several & (var + var_out > rounding**2)
    apart = several & ~tested & (np.abs(mean - mean_out) > rounding)
    with np.errstate(invalid="ignore", divide="ignore"):
        t, p = stats.ttest_ind_from_stats(
            mean, np.sqrt(var), size, mean_out, np.sqrt(var_out), outside, False
        )
    t = np.where(tested, t, np.where(apart, np.copysign(np.inf, mean - mean_out), 0.0))
    return GroupTest(t, np.where(tested, p, np.where(apart, 0.0, 1.0)))


def group_means(x: Matrix, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the means of the columns in every group; 0 for one without rows."""
    sums = cluster_sums(x, groups, n_groups)
    size = np.bincount(groups, minlength=n_groups)[:, None]
    return np.asarray(sums / np.maximum(size, 1))


def positive_shares(x: Matrix, groups: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the share of values above zero in every group and column."""
    above = x > 0
    above = above if sp.issparse(above) else np.asarray(above)
    return group_means(above.astype(np.float64), groups, n_groups)


def _columns(x: Matrix) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows and values of the non-zero entries of every column."""
    if not sp.issparse(x):
        for column in np.asarray(x).T:
            rows = np.flatnonzero(column)
            yield rows, column[rows].astype(np.float64)
        return
    columns = sp.csc_matrix(x, copy=True)  # a copy: it is sorted in place
    columns.sum_duplicates()
    columns.eliminate_zeros()
    for start, stop in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        yield columns.indices[start:stop], columns.data[start:stop].astype(np.float64)


def _rank_sums(
    values: np.ndarray, groups: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, float]:
    """Sum the ranks of one column by group; return also its ties, sum of t^3 - t.

    Parameters
    ----------
    values, groups : ndarray
        Of the rows where the column is not zero.
    size : ndarray of shape (K,)
        Rows of every group.
    """
    K = len(size)
    order = np.argsort(values, kind="stable")
    values, groups = values[order], groups[order]
    n_zero = size.sum() - len(values)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]][: len(values)])
    count = np.diff(np.r_[starts, len(values)])
    rank = starts + (count + 1) / 2 + np.where(values[starts] > 0, n_zero, 0)
    sums = np.bincount(groups, weights=np.repeat(rank, count), minlength=K)
    zeros = size - np.bincount(groups, minlength=K)
    n_negative = np.searchsorted(values, 0)
    tied = np.r_[count, n_zero].astype(float)
    ties = float((tied**3 - tied).sum())
    return sums + zeros * (n_negative + (n_zero + 1) / 2), ties


def _moments(
    x: Matrix, groups: np.ndarray, n_groups: int, unit: float, block_values: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sizes (K, 1), means and sums of squares around them, (K, d), of x / unit.

    Squares are summed around the means: the difference of two large sums is inexact.
    """
    n, d = x.shape
    size = np.bincount(groups, minlength=n_groups)[:, None].astype(float)
    if sp.issparse(x):
        entries = sp.coo_matrix(sp.csr_matrix(x, dtype=np.float64) / unit)
        entries.sum_duplicates()
        mean = group_means(entries.tocsr(), groups, n_groups)
        cell = groups[entries.row] * np.int64(d) + entries.col
        apart = (entries.data - mean.ravel()[cell]) ** 2
        far = np.bincount(cell, weights=apart, minlength=n_groups * d)
        zeros = size - np.bincount(cell, minlength=n_groups * d).reshape(-1, d)
        return size, mean, far.reshape(-1, d) + zeros * mean**2
    mean, square = np.empty((n_groups, d)), np.empty((n_groups, d))
    step = max(1, block_values // max(n, 1))
    for start in range(0, d, step):
        at = slice(start, start + step)
        part = np.asarray(x[:, at], dtype=np.float64) / unit
        mean[:, at] = group_means(part, groups, n_groups)
        apart = (part - mean[groups, at]) ** 2
        square[:, at] = group_means(apart, groups, n_groups) * size
    return size, mean, square
