"""The search for levels in a sample of the rows."""

from __future__ import annotations

import numpy as np

from mvgraph.base.run import StageTimer
from mvgraph.graphs.dependence import LINK_Z, linked_views
from mvgraph.graphs.isolated import NEIGHBORS, isolated_groups
from mvgraph.graphs.neighbors import GraphSource, few_copies
from mvgraph.graphs.representations import (
    KnownScores,
    Representation,
    finish,
    informative_rows,
    reduced_representation,
)
from mvgraph.levels.choice import WEIGHTS, is_clear, probabilities
from mvgraph.levels.components import are_components, scaled_components
from mvgraph.levels.draws import (
    FEW,
    MANY,
    N_COMPONENTS,
    N_DRAWS,
    Tree,
    among,
    count_communities,
    draw_trees,
    view_communities,
)
from mvgraph.levels.evidence import Evidence, gather, numbers_up_to
from mvgraph.levels.found import Found
from mvgraph.levels.hidden import of_one_column
from mvgraph.levels.listed import listed, refined
from mvgraph.levels.reference import reference_of
from mvgraph.levels.valleys import (
    Valleys,
    side_by_side,
    spread_over_steps,
    valleys,
)
from mvgraph.ops.arrays import Matrix
from mvgraph.views.container import Views
from mvgraph.views.missing import impute

#: Rows that are looked at, at most. Assumed: twice as many took twice the time.
MAX_SAMPLE = 2500
#: Copies of a row that are looked at where there are fewer distinct rows; else one.
#: Links to copies are no links to other samples.
MAX_COPIES, DISTINCT = 4, 50
#: Features up to which clusters have to be found again better than in one group of the
#: same shape: noise has valleys there.
FEW_FEATURES = 3
#: Neighbours within clusters, above chance, of a view that sees them. Six clusters have
#: 0.17 in a view in which other six differ. Assumed.
SEEN = 0.5
#: Isolated groups that are set apart, at most. Assumed.
MAX_GROUPS = 20
#: Distance from the mean, in medians of all, of rows that are not looked at. That of
#: Student's t with two degrees of freedom, 2,000 rows and ten columns, is 25 at most.
ABSURD = 100.0
#: The first number that is compared.
FIRST = 2


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


