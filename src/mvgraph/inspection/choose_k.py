"""How many clusters, at which levels, and how sure that is."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mvgraph.base.limits import Cost, Shape, bytes_left
from mvgraph.base.parameters import (
    ParameterError,
    check_memory_limit,
    draw_seed,
    is_integer,
)
from mvgraph.base.run import Callback, StageTimer
from mvgraph.display import ChooseKDisplay
from mvgraph.levels.cost import cost_of_search
from mvgraph.levels.found import Level
from mvgraph.levels.search import find_levels, sampled
from mvgraph.ops.parallel import one_blas_thread
from mvgraph.ops.wording import html_table
from mvgraph.views.coerce import as_views
from mvgraph.views.order import content_order

MAX_NUMBERS = 100_000


class ChooseK(BaseEstimator):
    """Find the numbers of clusters at which the samples fall into groups.

    All rows (2,500 at most) and four draws of four fifths of them are linked in four
    ways: by the mean of the views' own graphs and by the joint graph of the summed
    distances, with 20 and with 7 neighbours each. A tree of communities [1]_ of every
    graph gives a cut into every number k. The stability of k is how well single
    clusters are found again in another draw [2]_. A number is probable if many of its
    clusters are found again, if the stability falls beyond it, if modularity counts as
    many communities, and if valleys part its clusters; the weights come from labelled
    sets. Small
    groups that nothing connects to others are clusters at every level.

    Up to four numbers that stand out become ``levels_``: data often have a coarse and a
    fine division. A level needs valleys of density between its clusters, or cuts that
    are found again much better than those of normal samples with the same covariance.
    Without a level, ``best_k_`` is 1. Of three or more views, those whose groups depend
    on no other view are left out.

    Parameters
    ----------
    k : iterable of int or None, default=None
        Numbers that may be levels, at least 2; those that leave fewer than three rows a
        cluster are left out, with a warning. None: all from 2 to a fifth of the rows,
        in steps of 6 % from 32 on, and at most 250.
    memory_limit : int or None, default=None
        Bytes of private memory that this process may take, including the interpreter
        and views in memory, at least 1; None: no limit. `fit` raises an error if it
        needs more. Views that are mapped, read from files or dask arrays do not count.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    levels_ : tuple of Level
        At most four, the most probable first, each with ``k``, ``stability`` (above
        chance: 1 if all clusters are found again, 0 as in noise), ``confidence`` (the
        probability that k, or a number within one or a tenth of it, is right) and
        ``views`` (share of a sample's neighbours in every view that are in its cluster,
        above chance). Empty if no division stands out.
    best_k_ : int
        ``k`` of the first level; 1 if there is none.
    k_range_ : tuple of two int
        Nine tenths of the probability lie between these numbers; where a sign says that
        the first level is one too few or too many, the next number too.
    confidence_ : float
        That of the first level; 0 if there is none.
    table_ : list of dict
        One dict per number: k; probability, 0 for all if no division stands out;
        stability; chance, the stability that as many rows without structure have.
    n_sampled_ : int
        Rows that were looked at.

    References
    ----------
    .. [1] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019, :doi:`10.1038/s41598-019-41695-z`.
    .. [2] Hennig, "Cluster-wise assessment of cluster stability", Computational
       Statistics and Data Analysis 52, 2007, :doi:`10.1016/j.csda.2006.11.025`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import ChooseK
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2, 3], 40)
    >>> X = [9 * rng.normal(size=(4, d))[truth] + rng.normal(size=(160, d))
    ...      for d in (5, 4)]
    >>> choice = ChooseK(random_state=0).fit(X)
    >>> choice.best_k_, [level.k for level in choice.levels_]
    (4, [4])
    """

    levels_: tuple[Level, ...]
    best_k_: int
    k_range_: tuple[int, int]
    confidence_: float
    table_: list[dict[str, Any]]
    n_sampled_: int

    def __init__(
        self,
        k: Iterable[int] | None = None,
        *,
        memory_limit: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.memory_limit = memory_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, callback: Callback | None = None) -> ChooseK:
        """Find the levels and fill the table.

        Parameters
        ----------
        X : as for every clusterer; rows may lack views
        y : ignored
        callback : callable, optional
            Called with (steps done, steps or None, record with ``stage`` and
            ``seconds``).

        Returns
        -------
        self

        Raises
        ------
        MemoryError
            The choice cannot stay within ``memory_limit``; raised before it starts.
        ValueError
            No number is possible, or ``k`` has anything but integers of at least 2.
        """
        views = as_views(X)
        check_memory_limit(self.memory_limit)
        bytes_left(self, views)  # an error if it is too large
        seed = draw_seed(self.random_state)
        order = content_order(views, seed)
        first = np.unique(order.copy_of)  # copies of a view would only count it twice
        rows = order.rows[sampled(order.copies_before)]
        sample = views.select(order.views[first])[rows]
        numbers = None if self.k is None else self._numbers(self.k, len(sample))
        with one_blas_thread():
            found = find_levels(sample, seed, numbers, StageTimer(callback))
        found = found.for_views(
            np.searchsorted(first, order.copy_of)[order.views.argsort()]
        )
        self.n_sampled_ = len(sample)
        self.levels_ = found.levels
        self.table_ = found.rows(numbers)
        self.best_k_ = found.best_k
        self.confidence_ = found.levels[0].confidence if found.levels else 0.0
        self.k_range_ = found.range_
        return self

    def _cost(self, shape: Shape) -> Cost:
        return cost_of_search(shape)

    def _numbers(self, k: Any, n: int) -> np.ndarray:
        most = n // 3
        several = isinstance(k, Iterable)
        given = list(islice(k, MAX_NUMBERS + 1)) if several else []
        wrong = [number for number in given if not is_integer(number) or number < 2]
        if not given or wrong:
            raise ParameterError(
                "k must contain integers >= 2, as range(2, 21) does; "
                f"got {wrong[0] if wrong else k!r}."
            )
        if len(given) > MAX_NUMBERS:
            raise ParameterError(
                f"k has more than {MAX_NUMBERS} numbers, {given[0]}, {given[1]}, "
                "...; give fewer, as range(2, 21) does."
            )
        wanted = sorted({int(number) for number in given})
        numbers = [number for number in wanted if number <= most]
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
        return np.array(numbers)

    def plot(self, ax: Any = None) -> ChooseKDisplay:
        """Draw stability and probability over k, with matplotlib.

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
        """Show the results after a fit, the parameters before."""
        if "table_" not in vars(self):
            return super()._repr_mimebundle_(**kwargs)
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        if "table_" not in vars(self):
            return html_table(f"{self!r}, not fitted", [], [])
        low, high = self.k_range_
        also = ", ".join(str(level.k) for level in self.levels_[1:])
        title = (
            f"best k: {self.best_k_}, range {low} to {high}, "
            f"confidence {self.confidence_:.2f}" + (f"; also {also}" if also else "")
        )
        rows = [[f"{v:.3g}" for v in row.values()] for row in self.table_]
        return html_table(title, list(self.table_[0]), rows)
