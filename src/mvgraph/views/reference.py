"""What the features of a fit looked like: shares of their values, by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.views.container import Views

#: Rows that are counted. The largest stability index that chance gives to one of a
#: thousand features of so many rows is 0.005; of a cluster of 500 rows 0.2.
COUNTED = 20_000
#: Values that are counted at a fit: a second of sorting.
ENTRIES = 5_000_000
FEWEST = 1000  # rows, however wide
#: Features of a view that are followed, those that vary most; and counts per bin in
#: all clusters, so that models stay small.
FOLLOWED, CELLS = 1000, 20_000
#: Bins between deciles, as is usual for the stability index, two beyond all values, and
#: two farther beyond than the values of the fit are apart.
DECILES = np.arange(0.1, 1, 0.1)
BINS = len(DECILES) + 5
#: Part of the range of a feature that rounding can move a value by.
ROUNDING = 1e-9
#: What is followed of a sparse view besides its columns.
ENTRIES_OF_ROW, NORM_OF_ROW = -1, -2


class Binned(NamedTuple):
    """The features of a view that are followed, and rows by cluster and bin."""

    columns: np.ndarray  # (f,)
    edges: np.ndarray  # (f, BINS - 1), rising; inf where there are fewer
    counts: np.ndarray  # (K, f, BINS)

    def far(self, counts: np.ndarray) -> np.ndarray:
        """Return how many values are far beyond those of the fit, (f,)."""
        every = counts.sum(axis=0)
        # a constant feature ends at both infinities, and nothing is far from it
        top = np.isfinite(self.edges).sum(axis=1) + 2 * np.isneginf(self.edges[:, 0])
        return np.asarray(every[:, 0] + every[np.arange(len(top)), top])


class Reference(NamedTuple):
    """What the rows of a fit looked like; a sample of them."""

    n_rows: int
    n_present: np.ndarray  # (V,) rows that have the view
    views: tuple[Binned, ...]
    outliers: float | None  # share of samples that belong nowhere

    @classmethod
    def learn(
        cls, views: Views, codes: np.ndarray, n_clusters: int, outliers: float | None
    ) -> Reference:
        """Count the values of a sample of the rows of a fit.

        Parameters
        ----------
        views : Views
        codes : ndarray of int, shape (n,)
            Positions of the clusters.
        n_clusters : int
        outliers : float or None
        """
        binned = []
        for v, x in enumerate(views.arrays):
            rows = _present(views, v)
            columns = _followed(x[rows], n_clusters)
            columns = columns[~np.isin(columns, _dates(views, v))]
            values = _values(x[rows], columns)
            rising = np.sort(values.T, axis=1)
            edges = np.array([_edges(column) for column in rising])
            edges = edges.reshape(len(columns), BINS - 1)
            found = Binned(columns, edges, np.zeros(0))
            counts = count_bins(found, x[rows], codes[rows], n_clusters)
            binned.append(found._replace(counts=counts))
        n = len(views)
        present = np.full(views.n_views, n) if views.mask is None else views.mask.sum(0)
        return cls(n, np.asarray(present), tuple(binned), outliers)


def n_counted(n_features: Sequence[int]) -> int:
    """Return how many rows of so wide views are counted at most."""
    return min(COUNTED, max(FEWEST, ENTRIES // sum(n_features)))


def _dates(views: Views, v: int) -> list[int]:
    """Return the columns that come from dates: they move every night."""
    names = views.feature_names[v]
    if views.encoders is None or names is None:
        return []
    rows = views.encoders.rows()
    heads = tuple(f"{row['column']}: " for row in rows if row["kind"] == "date")
    return [j for j, name in enumerate(names) if name.startswith(heads)]


def _present(views: Views, v: int) -> Any:
    return slice(None) if views.mask is None else np.flatnonzero(views.mask[:, v])


def _followed(x: Any, n_clusters: int) -> np.ndarray:
    """Return the columns that vary most; of sparse rows those in most of them."""
    most = min(FOLLOWED, max(CELLS // n_clusters, 20))
    if sp.issparse(x):
        score = np.asarray((x != 0).sum(axis=0)).ravel()
    else:
        score = np.asarray(x[:]).var(axis=0) if x.shape[1] > most else np.zeros(0)
    if x.shape[1] <= most:
        kept = np.arange(x.shape[1])
    else:
        kept = np.sort(np.argsort(-score, kind="stable")[:most])
    return np.r_[kept, ENTRIES_OF_ROW, NORM_OF_ROW] if sp.issparse(x) else kept


def _values(x: Any, columns: np.ndarray) -> np.ndarray:
    """Return what is followed of some rows, (n, f)."""
    if not sp.issparse(x):
        return np.asarray(x[:], dtype=np.float64)[:, columns]
    x = sp.csr_matrix(x)
    top = float(abs(x).max()) or 1.0  # squares of the entries themselves may overflow
    unit = x.multiply(1 / top)
    norms = np.sqrt(np.asarray(unit.multiply(unit).sum(axis=1)).ravel())
    # rows of length 1 are that up to rounding, whatever the largest entry among them
    digits, power = np.frexp(top * norms)
    norms = np.ldexp(np.round(digits, 9), power)
    kept = x[:, columns[:-2]].toarray()
    return np.column_stack([kept, np.diff(x.indptr), norms])


def _edges(x: np.ndarray) -> np.ndarray:
    """Return where bins end: far below, below, at values or deciles, on top, far up.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Rising.
    """
    found = np.full(BINS - 1, np.inf)
    if len(x):
        values = _distinct(x)
        if len(values) > len(DECILES) + 1:
            deciles = np.floor(DECILES * (len(x) - 1)).astype(int)
            values = _distinct(x[np.r_[deciles, -1]])
        low, high = x[0], x[-1]
        width = high - low if high > low else np.inf
        below = np.nextafter([low - width, low], -np.inf)  # a bin has its upper edge
        inner = np.r_[below, values, high + width]
        found[: len(inner)] = inner
    return found


def _distinct(x: np.ndarray) -> np.ndarray:
    return x[np.r_[True, x[1:] != x[:-1]]]


def count_bins(
    binned: Binned, x: Any, codes: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Count rows by cluster, feature and bin, (K, f, BINS).

    Parameters
    ----------
    binned : Binned
    x : rows of the view
    codes : ndarray of int, shape (n,)
        Positions of their clusters.
    n_clusters : int
    """
    values = _values(x, binned.columns)
    counts = np.zeros((n_clusters, len(binned.columns), BINS), dtype=np.int32)
    for f, (column, edges) in enumerate(zip(values.T, binned.edges, strict=True)):
        cells = codes * BINS + _bins(edges, column)
        found = np.bincount(cells, minlength=n_clusters * BINS)
        counts[:, f] = found.reshape(n_clusters, BINS)
    return counts


def _bins(edges: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return the bin of every value; one that is an edge up to rounding is that edge.

    Values of tables that were encoded by another fit are equal up to rounding.
    """
    known = edges[np.isfinite(edges)]
    near = 0.0
    if len(known):
        near = ROUNDING * (known[-1] - known[0]) + 8 * np.spacing(np.abs(known).max())
    last = np.searchsorted(edges, column + near, side="right")
    last -= edges[np.maximum(last - 1, 0)] >= column - near  # it is that edge
    # the first edge is no value of the fit, but ends what is far below
    return np.maximum(last, column > edges[0])
