"""How many clusters: criteria of the joint anchor graph for every number."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from mvgraph.base.parameters import ParameterError, draw_seed, is_integer
from mvgraph.graphs.anchors import Anchors, kmeans_anchors
from mvgraph.graphs.bipartite import anchor_graph
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.linalg.bipartite_spectral import (
    left_singular_vectors,
    normalised_biadjacency,
)
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.coerce import as_views
from mvgraph.views.order import content_order
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import learn_scalings, scale_views

__all__ = ["ChooseK"]

MAX_SAMPLE = 3000
MAX_NUMBERS = 100_000
#: Eigenvectors that every draw has, so that a row depends on no other up to k = 99.
N_COMPONENTS = 100
N_NEIGHBORS = 10
N_DRAWS = 4
TAU = 1.0  # mean degrees added to the degrees of anchors
SHARE = 0.7  # of the sample in every draw
CRITERIA = ("eigengap", "stability", "silhouette", "modularity")


class Draw(NamedTuple):
    """One draw of rows and anchors: its graph, embedding and eigenvalues."""

    rows: np.ndarray
    H: sp.csr_matrix  # (n, m), H H' is the graph of samples
    U: np.ndarray  # (n, at most n_components)
    w: np.ndarray  # (n_components,)


class ChooseK(BaseEstimator):
    """Compare numbers of clusters without labels.

    Several draws of 70 % of the rows, each with its own anchors, give joint anchor
    graphs (mean over views). For every k the table holds

    - eigengap: (w_k - w_{k+1}) / (1 - w_{k+1}), w the eigenvalues of the normalised
      graph of samples, descending: 1 where it has exactly k components;
    - stability: mean adjusted Rand index of the spectral cuts of any two draws, on
      the rows that both have;
    - silhouette: mean over samples of (a - b) / max(a, b), a the mean similarity to
      the own cluster and b to the nearest other one, in the diffusion of the graph by
      k + 1 eigenvectors;
    - modularity: the share of the graph's weight inside clusters less the share that
      random edges between samples of these degrees would have [1]_.

    ``best_k_`` has the largest product of modularity and stability: modularity finds
    the finest division that the graph supports, stability whether others find it too.
    The eigengap prefers coarse divisions.

    Parameters
    ----------
    k : iterable of int, default=range(2, 21)
        Numbers to compare, at least 2; those that leave fewer than three rows a
        cluster in a draw are left out, with a warning.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    table_ : list of dict
        k, eigengap, stability, silhouette, modularity, score; one dict a number.
    best_k_ : int
    n_sampled_ : int
        Rows that were looked at, at most 3000.

    References
    ----------
    .. [1] Newman, "Modularity and community structure in networks", PNAS 103, 2006,
       :doi:`10.1073/pnas.0601602103`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import ChooseK
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2, 3], 40)
    >>> X = [9 * rng.normal(size=(4, d))[truth] + rng.normal(size=(160, d))
    ...      for d in (5, 4)]
    >>> ChooseK(range(2, 9), random_state=0).fit(X).best_k_
    4
    """

    def __init__(
        self, k: Iterable[int] = range(2, 21), *, random_state: Any = None
    ) -> None:
        self.k = k
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ChooseK:
        """Fill the table.

        Parameters
        ----------
        X : as for every clusterer; rows may lack views
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            No number is possible, or something else than integers from 2 on is given.
        """
        views = as_views(X)
        seed = draw_seed(self.random_state)
        rng = np.random.default_rng(seed)
        order = content_order(views, seed)
        sample = views.select(order.views)[order.rows[:MAX_SAMPLE]]
        self.n_sampled_ = len(sample)
        numbers = self._numbers(int(SHARE * len(sample)) // 3)
        with threadpool_limits(limits=1, user_api="blas"):
            n = max(N_COMPONENTS, numbers[-1] + 1)
            draws = [_draw(sample, n, rng) for _ in range(N_DRAWS)]
            self.table_ = [
                # a seed a number: what else is compared changes no row
                _row(draws, len(sample), k, np.random.default_rng([seed, k]))
                for k in numbers
            ]
        self.best_k_ = max(self.table_, key=lambda row: row["score"])["k"]
        return self

    def _numbers(self, most: int) -> list[int]:
        several = isinstance(self.k, Iterable)
        given = list(islice(self.k, MAX_NUMBERS + 1)) if several else []
        wrong = [k for k in given if not is_integer(k) or k < 2]
        if not given or wrong:
            raise ParameterError(
                "k must hold integers >= 2, as range(2, 21) does; "
                f"got {wrong[0] if wrong else self.k!r}."
            )
        if len(given) > MAX_NUMBERS:
            raise ParameterError(
                f"k holds more than {MAX_NUMBERS} numbers, {given[0]}, {given[1]}, "
                "...; give fewer, as range(2, 21) does."
            )
        wanted = sorted({int(k) for k in given})
        numbers = [k for k in wanted if k <= most]
        if not numbers:
            raise ValueError(
                f"k from {wanted[0]} to {wanted[-1]} is too large for "
                f"{self.n_sampled_} samples: at most {most}."
            )
        if len(numbers) < len(wanted):
            skipped = wanted[len(numbers) :]
            warnings.warn(
                f"{len(skipped)} of {len(wanted)} numbers, k from {skipped[0]} to "
                f"{skipped[-1]}, are left out: {self.n_sampled_} samples allow at most "
                f"{most}.",
                UserWarning,
                stacklevel=3,
            )
        return numbers

    def plot(self, ax: Any = None) -> Any:
        """Draw the criteria over k with matplotlib; returns the axes."""
        check_is_fitted(self, "table_")
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError(
                "drawing needs matplotlib: pip install 'mvgraph[plots]'"
            ) from error
        if ax is None:
            ax = Figure(figsize=(6, 3.6), layout="constrained").subplots()
        numbers = [row["k"] for row in self.table_]
        for name, mark in zip(CRITERIA, "os^d", strict=True):
            ax.plot(
                numbers, [row[name] for row in self.table_], marker=mark, label=name
            )
        ax.axvline(self.best_k_, color="0.6", linestyle="--")
        ax.set(xlabel="number of clusters k", title=f"best k: {self.best_k_}")
        ax.legend()
        return ax


def _draw(sample: Any, n_components: int, rng: np.random.Generator) -> Draw:
    n = int(SHARE * len(sample))
    rows = np.sort(rng.permutation(len(sample))[:n])
    part = sample[rows]
    scalings = learn_scalings(part, "auto")
    n_anchors = min(n // 2, max(300, 3 * n_components))
    anchors = kmeans_anchors(scale_views(part, scalings), n_anchors, rng)
    Z = _graph_of_summed_distances(part, scalings, anchors)
    H = normalised_biadjacency(Z, TAU)
    U, w = left_singular_vectors(H, n_components)
    missing = n_components - len(w)
    return Draw(rows, H, U, np.pad(w, (0, max(0, missing))))


def _graph_of_summed_distances(part: Any, scalings: list, anchors: Anchors) -> Any:
    """Link rows to anchors that are near in all views together."""
    block = ScaledRows(part, scalings).read(slice(None))
    total, weight = np.zeros((len(part), anchors.n_anchors)), np.zeros((len(part), 1))
    for v, (x, points) in enumerate(zip(block.arrays, anchors.points, strict=True)):
        has = np.ones((len(part), 1)) if block.mask is None else block.mask[:, v, None]
        D = squared_distances(x, points)
        total += has * D / max(float(D.mean()), 1e-30)
        weight += has
    return anchor_graph(total / weight, N_NEIGHBORS).tocsr()


def _row(draws: list[Draw], n: int, k: int, rng: np.random.Generator) -> dict[str, Any]:
    cuts, found = np.full((len(draws), n), -1), []
    for draw, cut in zip(draws, cuts, strict=True):
        U = row_normalise(draw.U[:, :k])
        labels = kmeans(U, k, rng, n_init=5, max_iter=50).labels
        cut[draw.rows] = labels
        gap = (draw.w[k - 1] - draw.w[k]) / max(1 - draw.w[k], 1e-9)
        U = draw.U[:, : k + 1]  # more, and it would depend on the largest k
        silhouette = graph_silhouette(U * np.sqrt(draw.w[: U.shape[1]]), labels)
        found.append((gap, silhouette, modularity(draw.H, labels)))
    agree = []
    for a, b in combinations(cuts, 2):
        both = (a >= 0) & (b >= 0)
        agree.append(adjusted_rand_score(a[both], b[both]))
    gap, silhouette, modular = (float(x) for x in np.mean(found, axis=0))
    stability = float(np.mean(agree))
    return {
        "k": k,
        "eigengap": gap,
        "stability": stability,
        "silhouette": silhouette,
        "modularity": modular,
        "score": max(stability, 0.0) * max(modular, 0.0),
    }


def modularity(H: sp.csr_matrix, labels: np.ndarray) -> float:
    """Modularity of the clusters in the graph of samples H H'; it is never formed."""
    K = int(labels.max()) + 1
    inside = float(np.square(H.T @ np.eye(K)[labels]).sum())
    degrees = np.asarray(H @ np.asarray(H.sum(axis=0)).ravel()).ravel()
    total = max(float(degrees.sum()), 1e-300)
    share = np.bincount(labels, weights=degrees, minlength=K) / total
    return inside / total - float(share @ share)


def graph_silhouette(U: np.ndarray, labels: np.ndarray) -> float:
    """Silhouette in cosines of a diffused embedding, from cluster means alone."""
    U = row_normalise(np.asarray(U, dtype=np.float64))
    K = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=K)
    sums = np.stack([U[labels == c].sum(axis=0) for c in range(K)])
    near = U @ (sums / np.maximum(sizes, 1)[:, None]).T
    rows = np.arange(len(U))
    own = sizes[labels]
    a = (near[rows, labels] * own - 1) / np.maximum(own - 1, 1)
    near[rows, labels] = -np.inf
    a, b = 1 - a, 1 - near.max(axis=1)
    value = np.where(own > 1, (b - a) / np.maximum(np.maximum(a, b), 1e-12), 0)
    return float(value.mean())
