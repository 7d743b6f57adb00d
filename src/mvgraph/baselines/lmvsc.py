"""LMVSC: subspace clustering with anchors, in linear time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.base.result import Note
from mvgraph.ops.arrays import Float, Matrix
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.linalg.gram_eigen import leading_pairs
from mvgraph.ops.linalg.spectral import fix_signs
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.proximal.simplex import optimality_gaps, simplex_qps
from mvgraph.views.container import Views
from mvgraph.views.scaling import apply_steps, fit_scaling

METHOD = Method(
    name="lmvsc",
    family="anchors",
    title="Large-scale multi-view subspace clustering with anchors",
    reference="kang2020lmvsc",
    cost="O(N M d) per pass of k-means",
    memory="O(N (d + M V) + M^2 V^2)",
)

RANK_TOL = 1e-10  # of squared singular values, relative to the largest
RESIDUAL_TOL = 1e-6  # of the optimality condition of every programme


class LMVSC(Clusterer):
    r"""Describe every sample by anchors in each view; cut the joined weights.

    **Solves**, for every view with the centres H_v of k-means as anchors [1]_,

    .. math:: \min_{Z_v} \|X_v - Z_v H_v\|_F^2 + \alpha \|Z_v\|_F^2

    with the rows of Z_v (N x M) on the simplex; k-means on the K leading left singular
    vectors of [Z_1, ..., Z_V] / sqrt(V) gives the labels.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_anchors : int or None, default=None
        M per view, from 1 to the number of samples; None: K.
    alpha : float, default=1.0
        > 0; larger values give more even weights.
    scaling : str, default="zscore"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`; published: ``none``, where
        alpha depends on the units of the views.
    n_init : int, default=10
        Starts of every k-means, at least 1.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, C)
        Left singular vectors; C is n_clusters, or the rank if that is smaller.
    graph_ : csr_matrix of shape (n_samples, n_anchors * n_views)
        The joined weights, rows of sum sqrt(n_views).
    n_iter_ : int, views
    history_ : list of dict
        residual of every view: the largest violation of the optimality condition,
        relative to the entries of the programme. A ConvergenceWarning is issued if it
        is above 1e-6.

    Raises
    ------
    ValueError
        If ``n_anchors`` is more than the number of samples.

    Notes
    -----
    Time O(N M d V) per pass of k-means, O(N V (M d + s^3)) for the programmes, s the
    anchors that a sample uses, and O(N M^2 V^2) at most for the singular vectors;
    memory O(N (d + M V) + M^2 V^2). Only differences of features matter: sparse views
    stay sparse under ``zscore``. Samples without any feature in a view have the same
    weights there. The publication chooses M and alpha with the true labels; the
    defaults do not need them, but they were chosen after scores on benchmark sets had
    been seen. Departures: exact active sets, not an interior point;
    z-scores.

    References
    ----------
    .. [1] Kang, Zhou, Zhao, Shao, Han, Xu, "Large-scale multi-view subspace clustering
       in linear time", AAAI 2020, :doi:`10.1609/aaai.v34i04.5867`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.lmvsc import LMVSC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> np.bincount(LMVSC(n_clusters=2, random_state=0).fit([X, X / 2]).labels_)
    array([20, 20])
    """

    n_anchors: int | None = None
    alpha: float = 1.0
    scaling: str = "zscore"
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        K, M = self.n_clusters, self.n_anchors or self.n_clusters
        if len(views) < M:
            raise ValueError(
                f"n_anchors must be at most n_samples={len(views)}; got {M}."
            )
        parts, history = [], []
        for x in views.arrays:
            x = scaled(x, self.scaling)
            H = kmeans(x, M, run.rng, n_init=self.n_init, init="random").centers
            Z, residual = anchor_weights(x, H, self.alpha)
            parts.append(Z)
            history.append({"residual": residual})
        Z = sp.hstack(parts, format="csr") / np.sqrt(len(parts))
        U = left_vectors(Z, K)
        return Result(
            kmeans(U, K, run.rng, n_init=self.n_init, init="random").labels,
            embedding=U,
            graph=Z,
            history=history,
            warnings=_notes([h["residual"] for h in history], views.names),
        )


def scaled(x: Any, rule: str) -> Matrix:
    """Scale a view; of sparse z-scores only divide by the deviations.

    Neither k-means nor weights that sum to one see the means.
    """
    if not sp.issparse(x) or rule != "zscore":
        return apply_steps(x, fit_scaling(x, rule))
    n = x.shape[0]
    deviation = StandardScaler(with_mean=False).fit(x).scale_ * np.sqrt(n / (n - 1))
    return x.multiply(1 / deviation).tocsr()


def anchor_weights(x: Matrix, H: Float, alpha: float) -> tuple[sp.csr_matrix, float]:
    """Write every sample as a mixture of anchors.

    Solves  min_Z ||x - Z H||^2 + alpha ||Z||^2  with rows of Z on the simplex.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (N, d)
    H : ndarray of shape (M, d)
    alpha : float, > 0

    Returns
    -------
    Z : csr_matrix of shape (N, M)
    residual : float
        The largest of :func:`mvgraph.ops.proximal.simplex.optimality_gaps`.
    """
    # rows of Z sum to one: a common shift changes nothing but the conditioning
    H = H.astype(np.float64)
    shift = H.mean(axis=0)
    H -= shift
    Q = H @ H.T + alpha * np.eye(len(H))

    def solve(rows: slice) -> tuple[sp.csr_matrix, float]:
        part, sparse = x[rows], sp.issparse(x)
        inner = part @ H.T - H @ shift if sparse else (part - shift) @ H.T
        Z = simplex_qps(Q, inner)
        return sp.csr_matrix(Z), float(optimality_gaps(Q, inner, Z).max())

    parts = map_rows(solve, x.shape[0])
    return sp.vstack([Z for Z, _ in parts], format="csr"), max(r for _, r in parts)


def left_vectors(Z: sp.csr_matrix, K: int) -> Float:
    """Return the K leading left singular vectors (N, C) of Z; C <= K by its rank."""
    T = Z / np.sqrt(Z.shape[0])  # of norm <= 1
    V, values, _ = leading_pairs(T, min(K, T.shape[1]))
    used = values[: V.shape[1]] > RANK_TOL * values[0]
    return (T @ fix_signs(V[:, used])) / np.sqrt(values[: V.shape[1]][used])


def _notes(residuals: list[float], names: tuple[str, ...]) -> tuple[Note, ...]:
    worst = int(np.argmax(residuals))
    if residuals[worst] <= RESIDUAL_TOL:
        return ()
    text = (
        f"The weights of view {names[worst]!r} violate the optimality condition by "
        f"{residuals[worst]:.1e}, more than {RESIDUAL_TOL:g}; scale the view or raise "
        "alpha."
    )
    return ((text, ConvergenceWarning),)
