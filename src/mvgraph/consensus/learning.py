"""The consensus of a sample: views, rows, isolated groups, rounds of partitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from mvgraph.base.run import StageTimer
from mvgraph.consensus.base_partitions import (
    FAMILIES,
    Partition,
    assortativity,
    base_partitions,
    evidence_of,
    view_partitions,
)
from mvgraph.consensus.calibration import agreement_with, calibrated, odds, votes
from mvgraph.consensus.fusion import Fusion, fuse, settled
from mvgraph.consensus.method import Recipe
from mvgraph.consensus.missing_rows import complete_rows_suffice, fill_missing_rows
from mvgraph.graphs.dependence import linked_views
from mvgraph.graphs.isolated import isolated_groups
from mvgraph.graphs.neighbors import GraphSource, few_copies, mean_of_graphs
from mvgraph.graphs.representations import (
    UNIT,
    Representation,
    informative_rows,
    represent,
    scalings,
)
from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.merges import Merges, community_tree
from mvgraph.ops.parallel import ordered
from mvgraph.views.container import Views


class Consensus(NamedTuple):
    """What was learned on the sample."""

    labels: np.ndarray  # (n,)
    embedding: np.ndarray  # (n, K)
    memberships: np.ndarray  # (n, K)
    tree: Merges
    rule: str
    weights: dict[str, float]  # of every base partition, by name
    agreement: float  # mean adjusted Rand index of the base partitions with the labels
    linked: np.ndarray  # (V,)
    own: list[np.ndarray]  # (n,) partition of every view alone
    rows: np.ndarray  # those of the sample that were clustered, n of them


def learn(
    sample: Views,
    copies_before: np.ndarray,
    K: int,
    rng: np.random.Generator,
    recipe: Recipe,
    stages: StageTimer | None = None,
) -> Consensus:
    """Find the consensus of many base partitions of the samples.

    Of a row that is there many times, some copies are clustered; the others get what
    these have.

    Parameters
    ----------
    sample : Views
    copies_before : ndarray of int, shape (n,)
        Equal rows before each; equal rows are neighbours.
    K : int
    rng : Generator
    recipe : Recipe
    stages : StageTimer, optional
        Reports progress.

    Returns
    -------
    Consensus
    """
    stages = stages or StageTimer()
    kept = np.flatnonzero(few_copies(copies_before, min(recipe.neighbors)))
    if len(kept) == len(sample):
        return _learn(sample, K, rng, recipe, stages)
    found = _learn(sample[kept], K, rng, recipe, stages)
    return _with_copies(found, kept, copies_before)


def _with_copies(
    found: Consensus, kept: np.ndarray, copies_before: np.ndarray
) -> Consensus:
    """Give the copies that were set aside what the first row of their kind has."""
    n = len(copies_before)
    place = np.full(len(kept), -1)
    place[found.rows] = np.arange(len(found.rows))
    where = np.full(n, -1)
    where[kept] = place
    aside = np.setdiff1d(np.arange(n), kept)
    where[aside] = where[aside - copies_before[aside]]
    rows = np.flatnonzero(where >= 0)
    w = where[rows]
    return found._replace(
        labels=found.labels[w],
        embedding=found.embedding[w],
        memberships=found.memberships[w],
        tree=found.tree._replace(labels=found.tree.labels[w]),
        own=[partition[w] for partition in found.own],
        rows=rows,
    )


def _learn(
    sample: Views,
    K: int,
    rng: np.random.Generator,
    recipe: Recipe,
    stages: StageTimer,
) -> Consensus:
    seed = int(rng.integers(2**31))
    with stages("views alone"):
        informative = informative_rows(sample)
        unit = represent(sample, UNIT, scalings(sample)[UNIT], informative)
        known = GraphSource.of(unit, informative, max(recipe.neighbors))
        own = view_partitions(known, K, seed, recipe)
        linked, _ = linked_views(own, sample.mask)
    used = np.flatnonzero(linked)
    rows = np.arange(len(sample))
    mask = None if sample.mask is None else sample.mask[:, linked]
    some = mask is not None and complete_rows_suffice(
        mask, [own[v] for v in used], K, recipe
    )
    if mask is not None and some:
        rows, mask = np.flatnonzero(mask.all(axis=1)), None
    sources = [known]
    if len(rows) < len(sample) or len(used) < len(own) or mask is not None:
        # without the views that are left out, two scalings may be the same
        sample, sources = sample[rows].select(used), []
        informative = informative_rows(sample)
    ways = _ways(sample, informative, mask, recipe)
    found = _cluster(ways, sample, K, seed, rng, recipe, stages, sources)
    return found._replace(linked=linked, own=[x[rows] for x in own], rows=rows)


class _Ways(NamedTuple):
    """The scalings of the sample, made when they are needed, and what rows say."""

    make: dict[str, Callable[[], Representation]]
    informative: np.ndarray  # (n, V)


def _ways(
    sample: Views, informative: np.ndarray, mask: np.ndarray | None, recipe: Recipe
) -> _Ways:
    makers: dict[str, Callable[[], Representation]] = {
        name: partial(represent, sample, name, rules, informative)
        for name, rules in scalings(sample).items()
    }
    if mask is None:
        return _Ways(makers, informative)
    reduced = [make().reduced(recipe.n_components) for make in makers.values()]
    filled, informative = fill_missing_rows(reduced, mask, informative)
    return _Ways({r.name: partial(_same, r) for r in filled}, informative)


def _same(representation: Representation) -> Representation:
    return representation


def _cluster(
    ways: _Ways,
    sample: Views,
    K: int,
    seed: int,
    rng: np.random.Generator,
    recipe: Recipe,
    stages: StageTimer,
    known: list[GraphSource],
) -> Consensus:
    """Set isolated groups apart; cluster the other rows.

    Some of the sources may be known already.
    """
    n = len(sample)
    sources = _sources(ways, np.arange(n), recipe, stages, known)
    content = np.column_stack([sum_hash(x, 0) for x in sample.arrays]).astype(float)
    groups = isolated_groups(sources[0], content, K)
    rest = np.setdiff1d(np.arange(n), np.concatenate([[], *groups])).astype(np.int64)
    left = K - len(groups)
    unit = next(source for source in sources if source.name == UNIT)
    tree_graph = unit.mean_graph(recipe.neighbors[0])
    if left == 1:
        one = Partition("isolated groups", FAMILIES[0], np.zeros(len(rest), int))
        partitions, fusion = [one], _single(len(rest))
    else:
        if groups:
            sources = _sources(ways, rest, recipe, stages, [])
        partitions, fusion = _rounds(sources, left, seed, rng, recipe, stages)
    M, agreement = np.ones((len(rest), 1)), 1.0
    if left > 1:
        found = np.stack([p.labels for p in partitions])
        agreement = agreement_with(found, fusion.labels)
        M = votes(found, fusion.labels, left, sources, recipe)
        by_mean = np.array([part.evidence is None for part in partitions])
        sure = agreement_with(found[by_mean], fusion.labels)
        M = calibrated(M, fusion.labels, odds(sure, recipe.odds_by_votes))
    parts = _with_groups(fusion, M, rest, groups, K)
    with stages("tree"):
        leaves = max(recipe.leaves_per_cluster * K, recipe.min_leaves)
        tree = community_tree(tree_graph, parts[0], leaves, rng)
    names = [p.name for p in partitions]
    weights = dict(zip(names, map(float, fusion.weights), strict=True))
    nothing = np.zeros(0)
    return Consensus(
        *parts, tree, fusion.rule, weights, agreement, nothing, [], nothing
    )


def _sources(
    ways: _Ways,
    rows: np.ndarray,
    recipe: Recipe,
    stages: StageTimer,
    known: list[GraphSource],
) -> list[GraphSource]:
    """Find the neighbours of some rows under every scaling, one at a time."""
    n = len(ways.informative)

    def make(name: str) -> GraphSource:
        for source in known:
            if source.name == name:
                return source
        found = ways.make[name]()
        found = found.take(rows) if len(rows) < n else found
        return GraphSource.of(found, ways.informative[rows], max(recipe.neighbors))

    with stages("neighbours", len(ways.make)) as progress:
        sources = []
        for source in ordered(make, list(ways.make)):
            sources.append(source)
            progress()
    return sources


def _rounds(
    sources: list[GraphSource],
    K: int,
    seed: int,
    rng: np.random.Generator,
    recipe: Recipe,
    stages: StageTimer,
) -> tuple[list[Partition], Fusion]:
    """Make partitions round by round until the consensus stands still."""
    partitions: list[Partition] = []
    for k in recipe.neighbors:
        with stages(f"partitions, {k} neighbours", len(sources)) as progress:
            partitions += base_partitions(sources, k, K, seed, progress, recipe)
        families = np.array([FAMILIES.index(part.family) for part in partitions])
        labels = np.stack([part.labels for part in partitions])
        graphs = [source.mean_graph(k) for source in sources]
        W = mean_of_graphs(graphs, np.ones(len(graphs)))
        evidence = evidence_of(partitions, W, recipe)
        with stages("fusion"):
            inside = partial(assortativity, W)
            fusion = fuse(labels, families, evidence, inside, K, rng, recipe)
        if fusion.agreement >= recipe.converged:
            break
    near = (source.mean_graph(recipe.neighbors[0]) for source in sources)
    return partitions, fusion._replace(labels=settled(fusion.labels, near, recipe))


def _single(n: int) -> Fusion:
    """Return the consensus of rows that are one cluster."""
    ones = np.ones((n, 1), dtype=np.float32)
    return Fusion(np.zeros(n, dtype=np.int64), ones, np.ones(1), "cut", 1.0)


def _with_groups(
    fusion: Fusion,
    M: np.ndarray,
    rest: np.ndarray,
    groups: list[np.ndarray],
    K: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Join the clusters of the rest and the groups: labels, embedding, memberships."""
    n = len(rest) + sum(map(len, groups))
    labels = np.empty(n, dtype=np.int64)
    embedding = np.zeros((n, max(K, fusion.embedding.shape[1])), dtype=np.float32)
    member = np.zeros((n, K))
    labels[rest] = fusion.labels
    embedding[rest, : fusion.embedding.shape[1]] = fusion.embedding
    member[rest, : M.shape[1]] = M
    for c, rows in enumerate(groups, K - len(groups)):
        labels[rows], member[rows, c] = c, 1
        embedding[rows, c] = 1 / np.sqrt(len(rows))
    return labels, embedding, member
