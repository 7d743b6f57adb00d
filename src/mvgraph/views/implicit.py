"""Standardised views that stay sparse: shifts are kept apart from the entries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from mvgraph.ops.arrays import Matrix
from mvgraph.ops.shifted import Shifted, join_shifted
from mvgraph.views.scaling import apply_steps, fit_scaling, is_rounding


def scale_implicitly(x: Matrix, rule: str) -> Shifted:
    """Scale a view as :func:`mvgraph.views.scaling.fit_scaling` does, in float64.

    Sparse views are not made dense: ``Shifted.x`` holds the scaled entries, the rest is
    of rank one.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    rule : {"zscore", "minmax", "rowz"}

    Returns
    -------
    Shifted
    """
    if sp.issparse(x):
        return _SPARSE[rule](sp.csr_matrix(x, dtype=np.float64))
    x = np.asarray(x[:], dtype=np.float64)
    return Shifted.of(apply_steps(x, fit_scaling(x, rule)))


def join_implicit(parts: list[Shifted]) -> np.ndarray | Shifted:
    """Join the features of scaled views; an array if all views are."""
    if all(isinstance(part.x, np.ndarray) for part in parts):
        return np.hstack([part.x for part in parts])
    return join_shifted(parts)


def _zscore(x: sp.csr_matrix) -> Shifted:
    n = x.shape[0]
    peak = _no_zeros(abs(x).max(axis=0).toarray().ravel())
    y = sp.csr_matrix(x @ sp.diags(1 / peak))  # squares of 1e200 overflow
    mean, variance = mean_variance_axis(y, axis=0)
    std = np.sqrt(variance * n / max(n - 1, 1))
    constant = is_rounding(std, mean, n)
    scale = np.where(constant, 0, 1 / np.where(constant, 1, std))
    return _columns(y, mean, scale)


def _minmax(x: sp.csr_matrix) -> Shifted:
    low, high = (m.toarray().ravel() for m in (x.min(axis=0), x.max(axis=0)))
    span = high - low
    return _columns(x, low, np.where(span > 0, 1 / _no_zeros(span), 0))


def _columns(x: sp.csr_matrix, shift: np.ndarray, scale: np.ndarray) -> Shifted:
    """Represent (x - shift) * scale, by column."""
    scaled = sp.csr_matrix(x @ sp.diags(scale))
    return Shifted(scaled, np.ones((x.shape[0], 1)), (shift * scale)[:, None])


def _rowz(x: sp.csr_matrix) -> Shifted:
    turned = _zscore(sp.csr_matrix(x.T))
    return Shifted(sp.csr_matrix(turned.x.T), turned.Q, turned.P)


def _no_zeros(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, 1)


_SPARSE: dict[str, Callable[[sp.csr_matrix], Shifted]] = {
    "zscore": _zscore,
    "minmax": _minmax,
    "rowz": _rowz,
}
