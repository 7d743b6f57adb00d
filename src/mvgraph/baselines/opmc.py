"""OPMC: one-pass multi-view clustering, which is k-means on standardised samples."""

from __future__ import annotations

import numpy as np

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.ops.kmeans import KMeansResult, kmeans, lloyd
from mvgraph.ops.shifted import Shifted
from mvgraph.views.container import Views
from mvgraph.views.implicit import join_implicit, scale_implicitly

METHOD = Method(
    name="opmc",
    family="joined views",
    title="One-pass clustering: k-means on the joined views, every sample standardised",
    reference="liu2021opmc",
    cost="O(N K d) per pass",
    memory="O(N d)",
)

#: Most numbers in the products of one group of starts: 256 MB.
MAX_NUMBERS = 2**25
#: With more rows than this, the first ones, a random sample, find the best start.
MAX_START_ROWS = 20_000
MAX_STEPS = 300  # of Lloyd's algorithm, rarely reached


class OPMC(Clusterer):
    r"""Cluster by one factorisation per view with common labels: k-means.

    **Solves** [1]_, with labels Y (N x K indicator), C_v (K x K), W_v (K x d_v),

    .. math:: \min_{Y, C_v, W_v} \sum_v \|X_v - Y C_v W_v\|_F^2
        \quad\text{s.t.}\; W_v W_v^T = I,

    X_v with every sample minus its mean over the features, divided by its standard
    deviation (ddof 1).

    **This is k-means** on the joined views: with as many rows in W_v as clusters, every
    matrix of K centres is some C_v W_v, and a step on W_v, C_v and Y is a step of
    Lloyd's algorithm. This is what runs here; C_v and W_v are not formed.

    Parameters
    ----------
    n_clusters : int, default=8
        K, from 2 to the number of samples.
    n_init : int, default=20
        Starts, at least 1; the one with the smallest objective is kept. Beyond 20,000
        samples, the objective of a start is that of a random 20,000.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    inertia_ : float
        The objective: the sum of squared distances to the centres, over all views.

    Notes
    -----
    Time O(N K d) per step and start, memory O(N d) and 256 MB; sparse views are
    standardised implicitly. Departures: greedy k-means++ starts in place of random
    labels, which end in poor optima (accuracy on MSRC-v5 .71 +- .08 per start; the
    authors keep the best of 100); an empty cluster takes the farthest sample; steps go
    on until no label changes. A view counts by its number of features. Standardised
    samples lose their size, which in counts is a part of the signal; a view of one
    feature becomes zero, of two features a sign, with a warning.

    References
    ----------
    .. [1] Liu, Liu, Yang, Liu, Wang, Liang, Shi, "One-pass multi-view clustering for
       large-scale data", ICCV 2021, :doi:`10.1109/ICCV48922.2021.01212`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.opmc import OPMC
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 9, 0], [9, 0, 0]], 20, axis=0) + rng.normal(size=(40, 3))
    >>> np.bincount(OPMC(n_clusters=2, random_state=0).fit([X, X / 2]).labels_)
    array([20, 20])
    """

    n_init: int = 20

    def _scaling_rule(self) -> str:
        return "rowz"

    def _fit(self, views: Views, run: Run) -> Result:
        X = join_implicit(
            [scale_implicitly(x, self._scaling_rule()) for x in views.arrays]
        )
        best = best_of(X, self.n_clusters, run.rng, self.n_init)
        return Result(best.labels, extra={"inertia_": best.inertia})


def best_of(
    X: np.ndarray | Shifted,
    K: int,
    rng: np.random.Generator,
    n_init: int,
    *,
    max_numbers: int = MAX_NUMBERS,
    max_start_rows: int = MAX_START_ROWS,
) -> KMeansResult:
    """Return the best of n_init runs of k-means, as many together as memory allows.

    ``max_numbers`` bounds the numbers in the products of one group of starts. If there
    are more than ``max_start_rows`` rows, so many first ones find the best start.
    """
    n, d = X.shape if isinstance(X, np.ndarray) else (X.n, X.d)
    if n > max_start_rows:
        head = np.arange(max_start_rows)
        first = X[head] if isinstance(X, np.ndarray) else X.take(head)
        start = best_of(
            first, K, rng, n_init,
            max_numbers=max_numbers, max_start_rows=max_start_rows,
        ).centers  # fmt: skip
        return lloyd(X, start[None], MAX_STEPS)[0]
    # there are about eight copies of the centres, one of their products with the rows
    together = max(1, max_numbers // (K * max(n, 8 * d)))
    runs = [
        kmeans(X, K, rng, n_init=min(together, n_init - done), max_iter=MAX_STEPS)
        for done in range(0, n_init, together)
    ]
    return min(runs, key=lambda run: run.inertia)
