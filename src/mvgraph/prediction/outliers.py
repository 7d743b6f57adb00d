"""Samples that belong to no cluster: how far they are from all fitted samples.

Two questions are asked about every sample and view, from its distances to anchors. How
far must one go to reach four fitted samples, relative to what is usual in its cluster?
And are the anchors that are near in the other views also near in this view? A row that
is unlike all fitted rows fails the first, a little in every view; a row whose views
come from two samples fails the second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.distance import squared_distances, typical
from mvgraph.ops.hashing import sum_hash
from mvgraph.prediction.measured import TINY, Measured, measure, spread_anchors
from mvgraph.prediction.tails import fit_tails, tail_probability
from mvgraph.views.container import Views
from mvgraph.views.missing import fill_absent
from mvgraph.views.rows import RowBlock

#: A cluster of few samples does not define what is usual if it is sparser than this
#: share of all samples are: noise that makes up a cluster would be usual in it.
SPARSE = 0.6
#: Shares of the error: all views jointly, every view, every disagreement. Compared on
#: five sets: equal shares, thirds, and (0.35, 0.15, 0.5) differ by 0.01 in the area.
SHARES = (0.25, 0.25, 0.5)
#: A view in which a row is near makes up for others only so far, in mean excesses.
NEARER = -1.0
#: Less than this is no difference of two log distances.
FLOOR = 0.05
#: Least mean excess in units of what is usual, and of all views jointly.
SHORTEST, SHORTEST_JOINTLY = 0.5, 0.1
#: Anchors, or three per cluster: 150 and 300 find as many.
ANCHORS = 200
#: Samples of an anchor, on average: one alone would be near itself. Anchors of a
#: cluster, and rows of an anchor that has its own median, at least.
PER_ANCHOR, LEAST, ENOUGH = 4, 2, 3


class Usual(NamedTuple):
    """What is usual for the samples of a fit.

    The parts are: all views jointly, every view, and the disagreement of every view
    with the others; a single view has one part.
    """

    points: list[Matrix]  # V arrays (M, d), anchors
    mass: np.ndarray  # (M,) distinct samples of every anchor
    scale: np.ndarray  # (V,) median squared distance
    reach: np.ndarray  # (V, K) median log distance of every cluster
    apart: np.ndarray  # (2, V, M) median disagreement by the others' nearest, and MAD
    tails: np.ndarray  # (parts, 2) where the tail begins, and its mean excess

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.scale)

    def measure(self, block: RowBlock) -> Measured:
        """Measure scaled rows."""
        return measure(block, Anchors(tuple(self.points), None), self.scale)


def learn_usual(
    scaled: Views, labels: np.ndarray, n_clusters: int
) -> tuple[Usual, np.ndarray, np.ndarray]:
    """Learn what is usual from the sample of a fit, and judge it.

    Nothing in it depends on the order of rows, columns or views.

    Parameters
    ----------
    scaled : Views
        n scaled rows.
    labels : ndarray of int, shape (n,)
    n_clusters : int

    Returns
    -------
    usual : Usual
    score, part : ndarray of shape (n,)
        As `judge` returns them.
    """
    n, V = len(labels), scaled.n_views
    n_points = min(max(ANCHORS, 3 * n_clusters), n // PER_ANCHOR)
    points = list(spread_anchors(scaled, labels, n_points, LEAST).points)
    mask, M = scaled.mask, points[0].shape[0]
    has = np.ones((n, V), bool) if mask is None else mask
    arrays = [fill_absent(x, own) for x, own in zip(scaled.arrays, has.T, strict=True)]
    block = RowBlock(arrays, mask)
    distances = map(squared_distances, arrays, points)
    seen = (D[own] for D, own in zip(distances, has.T, strict=True))
    scale = np.array([max(typical(D), TINY) for D in seen])
    nothing = np.zeros((V, n_clusters)), np.zeros((2, V, M)), np.ones((1, 2))
    found = Usual(points, np.ones(M), scale, *nothing)
    measured = found.measure(block)
    mass = np.bincount(measured.nearest[_distinct(block)], minlength=M)
    found = found._replace(mass=mass)
    found = found._replace(reach=_by_cluster(measured.reach(mass), labels, n_clusters))
    if V > 1:
        found = found._replace(apart=_by_anchor(measured.apart, measured.others, M))
    excess = _excess(found, measured, labels)
    tails = fit_tails(excess, SHORTEST)
    if V > 1:
        jointly = _jointly((excess - tails[:, 0])[:, :V] / tails[:V, 1])
        tails = np.vstack([fit_tails(jointly, SHORTEST_JOINTLY), tails])
    found = found._replace(tails=tails)
    return found, *judge(found, measured, labels)


def judge(
    usual: Usual, measured: Measured, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return how unusual every row is, and in which part.

    Parameters
    ----------
    usual : Usual
    measured : Measured
        n rows.
    labels : ndarray of int, shape (n,)

    Returns
    -------
    score : ndarray of float32, shape (n,)
        One minus the probability that a sample of its cluster is as far in any part.
    part : ndarray of int16, shape (n,)
        The part that is most unusual; see `reason_of`.
    """
    V, tails = usual.n_views, usual.tails
    excess, shares = _excess(usual, measured, labels), np.ones(1)
    z = (excess - tails[-excess.shape[1] :, 0]) / tails[-excess.shape[1] :, 1]
    if V > 1:
        jointly = (_jointly(z[:, :V]) - tails[0, 0]) / tails[0, 1]
        z = np.column_stack([jointly, z])
        shares = np.repeat(np.array(SHARES) / (1, V, V), (1, V, V))
    # corrected for the number of parts, as if they were independent
    score = (1 - tail_probability(z)) ** (1 / shares)
    return score.max(axis=1).astype(np.float32), score.argmax(axis=1).astype(np.int16)


