"""The search for levels in a sample of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.graphs.dependence import linked_views
from mvgraph.graphs.isolated import isolated_groups
from mvgraph.graphs.neighbors import GraphSource, few_copies
from mvgraph.graphs.representations import (
    Representation,
    informative_rows,
    reduced_representation,
)
from mvgraph.levels.choice import (
    WEIGHTS,
    is_clear,
    is_real,
    probabilities,
    span,
    stand_out,
)
from mvgraph.levels.draws import (
    FEW,
    MANY,
    N_COMPONENTS,
    Tree,
    among,
    count_communities,
    draw_trees,
    view_communities,
)
from mvgraph.levels.evidence import Evidence, chance, gather, numbers_up_to
from mvgraph.levels.reference import reference_of
from mvgraph.levels.valleys import (
    Valleys,
    side_by_side,
    spread_over_steps,
    valleys,
)
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.imputation import impute

__all__ = ["MAX_SAMPLE", "Found", "Level", "find_levels", "sampled"]

#: Rows that are looked at, at most. Assumed: twice as many took twice the time.
MAX_SAMPLE = 2500
#: Copies of a row that are looked at where there are fewer distinct rows; else one.
#: Links to copies are no links to other samples.
MAX_COPIES, DISTINCT = 4, 50
#: Features up to which clusters have to be found again better than in one group of the
#: same shape: noise has valleys there.
FEW_FEATURES = 3
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
        more than without regard to the view, or where a view was left out.
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
        For every number: k, probability (0 if no division stands out), stability,
        chance.
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

    def with_views(self, kept: np.ndarray, n_views: int) -> Found:
        """Return the same for more views: those that were left out see nothing."""
        positions = np.full(n_views, len(kept))
        positions[kept] = np.arange(len(kept))
        levels = [level._replace(views=(*level.views, 0.0)) for level in self.levels]
        return self._replace(levels=tuple(levels)).for_views(positions)

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
    enough = np.count_nonzero(copies_before == 0) >= DISTINCT
    few = few_copies(copies_before, 1 if enough else MAX_COPIES)
    return np.flatnonzero(few)[:MAX_SAMPLE]


def find_levels(sample: Views, seed: int, numbers: np.ndarray | None = None) -> Found:
    """Find the levels at which the samples fall into groups.

    Views that depend on no other one are left out, as in the consensus.

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
    near = GraphSource.of(plain, known, MANY)
    narrow = sum(x.shape[1] for x in plain.arrays) <= FEW_FEATURES
    groups: list[np.ndarray] = []
    if not narrow:  # there, the last samples of one group have a gap before them
        groups = isolated_groups(near, np.hstack(plain.arrays), MAX_GROUPS)
    rest = np.setdiff1d(np.arange(len(known)), np.concatenate([[], *groups]))
    rest, aside = rest.astype(np.int64), len(groups)
    unit, known = _represented(sample, informative, unit=True)
    unit = unit._replace(arrays=[x[rest] for x in unit.arrays])
    source = GraphSource.of(unit, known[rest], MANY)
    kept = _linked(source, sample, rest, seed)
    if len(kept) < sample.n_views:
        found = find_levels(sample.select(kept), seed, numbers)
        return found.with_views(kept, sample.n_views)
    trees, counts = draw_trees(source, seed), count_communities(source, seed)
    wanted = None if numbers is None else numbers - aside
    compared = numbers_up_to(len(rest))
    if wanted is not None:
        compared = np.union1d(compared, wanted[wanted >= 2])
    values = [x[rest] for x in plain.arrays]
    if narrow:
        rng = np.random.default_rng(seed)
        values = [spread_over_steps(x, rng) for x in values]
    X = side_by_side(values, near.weights)
    others = among(near.joint, rest, MANY).indices
    deep = valleys(trees["joint"][0], others, X, compared)
    evidence = gather(trees, counts, compared, len(rest), deep)
    best = int(compared[probabilities(evidence).argmax()])
    if "mean" in trees and not is_clear(evidence, best):
        # the joint graph may cut elsewhere than the mean graph
        also = valleys(trees["mean"][0], others, X, compared)
        deeper = [np.minimum(a, b) for a, b in zip(deep, also, strict=True)]
        evidence = evidence._replace(valleys=Valleys(*deeper))
    if narrow or len(rest) <= WEIGHTS.few_rows or not is_clear(evidence, best):
        reference = reference_of(unit.arrays, source, compared, seed)
        evidence = evidence._replace(reference=reference)
    return _found(evidence, trees["joint"][0], source, aside, wanted)


def _linked(
    source: GraphSource, sample: Views, rows: np.ndarray, seed: int
) -> np.ndarray:
    """Return the views that are looked at; one or two cannot be told apart."""
    if sample.n_views <= 2:
        return np.arange(sample.n_views)
    mask = None if sample.mask is None else sample.mask[rows]
    return np.flatnonzero(linked_views(view_communities(source, seed), mask)[0])


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
    p = probabilities(evidence)
    if wanted is not None and np.isin(k, wanted).any():
        p = np.where(np.isin(k, wanted), p, 0) / p[np.isin(k, wanted)].sum()
    above = (evidence.stability - by_chance) / (1 - by_chance)
    levels, real = [], _real(evidence, p)
    for number, confidence in real.items():
        at = int(np.flatnonzero(k == number)[0])
        views = _seen(tree, source, number)
        stability = max(float(above[at]), 0.0)
        sure = min(confidence, SURE_PER_STABILITY * stability)
        levels.append(Level(number + aside, stability, sure, views))
    low = high = 1
    if levels:
        low, high = span(k, p, levels[0].k - aside)
    elif aside:
        levels = [Level(1 + aside, 1.0, 1.0, (1.0,) * len(source.views))]
    table = {
        "k": (k + aside).tolist(),
        "probability": (p if real else np.zeros(len(k))).tolist(),
        "stability": evidence.stability.tolist(),
        "chance": by_chance.tolist(),
    }
    return Found(tuple(levels), (low + aside, high + aside), table)


def _real(evidence: Evidence, p: np.ndarray) -> dict[int, float]:
    """Return the numbers that stand out and divide something, and their confidence."""
    found = stand_out(evidence.numbers, p)
    real = {k: c for k, c in found.items() if is_real(evidence, k)}
    if evidence.reference is None:  # the first is clear
        return {k: c for k, c in found.items() if is_clear(evidence, k, times=2)}
    return real


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


#: A division of which less than half is found again in other draws, above chance, is
#: not certain, however much it stands out from the numbers beside it.
SURE_PER_STABILITY = 2.0
