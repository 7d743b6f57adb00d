"""The search for levels in a sample of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.graphs.isolated import isolated_groups
from mvgraph.graphs.neighbors import GraphSource, few_copies
from mvgraph.graphs.representations import (
    Representation,
    informative_rows,
    reduced_representation,
)
from mvgraph.levels.choice import divides, probabilities, span, stand_out
from mvgraph.levels.draws import (
    FEW,
    MANY,
    N_COMPONENTS,
    Tree,
    count_communities,
    draw_trees,
)
from mvgraph.levels.evidence import Evidence, chance, gather, numbers_up_to
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.imputation import impute

__all__ = ["MAX_SAMPLE", "Found", "Level", "find_levels", "sampled"]

#: Rows that are looked at, at most. Assumed: twice as many took twice the time.
MAX_SAMPLE = 2500
#: Copies of a row that are looked at, at most: fewer than a row has neighbours.
MAX_COPIES = 4
#: Isolated groups that are set apart, at most. Assumed.
MAX_GROUPS = 20


class Level(NamedTuple):
    """A number of clusters at which the samples fall into groups.

    Parameters
    ----------
    k : int
    stability : float
        How well clusters are found again in other draws, above chance: 1 for all, 0 for
        no better than in noise.
    confidence : float
        Probability that the number, or one within one or a tenth of it, is right.
    views : tuple of float
        How well every view sees the clusters: the share of the nearest neighbours of a
        sample, in the view, that are in its cluster; above chance: 1 for all, 0 for no
        more than without regard to the view.
    """

    k: int
    stability: float
    confidence: float
    views: tuple[float, ...]


class Found(NamedTuple):
    """What the search found.

    Parameters
    ----------
    levels : tuple of Level
        The most probable first; none if no division stands out.
    range_ : (low, high)
        Nine tenths of the probability.
    table : dict of str to list
        For every number: k, probability, stability, chance.
    """

    levels: tuple[Level, ...]
    range_: tuple[int, int]
    table: dict[str, list[float]]

    @property
    def best_k(self) -> int:
        """The most probable number; 1 if no division stands out."""
        return self.levels[0].k if self.levels else 1

    def for_views(self, positions: np.ndarray) -> Found:
        """Return the same for other views: view i is the one at ``positions[i]``."""
        levels = [
            level._replace(views=tuple(level.views[v] for v in positions))
            for level in self.levels
        ]
        return self._replace(levels=tuple(levels))

    def rows(self, numbers: np.ndarray | None = None) -> list[dict[str, float]]:
        """Return the table as one dict a number, of some numbers or all."""
        rows = zip(*self.table.values(), strict=True)
        found = [dict(zip(self.table, row, strict=True)) for row in rows]
        return [r for r in found if numbers is None or r["k"] in numbers]


def sampled(copies_before: np.ndarray) -> np.ndarray:
    """Return which rows are looked at, of rows in an order that means nothing.

    Parameters
    ----------
    copies_before : ndarray of int
        Equal rows before each; see :func:`mvgraph.graphs.neighbors.few_copies`.
    """
    return np.flatnonzero(few_copies(copies_before, MAX_COPIES))[:MAX_SAMPLE]


def find_levels(sample: Views, seed: int, numbers: np.ndarray | None = None) -> Found:
    """Find the levels at which the samples fall into groups.

    Small groups that nothing connects to other samples are clusters at every level.
    The other rows are drawn several times and linked in four ways; a tree of
    communities of each gives a cut for every number, and the draws say which cuts are
    found again.

    Parameters
    ----------
    sample : Views
        Rows in an order that means nothing, without copies of views.
        From `sampled`.
    seed : int
    numbers : ndarray of int, optional
        Ascending; all that the rows allow by default.
    """
    informative = informative_rows(sample)
    plain, known = _represented(sample, informative, unit=False)
    groups = isolated_groups(
        GraphSource.of(plain, known, MANY), np.hstack(plain.arrays), MAX_GROUPS
    )
    rest = np.setdiff1d(np.arange(len(known)), np.concatenate([[], *groups]))
    rest, aside = rest.astype(np.int64), len(groups)
    unit, known = _represented(sample, informative, unit=True)
    unit = unit._replace(arrays=[x[rest] for x in unit.arrays])
    source = GraphSource.of(unit, known[rest], MANY)
    trees, counts = draw_trees(source, seed), count_communities(source, seed)
    wanted = None if numbers is None else numbers - aside
    compared = numbers_up_to(len(rest))
    if wanted is not None:
        compared = np.union1d(compared, wanted[wanted >= 2])
    evidence = gather(trees, counts, compared, len(rest))
    return _found(evidence, trees["joint"][0], source, aside, wanted)


def _represented(
    sample: Views, informative: np.ndarray, unit: bool
) -> tuple[Representation, np.ndarray]:
    """Reduce the views; fill the rows that one lacks from near ones."""
    found = reduced_representation(sample, informative, N_COMPONENTS, unit)
    if sample.mask is None:
        return found, informative
    (arrays,), known = impute(found.arrays, sample.mask, [found.arrays])
    if unit:
        arrays = [row_normalise(x) for x in arrays]
    arrays = [np.asarray(x, dtype=np.float32) for x in arrays]
    return found._replace(arrays=arrays), informative | (known & ~sample.mask)


def _found(
    evidence: Evidence,
    tree: Tree,
    source: GraphSource,
    aside: int,
    wanted: np.ndarray | None,
) -> Found:
    """Choose the levels; groups that stand aside are clusters at each of them."""
    k, by_chance = evidence.numbers, chance(evidence.numbers, evidence.n)
    p, divided = probabilities(evidence), divides(evidence)
    if wanted is not None and np.isin(k, wanted).any():
        p = np.where(np.isin(k, wanted), p, 0) / p[np.isin(k, wanted)].sum()
    above = (evidence.stability - by_chance) / (1 - by_chance)
    levels = []
    if divided:
        for number, confidence in stand_out(k, p).items():
            at = int(np.flatnonzero(k == number)[0])
            views = _seen(tree, source, number)
            stability = max(float(above[at]), 0.0)
            levels.append(Level(number + aside, stability, confidence, views))
        low, high = span(k, p, levels[0].k - aside)
    else:
        low = high = 1
        if aside:
            levels = [Level(1 + aside, 1.0, 1.0, (1.0,) * len(source.views))]
    table = {
        "k": (k + aside).tolist(),
        "probability": p.tolist(),
        "stability": evidence.stability.tolist(),
        "chance": by_chance.tolist(),
    }
    return Found(tuple(levels), (low + aside, high + aside), table)


def _seen(tree: Tree, source: GraphSource, number: int) -> tuple[float, ...]:
    """Return the share of neighbours in the same cluster, above chance, by view."""
    labels = np.full(len(source.informative), -1)
    labels[tree.rows] = tree.merges.cut(number)
    found = []
    for v, near in enumerate(source.views):
        rows = np.flatnonzero((labels >= 0) & source.informative[:, v])
        others = near.indices[rows, :FEW]
        same = (labels[others] == labels[rows][:, None]).mean()
        expected = ((np.bincount(labels[rows]) / len(rows)) ** 2).sum()
        found.append(float(max(same - expected, 0) / max(1 - expected, 1e-12)))
    return tuple(found)
