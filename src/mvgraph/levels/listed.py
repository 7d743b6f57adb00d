"""The levels that are listed, by what the cuts of a tree show."""

from __future__ import annotations

import numpy as np

from mvgraph.graphs.neighbors import GraphSource
from mvgraph.levels.choice import (
    WEIGHTS,
    is_real,
    near,
    probabilities,
    span,
    stand_out,
)
from mvgraph.levels.doubts import DOUBTED, divided_inside, instead
from mvgraph.levels.draws import FEW, Tree
from mvgraph.levels.evidence import Evidence, chance
from mvgraph.levels.finer import finer_levels
from mvgraph.levels.found import Found, Level
from mvgraph.levels.hidden import divided, groups_of
from mvgraph.ops.arrays import Matrix

#: A division of which less than half is found again in other draws, above chance and
#: above one group of the same shape, is not certain, however much it stands out from
#: the numbers beside it.
SURE_PER_STABILITY = 2.0
#: Numbers near one that stands out that are looked at too: at least so probable beside
#: it. Assumed.
NEARLY = 0.1


def listed(
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
    above = _above(evidence.stability, by_chance)
    most = SURE_PER_STABILITY * _above(evidence.stability, _of_one(evidence, by_chance))
    real = _real(evidence, p)
    also = finer_levels(evidence, real, wanted) if real else {}
    levels: list[Level] = []
    beside: list[int] = []
    for number, confidence in (real | also).items():
        at = int(np.flatnonzero(k == number)[0])
        views, stability = _seen(_cut_of(tree, number, evidence.n), source), above[at]
        sure = min(confidence, most[at])
        beside.append(instead(evidence, at, first=not levels))
        sure *= 1.0 if beside[-1] == number else DOUBTED
        levels.append(Level(number + aside, float(stability), float(sure), views))
    low = high = 1
    if levels:
        low, high = span(k, p, levels[0].k - aside)
        if wanted is None:
            low, high = min(low, beside[0]), max(high, beside[0])
    elif aside:
        levels = [Level(1 + aside, 1.0, 1.0, (1.0,) * len(source.views))]
    table = {
        "k": (k + aside).tolist(),
        "probability": (p if real else np.zeros(len(k))).tolist(),
        "stability": evidence.stability.tolist(),
        "chance": by_chance.tolist(),
    }
    return Found(tuple(levels), (low + aside, high + aside), table)


def refined(
    found: Found,
    tree: Tree,
    X: np.ndarray,
    columns: list[Matrix],
    source: GraphSource,
    aside: int,
    wanted: np.ndarray | None,
) -> Found:
    """Divide one group where both halves of it agree how; add groups of clusters.

    Where clusters are divided so, their number is less certain.
    """
    k = max(found.best_k - aside, 1)
    labels = _cut_of(tree, k, len(X))
    levels, table = list(found.levels), dict(found.table)
    inside = divided_inside(labels, X, columns) if k > 1 else 0
    if inside:
        sure = levels[0].confidence * DOUBTED
        levels[0] = levels[0]._replace(confidence=sure)
    if k == 1:
        labels, sure = divided(labels, X, columns)
        number = int(labels.max()) + 1
        if number > 1 and (wanted is None or number in wanted):
            views = _seen(labels, source)
            levels.insert(0, Level(number + aside, sure, sure, views))
            p = np.array(table["probability"]) * (1 - sure)
            p[np.array(table["k"]) == number + aside] += sure
            table["probability"] = p.tolist()
    groups = groups_of(labels, X) if levels else None
    if groups is not None:
        number = int(groups[0].max()) + 1
        new = all(x.k != number + aside for x in levels)
        if new and (wanted is None or number in wanted):
            stability, views = levels[0].stability, _seen(groups[0], source)
            levels.append(Level(number + aside, stability, groups[1], views))
    levels = levels[: WEIGHTS.most]
    if not levels:
        return found
    low, high = found.range_
    more = levels[0].k + (inside if wanted is None else 0)
    low, high = min(low, levels[0].k), max(high, more)
    return Found(tuple(levels), (low, high), table)


def _above(stability: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a stability above another, in shares of what is possible; 0 for less."""
    return np.asarray(np.maximum((stability - other) / (1 - other), 0))


def _of_one(evidence: Evidence, by_chance: np.ndarray) -> np.ndarray:
    """Return the stability of one group, of the same shape if that was looked at."""
    if evidence.reference is None:
        return by_chance
    return np.maximum(by_chance, evidence.reference.stability.mean(axis=0))


def _real(evidence: Evidence, p: np.ndarray) -> dict[int, float]:
    """Return the numbers that stand out and divide something, and their confidence."""
    found = stand_out(evidence.numbers, p)
    if evidence.reference is None:
        return {k: c for k, c in found.items() if is_real(evidence, k)}
    real = {}
    for k, sure in found.items():
        # one that is nearly as probable may be cut better
        around = np.where(near(evidence.numbers, k), p, 0)
        likely = evidence.numbers[around >= NEARLY * around.max()]
        order = np.argsort(-p[np.isin(evidence.numbers, likely)], kind="stable")
        cuts = [int(i) for i in likely[order] if is_real(evidence, int(i))]
        if cuts:
            real[cuts[0]] = sure
    return real


def _seen(labels: np.ndarray, source: GraphSource) -> tuple[float, ...]:
    """Return the share of neighbours in the same cluster, above chance, by view."""
    found = []
    for v, others_of in enumerate(source.views):
        rows = np.flatnonzero((labels >= 0) & source.informative[:, v])
        others = others_of.indices[rows, :FEW]
        same = (labels[others] == labels[rows][:, None]).mean()
        expected = ((np.bincount(labels[rows]) / len(rows)) ** 2).sum()
        found.append(float(max(same - expected, 0) / max(1 - expected, 1e-12)))
    return tuple(found)


def _cut_of(tree: Tree, number: int, n: int) -> np.ndarray:
    """Return the cluster of each of n rows in a cut; -1 for those of no tree."""
    labels = np.full(n, -1)
    labels[tree.rows] = tree.merges.cut(number)
    return labels
