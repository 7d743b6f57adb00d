"""Scaling rules for a view: fitted on its samples, applicable to new samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Matrix, dense
from mvgraph.ops.linalg.principal import principal_components
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views

#: Views with a smaller share of non-zero entries are treated as sparse by ``auto``.
SPARSE_SHARE = 0.2
#: Scaled values are clipped here: their squares, summed over features, stay finite.
MAX_SCALED = {np.dtype(np.float32): 1e15, np.dtype(np.float64): 1e100}
#: Lengths outside of these bounds are sums of squares that vanish or overflow.
SQUARED = {np.dtype(np.float32): (1e-17, 1e18), np.dtype(np.float64): (1e-150, 1e150)}


class Scaling(NamedTuple):
    """A fitted rule: x -> (x - shift) / scale, or an operation on every row."""

    rule: str
    shift: np.ndarray | float = 0.0
    scale: np.ndarray | float = 1.0

    def apply(self, x: Matrix) -> Matrix:
        """Scale samples; sparse input stays sparse unless the rule shifts it."""
        return _APPLY[self.rule](x, self)


def fit_scaling(x: Matrix, rule: str) -> tuple[Scaling, ...]:
    """Fit a scaling rule, or several joined by "+", to one view.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    rule : str
        ``auto``: ``unit`` if less than 20 % of the entries of several features are
        non-zero, else ``zscore``. ``zscore``: features to mean 0 and standard
        deviation 1 (ddof 1). ``unit``: samples to length 1. ``minmax``: features to
        [0, 1]. ``max``: the view divided by its largest value. ``rowz``: every sample
        minus its mean, divided by its standard deviation (ddof 1). ``centred``: minus
        the mean of the samples, then samples to length 1. ``roots``: square roots with
        the signs of the entries. ``tfidf``: counts to 1 + log, times idf, rows to
        length 1; views that are not sparse and non-negative fall back to ``auto``.
        ``none``: no change. Constant features and zero rows stay constant and zero.

    Returns
    -------
    tuple of Scaling
        To be applied in order; see :func:`scale_views`.

    Raises
    ------
    ValueError
        If a rule is unknown.
    """
    steps: list[Scaling] = []
    for name in str(rule).split("+"):
        if steps:  # the last step is not applied: rows that are centred become dense
            x = steps[-1].apply(x)
        if name not in RULES:
            known = f"one of {RULES}, or several joined by '+'"
            raise ValueError(f"scaling must be {known}; got {rule!r}.")
        if name == "auto" or (name == "tfidf" and not is_count_like(x)):
            name = "unit" if is_mostly_zero(x) else "zscore"
        steps.append(_RULES[name][0](x, name))
    return tuple(steps)


def fit_projection(x: Matrix, n_components: int) -> tuple[Scaling, ...]:
    """Fit the projection on the leading principal components of a scaled view.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    n_components : int

    Returns
    -------
    tuple of Scaling
        Empty if there are not more features than components.
    """
    if x.shape[1] <= n_components:
        return ()
    found = principal_components(x, n_components)
    axes = found.weights(np.eye(found.scores.shape[1]))
    return (Scaling("project", found.mean @ axes, axes),)


def scale_views(views: Views, scalings: Iterable[tuple[Scaling, ...]]) -> Views:
    """Apply the fitted scalings of each view."""
    arrays = [apply_steps(*pair) for pair in zip(views.arrays, scalings, strict=True)]
    return Views._trusted(arrays, views.names, views.ids, views.mask)


def apply_steps(x: Any, steps: tuple[Scaling, ...]) -> Any:
    """Scale one view; finite samples far outside the range of the fit stay finite."""
    with np.errstate(over="ignore"):
        for step in steps:
            x = step.apply(x)
    return _clip(x)


def _clip(x: Any) -> Any:
    """Clip values whose squares would overflow; NaN is kept."""
    values = x.data if sp.issparse(x) else x
    bound = MAX_SCALED[x.dtype]
    low = np.fmin.reduce(values, axis=None, initial=0)
    high = np.fmax.reduce(values, axis=None, initial=0)
    if -bound <= low and high <= bound:
        return x
    if not sp.issparse(x):
        return np.clip(x, -bound, bound)
    x = x.copy()
    x.data = np.clip(x.data, -bound, bound)
    return x


def is_count_like(x: Any) -> bool:
    """Return True if a view looks like word counts: sparse and non-negative."""
    values = x.data if sp.issparse(x) else x
    return _nonzero_share(x) < SPARSE_SHARE and not (values < 0).any()


def is_mostly_zero(x: Any) -> bool:
    """Return True if less than 20 % of the entries of several features are non-zero."""
    # a single feature of length 1 would be a sign
    return bool(x.shape[1] > 1 and _nonzero_share(x) < SPARSE_SHARE)


def _nonzero_share(x: Any) -> float:
    nonzero = x.count_nonzero() if sp.issparse(x) else np.count_nonzero(x)
    return float(nonzero / (x.shape[0] * x.shape[1]))


def _fit_nothing(x: Matrix, rule: str) -> Scaling:
    return Scaling(rule)


def _fit_zscore(x: Matrix, rule: str) -> Scaling:
    x = dense(x)
    peak = np.abs(x).max(axis=0)  # squares of 1e200 overflow, of 1e-200 vanish
    peak[peak == 0] = 1
    y = x / peak
    mean = y.mean(axis=0, dtype=np.float64)
    std = y.std(axis=0, ddof=min(1, len(x) - 1), dtype=np.float64)
    std[is_rounding(std, mean, len(x))] = np.inf  # constant -> 0
    return Scaling(rule, mean * peak, std * peak)


def is_rounding(std: np.ndarray, mean: np.ndarray, n: int) -> np.ndarray:
    """Return which columns deviate only by the rounding of a sum of n equal values.

    The bound of scikit-learn: n eps of the deviation, and n eps of the mean.
    """
    eps = np.finfo(std.dtype).eps
    return std**2 <= n * eps * std**2 + (n * eps * mean) ** 2


def _fit_minmax(x: Matrix, rule: str) -> Scaling:
    x = dense(x)
    low, span = x.min(axis=0), np.ptp(x, axis=0)
    return Scaling(rule, low, np.where(span > 0, span, np.inf))


def _fit_max(x: Matrix, rule: str) -> Scaling:
    top = float(x.max())
    top = top if top > 0 else float(abs(x).max())
    return Scaling(rule, 0.0, top if top > 0 else 1.0)


def _fit_centred(x: Matrix, rule: str) -> Scaling:
    peak = abs(x).max()
    peak = peak if peak > 0 else 1  # squares must not overflow
    mean = np.asarray((x / peak).mean(axis=0)).ravel()
    return Scaling(rule, mean, peak)


def _fit_tfidf(x: Any, rule: str) -> Scaling:
    documents = np.asarray((x > 0).sum(axis=0)).ravel()
    values = x.data if sp.issparse(x) else x[x > 0]
    idf = np.log((1 + x.shape[0]) / (1 + documents)) + 1
    sublinear = bool((values[values != 0] >= 1).all())  # counts, not weights
    return Scaling(rule, float(sublinear), idf)


def _affine(x: Any, s: Scaling) -> Matrix:
    if s.rule == "none":
        return x
    if sp.issparse(x) and np.ndim(s.shift) == 0 and s.shift == 0:
        return (x / s.scale).tocsr()
    return ((dense(x) - s.shift) / s.scale).astype(x.dtype, copy=False)


def _centred(x: Matrix, s: Scaling) -> np.ndarray:
    return row_normalise(dense(x) / s.scale - s.shift)


def _roots(x: Any, s: Scaling) -> Matrix:
    if sp.issparse(x):
        return sp.csr_matrix(x.sign().multiply(abs(x).sqrt()))
    return np.asarray(np.sign(x) * np.sqrt(np.abs(x)))


def _unit(x: Any, s: Scaling) -> Matrix:
    if sp.issparse(x):
        norms = _lengths(x)
        least, most = SQUARED[norms.dtype]
        far = ~((norms > least) & (norms < most))  # squares vanish or overflow
        far &= np.diff(x.tocsr().indptr) > 0  # but not rows of zeros
        if far.any():
            peak = np.where(far, abs(x).max(axis=1).toarray().ravel(), 1)
            x = sp.csr_matrix(x, copy=True)
            x.data /= np.repeat(np.where(peak > 0, peak, 1), np.diff(x.indptr))
            norms = _lengths(x)
        return (sp.diags(1 / np.where(norms > 0, norms, 1)) @ x).tocsr()
    peak = np.abs(x).max(axis=1, keepdims=True)
    y = x / np.where(peak > 0, peak, 1)
    norms = np.linalg.norm(y, axis=1, keepdims=True)
    return y / np.where(norms > 0, norms, 1)


def _lengths(x: sp.csr_matrix) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())


def _rowz(x: Matrix, s: Scaling) -> Matrix:
    x = dense(x)
    least, most = SQUARED[x.dtype]
    peak = np.abs(x).max(axis=1, keepdims=True)
    far = ((peak < least) | (peak > most)) & (peak > 0)  # squares vanish or overflow
    if far.any():
        x = x / np.where(far, peak, 1)
    mean = x.mean(axis=1, keepdims=True)
    centred = x - mean
    std = centred.std(axis=1, ddof=min(1, x.shape[1] - 1), keepdims=True)
    constant = is_rounding(std, mean, x.shape[1])
    return np.where(constant, 0, centred / np.where(constant, 1, std))


def _tfidf(x: Any, s: Scaling) -> Matrix:
    x = x.copy() if sp.issparse(x) else sp.csr_matrix(x)
    if s.shift:
        x.data = 1 + np.log(np.maximum(x.data, 1e-12))
    return _unit(x.multiply(s.scale).tocsr(), s)


def _project(x: Any, s: Scaling) -> np.ndarray:
    return np.asarray(x @ s.scale - s.shift).astype(x.dtype, copy=False)


#: How a rule is fitted, and how it is applied.
_RULES = {
    "zscore": (_fit_zscore, _affine),
    "unit": (_fit_nothing, _unit),
    "minmax": (_fit_minmax, _affine),
    "max": (_fit_max, _affine),
    "rowz": (_fit_nothing, _rowz),
    "centred": (_fit_centred, _centred),
    "roots": (_fit_nothing, _roots),
    "tfidf": (_fit_tfidf, _tfidf),
    "none": (_fit_nothing, _affine),
}
_APPLY = {name: rule[1] for name, rule in _RULES.items()} | {"project": _project}
RULES = ("auto", *_RULES)


def scaled(views: Views, rule: str) -> Views:
    """Scale every view by a rule that is fitted to it."""
    return scale_views(views, learn_scalings(views, rule))


def learn_scalings(
    views: Views, rule: str | Sequence[str]
) -> list[tuple[Scaling, ...]]:
    """Fit a rule, or one per view, to the samples that each view has."""
    rules = [rule] * views.n_views if isinstance(rule, str) else rule
    found = []
    for v, (x, own) in enumerate(zip(views.arrays, rules, strict=True)):
        found.append(fit_scaling(x if views.mask is None else x[views.mask[:, v]], own))
    return found
