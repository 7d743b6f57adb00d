"""Squared distances between the rows of a view, block by block.

Dense rows are multiplied as they are, whatever their number of features: products of
all pairs of a few thousand rows take less time than principal components. Sparse rows
stay sparse where that is faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mvgraph.ops.arrays import Float, Int, Matrix, dense
from mvgraph.ops.distance import squared_distances_at
from mvgraph.ops.shifted import Shifted

#: Sparse rows with a larger share of non-zero entries are multiplied as dense ones: a
#: step of a sparse product takes as long as some 500 of a dense one, and the steps grow
#: with the square of the share. Only up to so many entries, 200 MB.
SPARSE_PRODUCT, MAX_DENSE = 0.045, 50_000_000
#: Rows share a feature if their product is more than this part of their squared norms.
ROUNDING = 1e-6
#: Products of float32 are right to some 1e-7 of the squared norms: distances below this
#: part of them are computed again.
EXACT = 0.01
#: Products of so many features (at most) are taken from their leading directions, and
#: from so many of them, where there are twice as many rows: the rest of 784 pixels
#: changes no label, and the products take a third of the time.
DIRECTIONS, MOST_FEATURES = 256, 1_500
#: Distances by which views are compared, of rows drawn by content: at most so many
#: rows, and so many distances of all views together (40 MB).
COMPARED_ROWS, COMPARED = 128, 5_000_000


class ViewDistances(NamedTuple):
    """Distances d_ij = L_i R_j + low_i high_j between the rows of a view."""

    rows: Matrix | Shifted  # (n, d), float32
    known: np.ndarray  # (n,) False for rows that say nothing
    norms: np.ndarray  # (n,) squared, float64
    left: Matrix  # L (n, d)
    right: Matrix  # R (d, n)
    low: np.ndarray  # (n, r); no columns if the products say all
    high: np.ndarray  # (r, n)
    mean: float  # distance of two different rows that say something

    @classmethod
    def of(cls, rows: Matrix | Shifted, known: np.ndarray) -> ViewDistances:
        """Prepare the products.

        Parameters
        ----------
        rows : ndarray, csr_matrix or Shifted of shape (n, d)
        known : ndarray of bool, shape (n,)
            Rows that are False say nothing: they lie at the mean distance from all
            rows, and are no neighbours of any.
        """
        x, P, Q = Shifted.of(rows)
        norms = Shifted.of(rows).squared_norms().astype(np.float64)
        centre = Shifted.of(rows).transposed_times(known[:, None] / known.sum())
        mean = 2 * float(norms[known].mean() - (centre**2).sum())
        XQ, one = np.asarray(x @ Q), np.ones((len(P), 1))
        low = np.hstack([2 * XQ, 2 * P, norms[:, None], one])
        high = np.hstack([P, XQ - P @ (Q.T @ Q), one, norms[:, None]])
        if _multiplied_as_dense(x):
            x = dense(x)
        low, high = low.astype(np.float32), high.astype(np.float32)
        if isinstance(x, np.ndarray):
            x = _leading_directions(x)
        left, right = -2 * x, x.T
        if not sp.issparse(x):  # all in one product
            left, right = np.hstack([left, low]), np.hstack([x, high]).T
            low, high = low[:, :0], high[:, :0]
        right = sp.csr_matrix(right) if sp.issparse(x) else np.ascontiguousarray(right)
        mean = mean if mean > 0 else 1.0
        return cls(rows, known, norms, left, right, low, high.T, mean)

    def block(self, rows: slice) -> np.ndarray:
        """Return the distances of some rows from all rows, float32."""
        D = dense(self.left[rows] @ self.right)
        if self.low.shape[1]:
            D += self.low[rows] @ self.high
        np.maximum(D, 0, out=D)
        if not self.known.all():
            D[:, ~self.known] = self.mean
            D[~self.known[rows]] = self.mean
        return D

    def at(self, i: Int, j: Int) -> Float:
        """Return the exact distances of pairs of rows, float64."""
        x, P, Q = Shifted.of(self.rows)
        D = squared_distances_at(x, x, i, j)
        if P.shape[1]:
            XQ, gap = np.asarray(x @ Q), P[i] - P[j]
            D -= 2 * np.einsum("er,er->e", XQ[i] - XQ[j], gap)
            D += np.einsum("er,er->e", gap @ (Q.T @ Q), gap)
        return np.where(self.known[i] & self.known[j], np.maximum(D, 0), self.mean)

    def close(self, i: Int, j: Int, distances: Float) -> np.ndarray:
        """Return which distances, from `block`, are small beside what was summed."""
        return np.asarray(distances < EXACT * (self.norms[i] + self.norms[j]))

    def unlinked(self, i: Int, j: Int, distances: Float) -> np.ndarray:
        """Return which pairs are no neighbours, however few others there are.

        One of the rows says nothing, or sparse rows have no feature in common.
        """
        apart = ~(self.known[i] & self.known[j])
        if sp.issparse(self.rows):
            both = self.norms[i] + self.norms[j]
            apart |= both - distances <= ROUNDING * both
        return np.asarray(apart)


def _multiplied_as_dense(x: Matrix) -> bool:
    entries = np.prod(x.shape)
    share = sp.csr_matrix(x).nnz / entries if sp.issparse(x) else 1.0
    return bool(share > SPARSE_PRODUCT and entries <= MAX_DENSE)


def _leading_directions(x: np.ndarray) -> np.ndarray:
    """Turn rows so that few of their features hold nearly all of their products."""
    n, d = x.shape
    if not (2 * DIRECTIONS <= d <= MOST_FEATURES and n >= 2 * d):
        return x
    V = scipy.linalg.eigh(x.T @ x, subset_by_index=[d - DIRECTIONS, d - 1])[1]
    return np.asarray(x @ V.astype(x.dtype))


def counted_once(views: list[ViewDistances]) -> np.ndarray:
    """Return weights of views by which correlated ones count once.

    The weight is 1 / sum of the squared correlations of the view's distances with those
    of all views, itself included: 1 / 2 for each of two views that say the same, 1 for
    one that says something else.

    Returns
    -------
    ndarray of shape (V,), mean one
    """
    n, V = len(views[0].known), len(views)
    if V == 1:
        return np.ones(1)
    m = int(np.clip(COMPARED // (V * n), 1, min(COMPARED_ROWS, n)))
    other = ~np.eye(m, n, dtype=bool)
    D = np.stack([view.block(slice(0, m))[other].astype(np.float64) for view in views])
    D -= D.mean(axis=1, keepdims=True)
    length = np.sqrt((D**2).sum(axis=1))
    D /= np.where(length > 0, length, 1)[:, None]
    R = np.maximum(D @ D.T, 0)
    np.fill_diagonal(R, 1)
    w = 1 / (R**2).sum(axis=1)
    return np.asarray(w * V / w.sum())
