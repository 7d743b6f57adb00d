"""The consensus of a sample: views, rows, isolated groups, rounds of partitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.base.run import StageTimer
from mvgraph.consensus.base_partitions import (
    FAMILIES,
    Partition,
    base_partitions,
    view_partitions,
)
from mvgraph.consensus.fusion import Fusion, fuse, memberships
from mvgraph.consensus.missing_rows import complete_rows_suffice, fill_missing_rows
from mvgraph.consensus.recipe import Recipe
from mvgraph.consensus.view_selection import linked_views
from mvgraph.graphs.isolated import isolated_groups
from mvgraph.graphs.neighbors import GraphSource, few_copies
from mvgraph.graphs.representations import (
    Representation,
    informative_rows,
    representations,
)
from mvgraph.ops.communities import Merges, community_tree
from mvgraph.ops.parallel import ordered
from mvgraph.views.container import Views

__all__ = ["Consensus", "learn"]


class Consensus(NamedTuple):
    """What was learned on the sample."""

    labels: np.ndarray  # (n,)
    embedding: np.ndarray  # (n, K)
    memberships: np.ndarray  # (n, K)
    tree: Merges
    rule: str
    weights: dict[str, float]  # of every base partition, by name
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
        scaled = representations(sample, K, informative)
        source = GraphSource.of(
            scaled[min(1, len(scaled) - 1)], informative, max(recipe.neighbors)
        )
        own = view_partitions(source, K, seed, recipe)
        linked, _ = linked_views(own, sample.mask, recipe)
    used = np.flatnonzero(linked)
    rows = np.arange(len(sample))
    mask = None if sample.mask is None else sample.mask[:, linked]
    some = mask is not None and complete_rows_suffice(
        mask, [own[v] for v in used], K, recipe
    )
    if mask is not None and some:
        rows = np.flatnonzero(mask.all(axis=1))
    if some or len(used) < len(own):
        # without the views that are left out, two scalings may be the same
        sample = sample[rows].select(used)
        informative = informative_rows(sample)
        scaled = representations(sample, K, informative)
    if mask is not None and not some:
        scaled, informative = fill_missing_rows(scaled, mask, informative)
    unchanged = mask is None and len(used) == len(own)
    known = source if unchanged else None
    found = _cluster(scaled, informative, K, seed, rng, recipe, stages, known)
    return found._replace(linked=linked, own=[x[rows] for x in own], rows=rows)


def _cluster(
    scaled: list[Representation],
    informative: np.ndarray,
    K: int,
    seed: int,
    rng: np.random.Generator,
    recipe: Recipe,
    stages: StageTimer,
    known: GraphSource | None,
) -> Consensus:
    """Set isolated groups apart; cluster the other rows.

    One of the sources may be known already.
    """
    sources = _sources(scaled, informative, recipe, stages, known)
    groups = isolated_groups(sources[0], np.hstack(scaled[0].arrays), K)
    rest = np.setdiff1d(np.arange(len(informative)), np.concatenate([[], *groups]))
    left = K - len(groups)
    tree_graph = sources[min(1, len(sources) - 1)].mean_graph(recipe.neighbors[0])
    if groups:
        scaled = [r._replace(arrays=[x[rest] for x in r.arrays]) for r in scaled]
        informative = informative[rest]
    if left == 1:
        one = Partition("isolated groups", FAMILIES[0], np.zeros(len(rest), int))
        partitions, fusion = [one], _single(len(rest))
    else:
        if groups:
            sources = _sources(scaled, informative, recipe, stages)
        partitions, fusion = _rounds(sources, left, seed, rng, recipe, stages)
    found = np.stack([p.labels for p in partitions])
    M = memberships(found, fusion.weights, fusion.labels, left)
    parts = _with_groups(fusion, M, rest, groups, K)
    with stages("tree"):
        tree = community_tree(tree_graph, parts[0], recipe.leaves_per_cluster * K, rng)
    names = [p.name for p in partitions]
    weights = dict(zip(names, map(float, fusion.weights), strict=True))
    nothing = np.zeros(0)
    return Consensus(*parts, tree, fusion.rule, weights, nothing, [], nothing)


def _sources(
    scaled: list[Representation],
    informative: np.ndarray,
    recipe: Recipe,
    stages: StageTimer,
    known: GraphSource | None = None,
) -> list[GraphSource]:
    def make(r: Representation) -> GraphSource:
        if known is not None and r.name == known.name:
            return known
        return GraphSource.of(r, informative, max(recipe.neighbors))

    with stages("neighbours", len(scaled)) as progress:
        sources = []
        for source in ordered(make, scaled):
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
        with stages("fusion"):
            fusion = fuse(labels, families, K, rng, recipe)
        if fusion.agreement >= recipe.converged:
            break
    return partitions, fusion


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
