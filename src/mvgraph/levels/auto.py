"""``n_clusters="auto"``: the number of clusters of a fit, given or found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mvgraph.base.limits import Shape, expected
from mvgraph.base.result import Note
from mvgraph.base.run import Run
from mvgraph.views.container import Views

if TYPE_CHECKING:
    from mvgraph.levels.found import Level


AUTO = "auto"
NOTHING = (
    "No division stands out: all samples are one cluster, as in noise or in a single "
    "group. Give n_clusters to divide them anyway."
)


class Choice(NamedTuple):
    """The number of clusters of a fit, and the levels found if it was sought."""

    n_clusters: int
    levels: tuple[Level, ...] = ()
    sought: bool = False

    def notes(self, labels: np.ndarray, views: Views) -> tuple[Note, ...]:
        """Return what to warn of, once the clusters of some rows are known."""
        if not self.sought:
            return ()
        if not self.levels:
            return ((NOTHING, UserWarning),)
        from mvgraph.levels.values import columns_behind, columns_in_words

        columns = columns_behind(labels, views)
        return ((columns_in_words(columns), UserWarning),) if columns else ()


def choose(
    n_clusters: int | str,
    views: Views,
    rows: np.ndarray,
    copies_before: np.ndarray,
    run: Run,
) -> Choice:
    """Return the number that is given, or the first level of a search.

    Parameters
    ----------
    n_clusters : int or "auto"
    views : Views
        In the order of ``run.order.views``.
    rows : ndarray of int, shape (n,)
        Rows of the views in an order that means nothing.
    copies_before : ndarray of int, shape (n,)
        Equal rows before each, in this order.
    run : Run
        Its generator is not advanced: a fit with the number given draws the same.
    """
    if n_clusters != AUTO:
        return Choice(int(n_clusters))
    from mvgraph.levels.search import find_levels, sampled

    copy_of = run.order.copy_of
    first = np.unique(copy_of)  # copies of a view would only count it twice
    sample = views.select(first)[rows[sampled(copies_before)]]
    found = find_levels(sample, run.seed, stages=run.stages)
    positions = np.searchsorted(first, copy_of)[np.argsort(run.order.views)]
    levels = found.for_views(positions).levels
    return Choice(found.best_k, levels, True)


def with_search(n_clusters: int | str, shape: Shape) -> tuple[int, float]:
    """Return the clusters that a forecast counts, and the bytes of the search."""
    K = min(expected(n_clusters), shape.n)
    if n_clusters != AUTO:
        return K, 0
    from mvgraph.levels.cost import cost_of_search

    return K, cost_of_search(shape).fixed