def _jointly(z: np.ndarray) -> np.ndarray:
    """Return the mean excess over the views that a row has, (n, 1)."""
    return np.asarray(np.nanmean(np.maximum(z, NEARER), axis=1, keepdims=True))


def _distinct(block: RowBlock) -> np.ndarray:
    """Return the first copy of every row that occurs more than once.

    Copies of an isolated row would otherwise reach each other.
    """
    hashes = [sum_hash(x, v) for v, x in enumerate(block.arrays)]
    return np.unique(np.sum(hashes, axis=0, dtype=np.uint64), return_index=True)[1]


def _by_cluster(reach: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the median reach of every cluster, (V, K)."""
    sparse = np.nanquantile(reach, SPARSE, axis=0)
    found = np.tile(sparse, (n_clusters, 1))
    for c in np.unique(labels):
        own = reach[labels == c]
        seen = ~np.isnan(own).all(axis=0)
        found[c, seen] = np.fmin(np.nanmedian(own[:, seen], axis=0), sparse[seen])
    return found.T


def _by_anchor(apart: np.ndarray, others: np.ndarray, M: int) -> np.ndarray:
    """Return the median disagreement of the rows of every anchor, and its spread.

    Anchors of few rows have those of all rows.
    """
    found = np.empty((2, apart.shape[1], M))
    for v, (x, a) in enumerate(zip(apart.T, others[:, :, 0].T, strict=True)):
        known = ~np.isnan(x)
        x, a = x[known], a[known]
        count = np.bincount(a, minlength=M)
        middle = _medians(x, a, count)
        each = np.stack([middle, _medians(np.abs(x - middle[a]), a, count)])
        every = np.median(x) if len(x) else np.nan
        spread = np.median(np.abs(x - every)) if len(x) else np.nan
        found[:, v] = np.where(count >= ENOUGH, each, [[every], [spread]])
    return found


def _medians(x: np.ndarray, groups: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the median of every group, (M,); anything where a group is empty."""
    x = np.append(x[np.lexsort((x, groups))], 0.0)
    start = np.cumsum(count) - count
    low, high = start + np.maximum(count - 1, 0) // 2, start + count // 2
    return np.asarray((x[low] + x[high]) / 2)


def _excess(usual: Usual, measured: Measured, labels: np.ndarray) -> np.ndarray:
    """Return what is beyond the usual in every view, and apart in every view."""
    found = [(measured.reach(usual.mass) - usual.reach[:, labels].T) / FLOOR]
    for v in range(usual.n_views if usual.n_views > 1 else 0):
        middles, spreads = usual.apart[:, v]
        near = measured.others[:, v]
        rising = np.sort(middles[near], axis=1)  # np.median takes five times as long
        k = rising.shape[1]
        middle = (rising[:, (k - 1) // 2] + rising[:, k // 2]) / 2
        spread = np.abs(middles[near] - middle[:, None]) + spreads[near]
        x = (measured.apart[:, v] - middle) / (FLOOR + spread.mean(axis=1))
        found.append(x[:, None])
    return np.hstack(found)


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
