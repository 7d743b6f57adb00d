"""FPMVS-CAG: anchors that all views share, learned in one subspace per view."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, iterate
from mvgraph.graphs.partition import spectral_labels
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.ops.shifted import Shifted
from mvgraph.views.container import Views
from mvgraph.views.implicit import scale_implicitly

METHODS = (
    Method(
        name="fpmvs-cag",
        family="anchors",
        title="Parameter-free subspace clustering with shared anchors, random start",
        reference="wang2022fpmvscag",
        cost="O(N d K) per sweep",
        memory="O(N (d + K))",
        parameters={"start": "random"},
    ),
    Method(
        name="fpmvs-cag-first",
        family="anchors",
        title="Parameter-free subspace clustering with shared anchors, started as "
        "published by the first rows and columns",
        reference="wang2022fpmvscag",
        cost="O(N d K) per sweep",
        memory="O(N (d + K))",
        order_free=False,
        parameters={"start": "first"},
    ),
)

MIN_SWEEPS = 10  # published: the stopping rule is not read before
MIN_SHARE = 1e-12  # of the squares of a view: a lower bound of its residual


class FPMVSCAG(Clusterer):
    r"""Cluster by anchors that all views share, in one subspace per view.

    **Solves** [1]_, X_v (d_v x N) with z-scored features,

    .. math:: \min_{W, A, Z, \alpha} \sum_v \alpha_v^2 \|X_v - W_v A Z\|_F^2
        \quad\text{s.t.}\; W_v^T W_v = I,\; A^T A = I,\; \alpha^T 1 = 1,

    columns of Z (K x N) on the simplex, A (K x K) the anchors. k-means on the left
    singular vectors of Z', rows scaled to length 1, gives the labels.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    start : {"random", "first"}, default="random"
        ``random``: the anchors start at K samples drawn by ``random_state``, the
        subspaces at those that fit them best. ``first``, as published: the anchors
        start at the first K rows and the subspaces at the first K columns of every
        view, so that the result depends on the order of rows and columns.
    n_init : int, default=10
        Starts of k-means; published: one random start, worse by up to .1 in accuracy.
    max_iter : int, default=50
        Maximum number of sweeps.
    tol : float, default=1e-3
        Relative change of the objective that ends the iteration, from sweep 10 on.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    graph_ : csr_matrix of shape (n_samples, n_clusters), Z'
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Left singular vectors of Z'; zero columns where no sample uses an anchor.
    view_weights_ : ndarray of shape (n_views,)
        alpha; 0 for views without any difference between samples.
    n_iter_ : int
    history_ : list of dict: objective, residual (its relative change), seconds

    Notes
    -----
    Time O(N d K + d K^2) per sweep, memory O(N (d + K)); sparse views are centred
    implicitly. The public solver of the paper is encrypted. These are the steps of the
    readable solver of the same authors (SMVSC, ACM MM 2021) without its regulariser;
    whether the encrypted one starts and stops alike is unknown. Kept from paper and
    code: the Z-step projects sum_v A'W_v'x_v / sum_v alpha_v^2 and ignores alpha_v^2 in
    the numerator; the exact step lets the objective fall monotonically but is far less
    accurate (MSRC-v5 .38, not .72). So the objective can increase. Published
    accuracies are the best of 50 runs of k-means by the labels. Z-scores of rare words
    dominate wide counts: on the text of 3-Sources the accuracy is .28 (``first``).

    References
    ----------
    .. [1] Wang, Liu, Zhu, Zhang, Zhang, Gao, Zhu, "Fast parameter-free multi-view
       subspace clustering with consensus anchor guidance", IEEE TIP 31, 2022,
       :doi:`10.1109/TIP.2021.3131941`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.fpmvs_cag import FPMVSCAG
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(FPMVSCAG(n_clusters=2, random_state=0).fit([X, X / 2]).labels_)
    array([20, 20])
    """

    start: str = "random"
    n_init: int = 10
    max_iter: int = 50
    tol: float = 1e-3

    @property
    def _order_free(self) -> bool:  # type: ignore[override]
        return self.start == "random"

    def _fit(self, views: Views, run: Run) -> Result:
        K, N = self.n_clusters, len(views)
        if self.start not in ("random", "first"):
            raise ValueError(f"start must be 'random' or 'first'; got {self.start!r}.")
        X = [scale_implicitly(x, "zscore") for x in views.arrays]
        first = self.start == "first"
        rows = np.arange(K) if first else run.rng.choice(N, K, replace=False)
        anchors = np.zeros((K, K)) if first else np.eye(K)
        state, history = share_anchors(X, rows, anchors, self.max_iter, self.tol)
        U = left_vectors(state.Z)
        return Result(
            spectral_labels(U, K, run.rng, self.n_init),
            graph=sp.csr_matrix(state.Z),
            embedding=U,
            view_weights=state.alpha,
            history=history,
        )


class _State(NamedTuple):
    alpha: np.ndarray  # (V,)
    A: np.ndarray  # (K, K)
    C: list[np.ndarray]  # X_v Z', (d_v, K)
    Z: Any = None  # (N, K), transposed
    objective: float = np.inf
    residual: float = np.inf
    sweep: int = 0


def share_anchors(
    X: list[Shifted], rows: np.ndarray, anchors: np.ndarray, max_iter: int, tol: float
) -> tuple[_State, list[dict[str, Any]]]:
    """Alternate between subspaces W, anchors A, assignments Z and weights alpha."""
    squares = np.array([x.squared_norms().sum() for x in X])
    varies = squares > 0
    alpha = varies / max(varies.sum(), 1) if varies.any() else np.ones(len(X)) / len(X)

    def step(s: _State) -> _State:
        W = [_subspace(c, s.A) for c in s.C]
        squared = s.alpha**2
        A = polar(sum(a * w.T @ c for a, w, c in zip(squared, W, s.C, strict=True)))
        bases = [w @ A for w in W]
        pull = sum(x.times(b) for x, b in zip(X, bases, strict=True))
        Z = project_simplex(pull / squared.sum())
        C = [x.transposed_times(Z) for x in X]
        r = _residuals(squares, bases, C, Z.T @ Z)
        weights = np.where(varies, 1 / r, 0) if varies.any() else s.alpha
        new = weights / weights.sum()
        objective = float(new**2 @ np.where(varies, r, 0))
        change = abs(s.objective - objective) / max(s.objective, 1e-300)
        return _State(new, A, C, Z, objective, change, s.sweep + 1)

    return iterate(
        step,
        _State(alpha, anchors, [x.rows(rows).T for x in X]),
        lambda s: s.sweep >= MIN_SWEEPS and (s.residual < tol or s.objective < 1e-10),
        max_iter,
    )


def _subspace(C: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Solve  max_W tr(W' C A')  s.t.  W'W = I; for A = 0 the first columns of I."""
    return polar(C @ A.T) if A.any() else np.eye(*C.shape)


def polar(C: np.ndarray) -> np.ndarray:
    """Return U V' of the thin singular value decomposition C = U S V'."""
    U, _, Vt = np.linalg.svd(C, full_matrices=False)
    return np.asarray(U @ Vt)


def _residuals(
    squares: np.ndarray, bases: list[np.ndarray], C: list[np.ndarray], G: np.ndarray
) -> np.ndarray:
    """Compute ||X_v - B_v Z||_F^2 of every view from C_v = X_v Z' and G = Z Z'."""
    fit = [
        2 * np.sum(b * c) - np.sum((b.T @ b) * G) for b, c in zip(bases, C, strict=True)
    ]
    floor = MIN_SHARE * np.where(squares > 0, squares, 1)
    return np.maximum(squares - np.array(fit), floor)


def left_vectors(Z: np.ndarray) -> np.ndarray:
    """Return the left singular vectors of Z (N, K); zeros where it has no rank."""
    values, V = np.linalg.eigh(Z.T @ Z)
    values, V = np.maximum(values[::-1], 0), V[:, ::-1]
    kept = values > 1e-10 * values[0]
    return np.asarray(
        (Z @ V) * np.where(kept, 1 / np.sqrt(np.where(kept, values, 1)), 0)
    )
