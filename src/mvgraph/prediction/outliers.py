"""Samples that belong to no cluster: how far they are from all fitted samples.

Two questions are asked about every sample, from its distances to the anchors. How far
must one go to reach five fitted samples, jointly and in each view, relative to what is
usual in its cluster? And are the anchors that are near in the other views also near
in this view? A row that is unlike all fitted rows fails the first; a row whose views
come from two samples fails the second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.parallel import slices
from mvgraph.views.rows import RowBlock

__all__ = ["Usual", "judge", "learn_usual", "reason_of"]

#: Samples of the fit that must be reached, and near anchors that are compared: fewer
#: than a rare group has.
REACHED = 5
#: Anchors that the other views call near.
NEAR = 10
#: A cluster of few samples does not define what is usual if it is sparser than this
#: share of all samples are: noise that makes up a cluster would be usual in it.
SPARSE = 0.5
#: Tails are exponential beyond the first quantile, with the rate up to the second, so
#: that a tenth of noise hardly changes them.
TAIL = (0.75, 0.9)
#: Logarithm of one over the probability of the tail: what is nearer is certain.
BULK = -np.log(1 - TAIL[0])
#: Entries of the distances of all views that are in memory at a time.
ENTRIES = 4_000_000
TINY = 1e-9


class Usual(NamedTuple):
    """What is usual for the samples of a fit.

    The parts are: joint, every view, and the disagreement of every view with the
    others; a single view has one part.
    """

    mass: np.ndarray  # (M,) distinct samples of every anchor, at least one
    points: list[Matrix]  # V arrays (M, d)
    scale: np.ndarray  # (V,) mean squared distance
    reach: np.ndarray  # (1 + V, K) median log distance of every cluster
    apart: np.ndarray  # (V, M) mean disagreement by the nearest anchor of the others
    tails: np.ndarray  # (parts, 2) where the tail begins, and its mean excess

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.points)


def learn_usual(
    block: RowBlock, anchors: Anchors, labels: np.ndarray, n_clusters: int
) -> Usual:
    """Learn what is usual from the sample of a fit.

    Parameters
    ----------
    block : RowBlock
        Scaled rows.
    anchors : Anchors
    labels : ndarray of int, shape (n,)
    n_clusters : int
    """
    points = list(anchors.points)
    distances = [
        squared_distances(x, p) for x, p in zip(block.arrays, points, strict=True)
    ]
    scale = np.array([max(float(D.mean()), TINY) for D in distances])
    joint = sum(D / s for D, s in zip(distances, scale, strict=True))
    nearest = np.argmin(joint, axis=1)[_distinct(block)]
    mass = np.bincount(nearest, minlength=joint.shape[1])
    used = mass > 0
    V, parts = len(points), 1 if len(points) == 1 else 2 * len(points) + 1
    first = Usual(
        mass[used].astype(float),
        [p[used] for p in points],
        scale,
        np.zeros((1 + V, n_clusters)),
        np.zeros((V, int(used.sum()))),
        np.ones((parts, 2)),
    )
    reach, apart, nearest = _measure(first, block)
    clusters = np.array([_median(reach[labels == c]) for c in range(n_clusters)])
    sparse = np.nanquantile(reach, SPARSE, axis=0)
    usual = np.where(np.isnan(clusters), sparse, np.minimum(clusters, sparse))
    found = first._replace(reach=usual.T)
    if V > 1:
        found = found._replace(apart=_by_anchor(apart, nearest, int(used.sum())))
    return found._replace(tails=_tails(_excess(found, reach, apart, nearest, labels)))


def judge(
    usual: Usual, block: RowBlock, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return how unusual every row is, and in which part.

    Parameters
    ----------
    usual : Usual
    block : RowBlock
        n scaled rows.
    labels : ndarray of int, shape (n,)

    Returns
    -------
    score : ndarray of float32, shape (n,)
        One minus the probability that a sample of its cluster is as far in any part.
    part : ndarray of int16, shape (n,)
        The part that is most unusual; see `reason_of`.
    """
    n, V = len(labels), usual.n_views
    score, part = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.int16)
    for rows in slices(n, max(1, ENTRIES // max(V * len(usual.mass), 1))):
        some = RowBlock(
            [x[rows] for x in block.arrays],
            None if block.mask is None else block.mask[rows],
        )
        x = _excess(usual, *_measure(usual, some), labels[rows])
        start, mean = usual.tails.T
        p = (1 - TAIL[0]) * np.exp(np.minimum((start - x) / mean, BULK))
        least = np.nanmin(np.where(np.isnan(p), 1.0, p), axis=1)
        score[rows] = (1 - least) ** p.shape[1]
        part[rows] = np.argmin(np.where(np.isnan(p), 1.0, p), axis=1)
    return score, part


def _measure(
    usual: Usual, block: RowBlock
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return log distances to five samples, disagreements, and the others' anchors.

    These are (n, 1 + V), (n, V) and (n, V, NEAR); NaN where the row lacks the view.
    """
    n, V = block.arrays[0].shape[0], usual.n_views
    present = np.ones((n, V), bool) if block.mask is None else block.mask
    distances = []
    for v, (x, points) in enumerate(zip(block.arrays, usual.points, strict=True)):
        D = squared_distances(x, points)
        D /= usual.scale[v]
        if block.mask is not None:
            D[~present[:, v]] = 0
        distances.append(D)
    total: np.ndarray = sum(distances, np.zeros(1))
    count = np.maximum(present.sum(axis=1), 1)
    k = min(REACHED, total.shape[1])
    searched = [nearest_columns(D, k) for D in (total, *distances)]
    reach = np.column_stack([_reach(*found, usual.mass) for found in searched])
    reach[:, 0] -= np.log(count) / 2
    apart, nearest = np.zeros((n, V)), np.zeros((n, V, NEAR), dtype=np.int64)
    if V > 1:
        for v, (D, (_, d)) in enumerate(zip(distances, searched[1:], strict=True)):
            apart[:, v], nearest[:, v] = _apart(D, total - D, d)
        apart[present.sum(axis=1) < 2] = np.nan
    missing = np.where(present, 0.0, np.nan)
    return reach + np.column_stack([np.zeros(n), missing]), apart + missing, nearest


def _distinct(block: RowBlock) -> np.ndarray:
    """Return the first copy of every row that occurs more than once.

    Copies of an isolated row would otherwise reach each other.
    """
    hashes = [sum_hash(x, v) for v, x in enumerate(block.arrays)]
    return np.unique(np.sum(hashes, axis=0, dtype=np.uint64), return_index=True)[1]


def _reach(near: np.ndarray, d: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the log distance within which anchors of five samples lie."""
    enough = np.cumsum(mass[near], axis=1) >= REACHED
    at = np.where(enough.any(axis=1), enough.argmax(axis=1), d.shape[1] - 1)
    return np.asarray(_log_distance(d[np.arange(len(d)), at]))


def _apart(
    own: np.ndarray, others: np.ndarray, nearest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the anchors near in other views are, relative to the nearest."""
    near = np.zeros((len(own), NEAR), dtype=np.int64)
    found = nearest_columns(others, min(NEAR, own.shape[1]))[0]
    near[:, : found.shape[1]] = found
    there = np.sort(np.take_along_axis(own, found, axis=1), axis=1)
    means = [
        np.sqrt(np.maximum(d, 0)).mean(axis=1)
        for d in (there[:, : nearest.shape[1]], nearest)
    ]
    return np.log(means[0] + TINY) - np.log(means[1] + TINY), near


def _log_distance(d: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(np.sqrt(np.maximum(d, 0)) + TINY))


def _by_anchor(apart: np.ndarray, nearest: np.ndarray, M: int) -> np.ndarray:
    """Return the mean disagreement of the rows of every anchor; NaN for few rows."""
    found = []
    for x, a in zip(apart.T, nearest[:, :, 0].T, strict=True):
        known = ~np.isnan(x)
        count = np.bincount(a[known], minlength=M)
        total = np.bincount(a[known], weights=x[known], minlength=M)
        median = _median(x[known])
        found.append(np.where(count > 2, total / np.maximum(count, 1), median))
    return np.array(found)


def _excess(
    usual: Usual,
    reach: np.ndarray,
    apart: np.ndarray,
    nearest: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    """Return what every part is beyond the usual, (n, parts)."""
    beyond = reach - usual.reach[:, labels].T
    if usual.n_views == 1:
        return np.asarray(beyond[:, :1])
    local = [
        np.median(a[i], axis=1)
        for a, i in zip(usual.apart, nearest.swapaxes(0, 1), strict=True)
    ]
    return np.column_stack([beyond, apart - np.column_stack(local)])


def _tails(x: np.ndarray) -> np.ndarray:
    """Return where every tail begins, and its mean excess, (parts, 2)."""
    seen = ~np.isnan(x).all(axis=0)  # no sample has both of two views: no tail
    start, end = np.full((2, x.shape[1]), np.nan)
    start[seen], end[seen] = np.nanquantile(x[:, seen], TAIL, axis=0)
    mean = (end - start) / np.log((1 - TAIL[0]) / (1 - TAIL[1]))
    return np.column_stack(
        [np.nan_to_num(start), np.maximum(np.nan_to_num(mean), TINY)]
    )


def _median(x: np.ndarray) -> np.ndarray:
    known = ~np.isnan(x)
    if x.ndim == 1:
        return np.asarray(np.median(x[known]) if known.any() else np.nan)
    return np.array([_median(column) for column in x.T])


def reason_of(part: int, names: tuple[str, ...]) -> str:
    """Return in words why a sample belongs nowhere.

    Parameters
    ----------
    part : int
        As `judge` returns it.
    names : tuple of str
        The views that were used.
    """
    V = len(names)
    if part == 0:
        return "far from all samples of the fit"
    if part <= V:
        return f"far from all samples of the fit in view {names[part - 1]}"
    other = names[part - 1 - V]
    return f"its views are of two samples: {other} says something else than the others"
