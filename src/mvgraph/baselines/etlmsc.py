"""Essential tensor learning for multi-view spectral clustering (Wu, Lin, Zha 2019)."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run, iterate, require_memory
from mvgraph.baselines._graph_results import spectral_fit
from mvgraph.ops.affinity.similarity import (
    gaussian_kernel,
    symmetrise_chain,
    transition_matrix,
)
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.proximal.tensor import make_basis, shrink_tensor
from mvgraph.ops.proximal.threshold import shrink_columns
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="etlmsc",
    family="tensor",
    title="Essential tensor learning; depends on the order of the rows",
    reference="wu2019etlmsc",
    cost="O(V N^2 (log N + V)) per step",
    memory="O(N^2 V)",
    order_free=False,
    needs_n_by_n=True,
    published=True,
)

MU_MAX = 1e11


class ETLMSC(Clusterer):
    r"""Cluster with the low-rank part of the tensor of all transition matrices.

    **Solves** [wu2019]_

    .. math:: \min_{\mathcal{Z}, E} \|\mathcal{Z}\|_\circledast
        + \lambda \|E\|_{2,1} \quad\text{s.t.}\quad \mathcal{P} = \mathcal{Z} +
        \mathcal{E}

    with slice v of the tensor P the random walk on the Gaussian similarity of view v,
    sigma its median distance; the norm adds the singular values of the (samples, views)
    slices after an FFT along the second sample index, and E joins all views. Then the
    sum over views of Z, made symmetric by its stationary distribution, is cut.

    .. warning:: The FFT runs along samples: the result depends on the order of the
       rows, and the published scores come from files sorted by class.

    Parameters
    ----------
    n_clusters : int, default=8
    error_weight : float or None, default=None
        lambda > 0. None: 8 / n_samples. The useful range is narrow, roughly 4 to 20
        divided by n_samples; below it, Z vanishes.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view.
    mu : float, default=0.01
        First penalty, > 0.
    eta : float, default=2.0
        Growth of the penalty per step, > 1.
    tol : float, default=1e-6
        Stop when P - Z - E and the changes of Z and E have no entry above tol.
    max_iter : int, default=200
    n_init : int, default=10
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Input of k-means: eigenvectors of largest magnitude, rows of length 1.
    graph_ : ndarray of shape (n_samples, n_samples)
        The sum of Z over views.
    n_iter_ : int
    history_ : list of dict
        objective, residual, mu and seconds of every step.

    Notes
    -----
    Time O(V N^2 (log N + V)) per step, memory O(N^2 V) floats: slices are shrunk
    through their (V, V) Gram matrices. Departure from the published code: with an odd
    number of samples that code shrinks the middle pair of slices twice (a slip).

    References
    ----------
    .. [wu2019] Wu, Lin, Zha, "Essential tensor learning for multi-view spectral
       clustering", IEEE TIP 28(12), 2019, :doi:`10.1109/TIP.2019.2916740`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.etlmsc import ETLMSC
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = [np.eye(3)[truth] * 5 + np.random.default_rng(v).normal(size=(60, 3)) / 2
    ...      for v in range(2)]
    >>> np.bincount(ETLMSC(n_clusters=3, random_state=0).fit(X).labels_).tolist()
    [20, 20, 20]
    """

    _order_free = bool(METHOD.order_free)

    error_weight: float | None = None
    scaling: str = "auto"
    mu: float = 1e-2
    eta: float = 2.0
    tol: float = 1e-6
    max_iter: int = 200
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        N, V, K = len(views), views.n_views, self.n_clusters
        require_memory((9 * V + 3) * 8 * N**2, "The tensor", "use fewer samples.")
        X = scaled(views, self.scaling).arrays
        P = np.stack([transition_matrix(gaussian_kernel(x)) for x in X])
        weight = 8 / N if self.error_weight is None else self.error_weight
        zero = np.zeros_like(P)
        state, history = iterate(
            partial(step, P, weight, self.eta),
            State(zero, zero, zero, self.mu, np.inf, np.inf),
            lambda s: s.residual < self.tol,
            self.max_iter,
            lambda s: {"objective": s.objective, "residual": s.residual, "mu": s.mu},
        )
        S = state.Z.sum(axis=0)
        U = leading_eigenvectors(symmetrise_chain(S), K, by_magnitude=True)[1]
        return spectral_fit(U, K, run, self.n_init, affinity=S, history=history)


class State(NamedTuple):
    """The iterates, tensors of shape (V, N, N)."""

    Z: np.ndarray
    E: np.ndarray
    Y: np.ndarray  # multiplier of P = Z + E
    mu: float
    objective: float
    residual: float


def step(P: np.ndarray, error_weight: float, eta: float, s: State) -> State:
    """Update Z, E, the multiplier and mu."""
    basis = make_basis("fft-anchors", P.shape)
    target = P + s.Y / s.mu
    # the published threshold 1 / mu acts on the singular values after the FFT
    Z, norm = shrink_tensor(target - s.E, 1 / (s.mu * P.shape[1]), 1.0, basis)
    target -= Z
    E = shrink_columns(target, error_weight / s.mu)
    residual = max(_peak(P - Z - E), _peak(Z - s.Z), _peak(E - s.E))
    target -= E
    target *= s.mu  # = Y + mu (P - Z - E)
    cost = norm + error_weight * float(np.sqrt((E**2).sum(axis=(0, 1))).sum())
    return State(Z, E, target, min(eta * s.mu, MU_MAX), cost, residual)


def _peak(X: np.ndarray) -> float:
    return float(max(X.max(), -X.min()))