def find_levels(
    sample: Views,
    seed: int,
    numbers: np.ndarray | None = None,
    stages: StageTimer | None = None,
    scores: KnownScores | None = None,
) -> Found:
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
    stages : StageTimer, optional
        Told what is done.
    scores : KnownScores, optional
        Of these rows.
    """
    stages = StageTimer() if stages is None else stages
    scores = KnownScores() if scores is None else scores
    with stages("levels: views"):
        informative = informative_rows(sample)
        plain, known = _represented(sample, informative, scores, unit=False)
        usual = _usual_rows(np.hstack(plain.arrays))
    if len(usual) < len(known):
        return find_levels(sample[usual], seed, numbers, stages)
    with stages("levels: neighbours"):
        plainly = GraphSource.of(plain, known, MANY)
        narrow = sum(x.shape[1] for x in plain.arrays) <= FEW_FEATURES
        groups: list[np.ndarray] = []
        if not narrow:  # there, the last samples of one group have a gap before them
            groups = isolated_groups(plainly, np.hstack(plain.arrays), MAX_GROUPS)
        rest = np.setdiff1d(np.arange(len(known)), np.concatenate([[], *groups]))
        rest, aside = rest.astype(np.int64), len(groups)
        unit, known = _represented(sample, informative, scores, unit=True)
        unit = unit._replace(arrays=[x[rest] for x in unit.arrays])
        source = GraphSource.of(unit, known[rest], MANY)
        kept = _linked(source, sample, rest, seed)
    if len(kept) < sample.n_views:
        found = find_levels(sample.select(kept), seed, numbers, stages, scores)
        return found.with_views(kept, sample.n_views)
    wanted = None if numbers is None else numbers - aside
    compared = numbers_up_to(len(rest))
    if wanted is not None:
        compared = np.union1d(compared, wanted[wanted >= 2])
    values = [x[rest] for x in plain.arrays]
    if narrow:
        rng = np.random.default_rng(seed)
        values = [spread_over_steps(x, rng) for x in values]
    X = side_by_side(values, plainly.weights)
    others = among(plainly.joint, rest, MANY).indices
    columns = [x[rest] for x in sample.arrays]
    evidence, tree = _evidence(
        source, X, others, compared, narrow, seed, unit, columns, stages
    )
    with stages("levels: choice"):
        found = listed(evidence, tree, source, aside, wanted)
        found = refined(found, tree, X, columns, source, aside, wanted)
    if found.levels and sample.n_views > 1 and max(found.levels[0].views) < SEEN:
        alone = _of_one_view(source, sample, rest, seed, numbers, stages, scores)
        return alone or found
    return found


def _evidence(
    source: GraphSource,
    X: np.ndarray,
    others: np.ndarray,
    compared: np.ndarray,
    narrow: bool,
    seed: int,
    unit: Representation,
    columns: list[Matrix],
    stages: StageTimer,
) -> tuple[Evidence, Tree]:
    """Gather what the trees of the draws show, and return the tree of all rows."""
    k = MANY if narrow else FEW
    with stages("levels: draws", N_DRAWS + 1) as step:
        trees = draw_trees(source, seed, k=k, step=step)
    with stages("levels: valleys"):
        counts = count_communities(source, seed)
        deep = valleys(trees["joint"][0], others, X, compared)
        evidence = gather(trees, counts, compared, len(X), deep)
    best = int(compared[probabilities(evidence).argmax()])
    if best == FIRST and _is_of_one_column(trees["joint"][0], columns):
        deep = deep._replace(second=_closed(deep.second))
        evidence = evidence._replace(valleys=deep)
    if "mean" in trees and not is_clear(evidence, best):
        # the joint graph may cut elsewhere than the mean graph
        also = valleys(trees["mean"][0], others, X, compared)
        if best == FIRST and _is_of_one_column(trees["mean"][0], columns):
            median, near = _closed(also.median), _closed(also.near)
            also = also._replace(median=median, near=near)
        deeper = [np.minimum(a, b) for a, b in zip(deep, also, strict=True)]
        lower = Valleys(*deeper)._replace(second=deep.second)
        evidence = evidence._replace(valleys=lower)
    if narrow or len(X) <= WEIGHTS.few_rows or not is_clear(evidence, best):
        reference = reference_of(unit.arrays, source, compared, seed, k, stages)
        evidence = evidence._replace(reference=reference)
    return evidence, trees["joint"][0]


def _is_of_one_column(tree: Tree, columns: list[Matrix]) -> bool:
    """Return True if the first two clusters are the values of one column.

    Rows that have a rare word, gene or category are near each other, since the variance
    of its column is 1.
    """
    return of_one_column(tree.merges.cut(FIRST), [x[tree.rows] for x in columns])


def _closed(x: np.ndarray) -> np.ndarray:
    """Return the density left between clusters, that of the first two full."""
    return np.r_[1.0, x[1:]]


def _usual_rows(X: np.ndarray) -> np.ndarray:
    """Return the rows, without a few that leave no scale to the others.

    Such as rows of a number that stands for a missing one.
    """
    length = np.linalg.norm(X, axis=1)
    usual = length <= ABSURD * np.median(length)
    if not usual.any() or len(np.unique(X[~usual], axis=0)) >= NEIGHBORS:
        return np.arange(len(X))  # a group of its own
    return np.flatnonzero(usual)


def _linked(
    source: GraphSource, sample: Views, rows: np.ndarray, seed: int
) -> np.ndarray:
    """Return the views that are looked at; one or two cannot be told apart."""
    if sample.n_views <= 2:
        return np.arange(sample.n_views)
    mask = None if sample.mask is None else sample.mask[rows]
    return np.flatnonzero(linked_views(view_communities(source, seed), mask)[0])


def _represented(
    sample: Views, informative: np.ndarray, scores: KnownScores, unit: bool
) -> tuple[Representation, np.ndarray]:
    """Reduce the views; fill the rows that one lacks from near ones."""
    found = reduced_representation(sample, informative, N_COMPONENTS, unit, scores)
    for v, x in enumerate(sample.arrays):
        if are_components(x, informative[:, v]):
            plain = scaled_components(x, informative[:, v], N_COMPONENTS)
            (found.arrays[v],) = finish([plain], unit)
    if sample.mask is None:
        return found, informative
    (arrays,), known = impute(found.arrays, sample.mask, [found.arrays])
    arrays = finish(arrays, unit)
    return found._replace(arrays=arrays), informative | (known & ~sample.mask)


def _of_one_view(
    source: GraphSource,
    sample: Views,
    rows: np.ndarray,
    seed: int,
    numbers: np.ndarray | None,
    stages: StageTimer,
    scores: KnownScores,
) -> Found | None:
    """Return the levels of the views one by one, if these are of several subjects.

    Each has levels of its own, and no two depend on each other: the clusters of all
    would be every combination of theirs. Nothing says which subject is meant.
    """
    mask = None if sample.mask is None else sample.mask[rows]
    if linked_views(view_communities(source, seed), mask)[1].max() > LINK_Z:
        return None
    alone = [
        find_levels(sample.select([v]), seed, numbers, stages, scores)
        for v in range(sample.n_views)
    ]
    if not all(found.levels for found in alone):
        return None
    alone = [f.with_views(np.array([v]), sample.n_views) for v, f in enumerate(alone)]
    alone.sort(key=lambda found: -found.levels[0].confidence)
    levels = {level.k: level for found in alone[::-1] for level in found.levels[::-1]}
    first = [found.levels[0].k for found in alone]
    order = list(dict.fromkeys([*first, *(x.k for f in alone for x in f.levels)]))
    sure = [
        levels[k]._replace(confidence=min(levels[k].confidence, 1 / len(alone)))
        for k in order
    ]
    return alone[0]._replace(levels=tuple(sure[: WEIGHTS.most]))
