"""The consensus of a sample, rows that lack views included."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.progress import StageTimer
from mvgraph.consensus.base_partitions import (
    FAMILIES,
    Partition,
    base_partitions,
    own_partitions,
)
from mvgraph.consensus.fusion import Fusion, fuse
from mvgraph.consensus.representations import (
    Representation,
    informative_rows,
    representations,
)
from mvgraph.consensus.view_selection import linked_views
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.imputation import impute

__all__ = ["FEWEST", "Consensus", "learn", "stand_for_all"]

#: Rows that lack nothing stand for all where every cluster has this share of them, in
#: units of their share overall.
FEWEST = 0.4


class Consensus(NamedTuple):
    """What was learned on the sample."""

    partitions: list[Partition]
    fusion: Fusion
    linked: np.ndarray  # (V,)
    own: list[np.ndarray]  # partitions of every view alone
    rows: Any = slice(None)  # those of the sample that were clustered

    def weights(self) -> dict[str, float]:
        """Return the weight of every base partition by name."""
        pairs = zip(self.partitions, self.fusion.weights, strict=True)
        return {part.name: float(w) for part, w in pairs}


def learn(
    sample: Views, K: int, rng: np.random.Generator, stages: StageTimer | None = None
) -> Consensus:
    """Find the consensus of many base partitions of the samples.

    Parameters
    ----------
    sample : Views
    K : int
    rng : Generator
    stages : StageTimer, optional
        Told about the stages.

    Returns
    -------
    Consensus
    """
    stages = stages or StageTimer()
    seed = int(rng.integers(2**31))
    with stages("views alone"):
        says, ways = informative_rows(sample), representations(sample, K)
        own = own_partitions(ways[min(1, len(ways) - 1)], K, seed)
    linked, _ = linked_views(own, K, rng, sample.mask)
    used = np.flatnonzero(linked)
    rows: Any = slice(None)
    if sample.mask is not None and stand_for_all(
        sample.mask[:, linked], [own[v] for v in used], K
    ):
        rows = np.flatnonzero(sample.mask[:, linked].all(axis=1))
        sample = sample[rows].select(used)
        says, ways = informative_rows(sample), representations(sample, K)
    else:
        says = says[:, linked]
        ways = [way._replace(arrays=[way.arrays[v] for v in used]) for way in ways]
        if sample.mask is not None:
            ways, says = _fill(ways, sample.mask[:, linked], says)
    partitions = base_partitions(ways, says, K, seed, stages)
    families = np.array([FAMILIES.index(part.family) for part in partitions])
    labels = np.stack([part.labels for part in partitions])
    with stages("fusion"):
        fusion = fuse(labels, families, K, rng)
    return Consensus(partitions, fusion, linked, own, rows)


def stand_for_all(mask: np.ndarray, own: list[np.ndarray], K: int) -> bool:
    """Tell whether the rows that lack nothing can be clustered in place of all.

    They are at least half of the rows and 10 a cluster, and no cluster of a view
    alone consists mostly of rows that lack another view, as it does where rows are
    missing for a reason.
    """
    whole = np.asarray(mask.all(axis=1))
    if whole.sum() < max(len(whole) / 2, 10 * K):
        return False
    for v, runs in enumerate(own):
        present = mask[:, v]
        share = whole[present].mean()
        for labels in runs[:, present]:
            size = np.bincount(labels, minlength=K)
            lasting = np.bincount(labels[whole[present]], minlength=K)
            if ((size >= 10) & (lasting < FEWEST * share * size)).any():
                return False
    return True


def _fill(
    ways: list[Representation], mask: np.ndarray, says: np.ndarray
) -> tuple[list[Representation], np.ndarray]:
    """Fill rows that views lack; rows of unit length keep it."""
    filled, known = impute(ways[0].arrays, mask, [way.arrays for way in ways])
    out = []
    for way, arrays in zip(ways, filled, strict=True):
        if not way.name.startswith("zscore, "):
            arrays = [row_normalise(x) for x in arrays]
        out.append(way._replace(arrays=arrays))
    return out, says | (known & ~mask)
