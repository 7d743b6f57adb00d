"""How many clusters: communities that resampled rows and graphs agree on."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from mvgraph.base.limits import Cost, Shape, bytes_left
from mvgraph.base.parameters import (
    ParameterError,
    check_integer,
    draw_seed,
    is_integer,
)
from mvgraph.display import ChooseKDisplay
from mvgraph.graphs.neighbors import few_copies
from mvgraph.inspection.resampling import (
    SHARE,
    Resample,
    cost_of_choice,
    modularities,
    resamples,
    stabilities,
    trees,
)
from mvgraph.views.coerce import as_views
from mvgraph.views.html import html_table
from mvgraph.views.order import content_order

__all__ = ["ChooseK"]

MAX_SAMPLE = 3000
#: Copies of a row that are looked at, at most: fewer than a row has neighbours.
MAX_COPIES = 10
MAX_NUMBERS = 100_000
#: Odd, so that the median is the number of a draw.
N_DRAWS = 9
#: Stability from which on the draws are said to find the same clusters.
CLEAR = 0.999
#: Least stability of a division of clear clusters. On generated blobs, cuts into too
#: many clusters stay below 0.96, and touching clusters (4 sd apart) reach 0.984.
FIRM = 0.98


class ChooseK(BaseEstimator):
    """Suggest a number of clusters, a range, and how sure it is, without labels.

    Each of nine draws of the rows gives two neighbour graphs: the mean of the views'
    own graphs, and the joint graph of the summed distances. The communities of largest
    modularity (Leiden, resolution 1 [1]_) are counted in both [2]_. The graph with
    fewer of them, by the median over draws, is the one that counts: more communities in
    the other graph are a division that the views do not share. ``best_k_`` is its
    median number, m. A tree of communities gives a cut of every draw for every k. If
    the cuts into some k <= m are the same in all draws (stability of at least 0.999),
    clusters are clear, and ``best_k_`` is the largest k <= m whose cuts are nearly the
    same (0.98): modularity divides large clusters in few dimensions.

    Where there are very many classes, or classes that only all views together tell
    apart, the number is too small. Look at ``k_range_`` and ``confidence_``.

    Parameters
    ----------
    k : iterable of int, default=range(2, 21)
        Numbers to compare, at least 2; those that leave fewer than three rows a
        cluster in a draw are left out, with a warning.
    memory_limit : int or None, default=None
        Bytes of private memory that this process may take, interpreter and held views
        included, at least 1; None: no limit. `fit` refuses what does not fit. Views
        that are mapped, read from files or dask arrays are not held.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    best_k_ : int
        The largest number of clear clusters, or else the number of ``k`` that is
        nearest to the median number of communities; of two, the smaller.
    k_range_ : tuple of two int
        Fewest and most communities in any draw and either graph, whatever ``k`` is;
        from ``best_k_`` on where that is clear and less.
    confidence_ : float
        Stability at ``best_k_``: the mean adjusted Rand index between the cuts of two
        draws, on the rows that both have: 1 where all draws find the same clusters.
        Draws share most of their rows, so that pure noise has 0.2 to 0.5, not 0.
    table_ : list of dict
        One dict a number, from the graph that counts: k; share, of the draws that have
        k communities; stability of the cuts into k clusters; modularity, the mean over
        draws of the share of the graph's weight inside the clusters less the share that
        random edges would have.
    n_sampled_ : int
        Rows that were looked at, at most 3000.

    References
    ----------
    .. [1] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019, :doi:`10.1038/s41598-019-41695-z`.
    .. [2] Newman, "Modularity and community structure in networks", PNAS 103, 2006,
       :doi:`10.1073/pnas.0601602103`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import ChooseK
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2, 3], 40)
    >>> X = [9 * rng.normal(size=(4, d))[truth] + rng.normal(size=(160, d))
    ...      for d in (5, 4)]
    >>> choice = ChooseK(range(2, 9), random_state=0).fit(X)
    >>> choice.best_k_, choice.k_range_, round(choice.confidence_, 2)
    (4, (4, 4), 1.0)
    """

    def __init__(
        self,
        k: Iterable[int] = range(2, 21),
        *,
        memory_limit: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.memory_limit = memory_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ChooseK:
        """Count communities and fill the table.

        Parameters
        ----------
        X : as for every clusterer; rows may lack views
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        MemoryError
            The choice cannot stay within ``memory_limit``; refused before it starts.
        ValueError
            No number is possible, or something else than integers from 2 on is given.
        """
        views = as_views(X)
        check_integer("memory_limit", self.memory_limit, optional=True)
        bytes_left(self, views)  # refuses what is too large
        seed = draw_seed(self.random_state)
        order = content_order(views, seed)
        first = np.unique(order.copy_of)  # copies of a view would only count it twice
        rows = order.rows[few_copies(order.copies_before, MAX_COPIES)][:MAX_SAMPLE]
        sample = views.select(order.views[first])[rows]
        numbers = self._numbers(len(sample))
        with threadpool_limits(limits=1, user_api="blas"):
            graphs = resamples(sample, N_DRAWS, seed)
            counts = np.array([[d.n_communities for d in draws] for draws in graphs])
            median = np.median(counts, axis=1)
            draws, found = graphs[median.argmin()], counts[median.argmin()]
            table = _table(draws, found, numbers, seed)
        best, clear = _best(table, float(median.min()))
        self.n_sampled_ = len(sample)
        self.table_ = table
        self.best_k_ = int(best["k"])
        self.confidence_ = float(best["stability"])
        fewest = int(counts.min())
        if clear:  # modularity may divide what is clear
            fewest = min(fewest, self.best_k_)
        self.k_range_ = fewest, int(counts.max())
        return self

    def _cost(self, shape: Shape) -> Cost:
        return cost_of_choice(shape, min(shape.n, MAX_SAMPLE), N_DRAWS)

    def _numbers(self, n: int) -> list[int]:
        most = int(SHARE * n) // 3
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
                f"{n} samples: at most {most}."
            )
        if len(numbers) < len(wanted):
            skipped = wanted[len(numbers) :]
            warnings.warn(
                f"{len(skipped)} of {len(wanted)} numbers, k from {skipped[0]} to "
                f"{skipped[-1]}, are left out: {n} samples allow at most "
                f"{most}.",
                UserWarning,
                stacklevel=3,
            )
        return numbers

    def plot(self, ax: Any = None) -> ChooseKDisplay:
        """Draw what decides, over k, with matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Default: those of a new figure.

        Returns
        -------
        ChooseKDisplay
            With ``ax_`` and ``figure_``.
        """
        return ChooseKDisplay.from_estimator(self).plot(ax)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show the results once there are some, the parameters before."""
        if "table_" not in vars(self):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        """Return the numbers that decide as a table, for notebooks."""
        if "table_" not in vars(self):
            return html_table(f"{self!r}, not fitted", [], [])
        low, high = self.k_range_
        title = (
            f"best k: {self.best_k_}, range {low} to {high}, "
            f"confidence {self.confidence_:.2f}"
        )
        rows = [[f"{v:.3g}" for v in row.values()] for row in self.table_]
        return html_table(title, list(self.table_[0]), rows)


def _best(table: list[dict[str, Any]], count: float) -> tuple[dict[str, Any], bool]:
    """Return the row of the suggestion, and whether its clusters are clear.

    Two of three clear clusters may lie so close that a few rows change sides: the cut
    into two is the same in all draws, but so is, nearly, that into three.
    """
    below = [row for row in table if row["k"] <= count]
    if any(row["stability"] >= CLEAR for row in below):
        return [row for row in below if row["stability"] >= FIRM][-1], True
    return min(table, key=lambda row: abs(row["k"] - count)), False


def _table(
    draws: list[Resample], found: np.ndarray, numbers: list[int], seed: int
) -> list[dict[str, Any]]:
    cuts = trees(draws, numbers[-1], seed)
    modular = [modularities(d, c, numbers) for d, c in zip(draws, cuts, strict=True)]
    columns = {
        "k": numbers,
        "share": [float(np.mean(found == k)) for k in numbers],
        "stability": stabilities(draws, cuts, numbers).tolist(),
        "modularity": [float(np.mean(m)) for m in zip(*modular, strict=True)],
    }
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
