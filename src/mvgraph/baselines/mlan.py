"""MLAN: multi-view learning with adaptive neighbours."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.base.parameters import ParameterError
from mvgraph.baselines._graph_results import component_fit
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import (
    closed_form_weights,
    nearest_others,
    rows_to_csr,
)
from mvgraph.ops.distance import join_features, squared_distances_at
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="mlan",
    family="one graph",
    title="One graph with K components from the distances in all views",
    reference="nie2017mlan",
    cost="O(N^2 d) + a sparse eigenproblem per step",
    memory="O(V N k) + sparse factor",
    published=True,
)


class State(NamedTuple):
    """Iterates, on the neighbours."""

    cut: rank.Cut
    S: np.ndarray  # (N, k), rows on the simplex
    idx: np.ndarray  # (N, k) neighbours
    D: np.ndarray  # (V, N, k) distances to them, unscaled
    scale: np.ndarray  # (V,) factors of the distances of every view
    traces: np.ndarray  # (V,) sum of the scaled distances times S


class MLAN(Clusterer):
    r"""Learn one graph with K components from the distances in all views.

    **Solves**

    .. math:: \min_{S, F'F = I} \sum_v \sqrt{\sum_{ij} d_{ij}^{(v)} s_{ij}}
        + \alpha \|S\|_F^2 + 2 \lambda\, \mathrm{tr}(F' L_S F)

    rows of S on the simplex, through view weights
    :math:`w_v = 1 / (2 \sqrt{\sum d^{(v)} s})`; lambda is adjusted until S has K
    components [nie2017]_, [nie2018]_.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    scaling : str, default="auto"
        See :func:`mvgraph.views.scaling.fit_scaling`; published: ``rowz``.
    n_neighbors : int, default=9, at least 1
    weight : float or "random", default=1.0
        First lambda, > 0; ``random``: an integer from 1 to 30, as published.
    compound : bool, default=True
        Apply new weights to the already weighted distances, as published.
    resort : bool, default=False
        Choose neighbours in every step by the weighted distances; published: once.
    max_iter : int, default=30
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
        Components of ``graph_``, numbered by first occurrence.
    graph_ : csr_matrix of shape (n_samples, n_samples)
        (S + S') / 2.
    embedding_ : ndarray of shape (n_samples, n_clusters)
    view_weights_ : ndarray of shape (n_views,)
        Factors of the distances of each view in the last step.
    n_components_, n_iter_ : int
        If there are not K components, a ConvergenceWarning is issued.
    history_ : list of dict
        objective, residual (tr F'LF), weight, n_components, seconds of every step.

    Notes
    -----
    Time O(N^2 d) for the neighbours (in every step with ``resort``) and, per step,
    O(N d k) and a sparse eigenproblem for K + 1 pairs. Memory O(V N k) and a sparse
    factorisation. Departure: more than K components at the start are returned with a
    warning.

    References
    ----------
    .. [nie2017] Nie, Cai, Li, "Multi-view clustering and semi-supervised classification
       with adaptive neighbours", AAAI 2017, :doi:`10.1609/aaai.v31i1.10909`.
    .. [nie2018] Nie, Cai, Li, Li, IEEE TIP 27(3), :doi:`10.1109/TIP.2017.2754939`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.mlan import MLAN
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(MLAN(n_clusters=2).fit([X, X**3]).labels_)
    array([20, 20])
    """

    scaling: str = "auto"
    n_neighbors: int = 9
    weight: float | str = 1.0
    compound: bool = True
    resort: bool = False
    max_iter: int = 30

    def _fit(self, views: Views, run: Run) -> Result:
        if isinstance(self.weight, str) and self.weight != "random":
            raise ParameterError(
                f"weight must be > 0 or 'random'; got {self.weight!r}."
            )
        views = scaled(views, self.scaling)
        weight = run.rng.integers(1, 31) if self.weight == "random" else self.weight
        s, alpha = self._start(views.arrays, float(weight))
        s, history = iterate(
            lambda s: self._step(s, views.arrays, alpha),
            s,
            lambda s: s.cut.rank_gap == 0,
            self.max_iter if s.cut.rank_gap <= 0 else 0,
            lambda s: _record(s, alpha),
        )
        remedy = "Raise max_iter or weight, or change scaling or n_neighbors."
        return component_fit(s.cut.symmetric, s.cut.F, history, remedy, s.scale)

    def _start(self, X: tuple, weight: float) -> tuple[State, float]:
        """Link nearest neighbours by the mean distance, with weights in closed form."""
        n, V = X[0].shape[0], len(X)
        k = max(min(self.n_neighbors, n - 2), 1)
        idx, d = _neighbors(X, np.full(V, 1 / V), k)
        S, gamma = closed_form_weights(d)
        cut = rank.start_cut(rows_to_csr(idx, S, n), self.n_clusters, weight)
        D, alpha = _distances(X, idx), max(gamma.mean(), 1e-9 * d.mean(), 1e-99)
        return State(cut, S, idx, D, np.ones(V), (D * S).sum(axis=(1, 2))), alpha

    def _step(self, s: State, X: tuple, alpha: float) -> State:
        """Weight the views, solve for S on the neighbours, adjust lambda."""
        w = 1 / (2 * np.sqrt(np.maximum(s.traces, 1e-24)))
        scale = np.minimum(s.scale * w, 1e99) if self.compound else w
        idx = _neighbors(X, scale, s.S.shape[1])[0] if self.resort else s.idx
        D = _distances(X, idx) if self.resort else s.D
        pull = s.cut.weight * _distances((s.cut.F,), idx)[0]
        S = project_simplex(-(np.tensordot(scale, D, 1) + pull) / (2 * alpha))
        cut = rank.rank_step(s.cut, lambda F, weight: rows_to_csr(idx, S, len(S)))
        kept = scale if self.compound else np.ones(len(X))
        return State(cut, S, idx, D, scale, kept * (D * S).sum(axis=(1, 2)))


def _record(s: State, alpha: float) -> dict[str, Any]:
    data = float(np.sqrt(s.traces).sum() + alpha * (s.S**2).sum())
    return {"objective": data + 2 * s.cut.weight * s.cut.trace} | rank.rank_state(s.cut)


def _neighbors(X: tuple, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest others, and k + 1 distances, by weighted sums of distances."""
    most = min(k + 1, X[0].shape[0] - 1)
    idx, d = nearest_others(join_features(X, weights), most, drop_first=True)
    return idx[:, :k], d if d.shape[1] > k else np.repeat(d, 2, axis=1)


def _distances(X: tuple, idx: np.ndarray) -> np.ndarray:
    """Return squared distances to the neighbours in every view, (V, N, k)."""
    rows = np.repeat(np.arange(len(idx)), idx.shape[1])
    D = [squared_distances_at(x, x, rows, idx.ravel()) for x in X]
    return np.stack(D).reshape(-1, *idx.shape)
