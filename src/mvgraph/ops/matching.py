"""Clusters of two clusterings as the same ones: pairs, and what became of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

#: Share of a cluster that makes it the same, or a part, of another: the threshold of
#: MONIC (Spiliopoulou et al., KDD 2006).
MOST = 0.5
#: Relative change of size that is called growth, by convention: a word of the table.
GROWTH = 0.2
#: ... and standard errors of the counts, so that small clusters do not grow by chance.
ERRORS = 3.0


class Change(NamedTuple):
    """What became of a cluster from one fit to the next.

    ``kind`` is kept, grown or shrunk (by a fifth or more, compared with the middle
    cluster), split, merged, new or gone.
    """

    kind: str
    before: tuple[int, ...]  # numbers of clusters
    after: tuple[int, ...]
    n_before: int
    n_after: int
    share_before: float
    share_after: float

    def words(self) -> str:
        """Say what became of the cluster."""
        old, new = (", ".join(map(str, n)) for n in (self.before, self.after))
        counts = f"{self.n_before} -> {self.n_after} samples"
        shares = f"{self.share_before:.1%} -> {self.share_after:.1%}"
        what = {
            "split": f"cluster {old} was split into {new}",
            "merged": f"clusters {old} were merged into {new}",
            "new": f"cluster {new} is new",
            "gone": f"cluster {old} is gone",
        }.get(self.kind, f"cluster {old}: {self.kind}")
        return f"{what}: {counts} ({shares})"


def overlap(
    old: np.ndarray, new: np.ndarray, n_old: int, weights: np.ndarray
) -> np.ndarray:
    """Count samples by old and new cluster.

    Parameters
    ----------
    old : ndarray of int, shape (n,)
        From -1, none of them, to ``n_old - 1``.
    new : ndarray of int, shape (n,)
    n_old : int
    weights : ndarray of shape (n_new,)
        Samples that one of every new cluster stands for.

    Returns
    -------
    ndarray of shape (n_old + 1, n_new)
        The last row has those that are in no old cluster.
    """
    table = np.zeros((n_old + 1, len(weights)))
    np.add.at(table, (old, new), weights[new])
    return table


def weight(table: np.ndarray) -> float:
    """Return how many samples the best pairs have in common."""
    table = table[:-1]
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def pairs(table: np.ndarray) -> dict[int, int]:
    """Return the new cluster of every old one that is still there.

    One to one, with as many samples in common as possible; a pair has most samples of
    the old cluster or of the new one.
    """
    known = table[:-1]
    found = zip(*linear_sum_assignment(known, maximize=True), strict=True)
    of_old = known / np.maximum(known.sum(axis=1, keepdims=True), 1e-300)
    share = np.maximum(of_old, known / np.maximum(table.sum(axis=0), 1e-300))
    return {int(i): int(j) for i, j in found if share[i, j] >= MOST}


def homes(counts: np.ndarray) -> np.ndarray:
    """Return the column that has more than half of every row, -1: none.

    A cluster is a part of its home: one that is the home of several has split into
    them, or, from the other side, they have merged into it.
    """
    share = counts.max(axis=1, initial=0) / np.maximum(counts.sum(axis=1), 1e-300)
    return np.where(share > MOST, counts.argmax(axis=1), -1)


def changes(
    table: np.ndarray,
    near: np.ndarray,
    same: dict[int, int],
    ids: tuple[np.ndarray, np.ndarray],
    sizes: tuple[np.ndarray, np.ndarray],
) -> tuple[Change, ...]:
    """Say what became of every old cluster, and where every new one is from.

    Parameters
    ----------
    table, near : ndarray of shape (n_old + 1, n_new)
        See `overlap`; in ``near`` far samples are in the nearest old cluster.
    same : dict of int to int
        See `pairs`.
    ids, sizes : pair of ndarray
        Numbers of the old and the new clusters, and their samples.
    """
    level = _level(table, sizes)
    parts = [{same[i]} if i in same else set() for i in range(table.shape[0] - 1)]
    for j, i in enumerate(homes(near.T).tolist()):
        # what a cluster never had was not split from it, although it may be near
        if not 0 <= i < len(parts):
            continue
        kept = sizes[1][same[i]] if i in same else 0
        if sizes[0][i] - kept / level >= MOST * sizes[1][j] / level:
            parts[i].add(j)
    sources: list[set[int]] = [set() for _ in range(table.shape[1])]
    for i, j in (*same.items(), *enumerate(homes(table[:-1]).tolist())):
        if j >= 0:
            sources[j].add(i)
    found = [("split", [i], sorted(js)) for i, js in enumerate(parts) if len(js) > 1]
    found += [("merged", sorted(i), [j]) for j, i in enumerate(sources) if len(i) > 1]
    before = {i for _, old, _ in found for i in old}
    after = {j for _, _, new in found for j in new}
    found += [
        (_growth(sizes[0][i], sizes[1][j], level), [i], [j])
        for i, j in same.items()
        if i not in before and j not in after
    ]
    before, after = before | set(same), after | set(same.values())
    found += [("new", [], [j]) for j in range(len(sources)) if j not in after]
    found += [("gone", [i], []) for i in range(len(parts)) if i not in before]
    made = [_change(*one, ids, sizes) for one in found]
    return tuple(sorted(made, key=lambda c: (c.before or c.after, c.after)))


def _level(table: np.ndarray, sizes: tuple[np.ndarray, np.ndarray]) -> float:
    """Return by which factor a cluster that is as large as before has more samples.

    That of the middle old cluster: one that goes does not make others grow. Where most
    samples are far from all old clusters it is that of all samples.
    """
    if table[:-1].sum() < MOST * table.sum():
        return float(sizes[1].sum() / sizes[0].sum())
    there = table[:-1].sum(axis=1) / sizes[0]
    there = there[there > 0]
    return float(np.median(there)) if len(there) else sizes[1].sum() / sizes[0].sum()


def _growth(n_before: int, n_after: int, level: float) -> str:
    expected = n_before * level
    step, error = n_after - expected, np.sqrt(expected * (1 + level))
    if abs(step) <= max(GROWTH * expected, ERRORS * error):
        return "kept"
    return "grown" if step > 0 else "shrunk"


def _change(
    kind: str,
    old: list[int],
    new: list[int],
    ids: tuple[np.ndarray, np.ndarray],
    sizes: tuple[np.ndarray, np.ndarray],
) -> Change:
    pair = list(zip(ids, sizes, (old, new), strict=True))
    n = [int(size[of].sum()) for _, size, of in pair]
    share = [m / int(size.sum()) for m, (_, size, _) in zip(n, pair, strict=True)]
    before, after = (tuple(i[of].tolist()) for i, _, of in pair)
    return Change(kind, before, after, n[0], n[1], share[0], share[1])
