"""Samples that belong to no cluster: how far they are from all fitted samples.

Two questions are asked about every sample, from its distances to the anchors. How far
must one go to reach five fitted samples, jointly and in each view, relative to what is
usual in its cluster? And are the anchors that are near in the other views also near
in this view? A row that is unlike all fitted rows fails the first; a row whose views
come from two samples fails the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors
from mvgraph.graphs.bipartite import Found, find_anchors
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.distance import smallest_sums, squared_norms
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


class Measured(NamedTuple):
    """Where n rows lie among the anchors."""

    near: np.ndarray  # (1 + V, n, k) the nearest anchors, jointly and in each view
    distance: np.ndarray  # (1 + V, n, k) squared, in units of the view's mean
    apart: np.ndarray  # (n, V) disagreement of every view with the others
    others: np.ndarray  # (n, V, k) anchors that are near in the other views
    present: np.ndarray  # (n, V) False where the row lacks the view

    @classmethod
    def of(
        cls, found: Sequence[Found], scale: np.ndarray, mask: np.ndarray | None
    ) -> Measured:
        """Measure rows whose nearest anchors in every view are known.

        Parameters
        ----------
        found : sequence of V Found
            `NEAR` anchors or more.
        scale : ndarray of shape (V,)
            Mean squared distance in every view.
        mask : ndarray of bool, shape (n, V), or None
        """
        D = np.stack([one.distances for one in found], dtype=np.float64)
        D /= scale[:, None, None]
        V, n, M = D.shape
        present = np.ones((n, V), bool) if mask is None else mask
        D[~present.T] = 0
        k = min(NEAR, M)
        sums, least = smallest_sums(D, k)
        near = np.stack([sums[0], *(x.indices[:, :k] for x in found)])
        distance = np.stack([least[0], *(x.nearest[:, :k] for x in found)])
        distance[1:] /= scale[:, None, None]
        apart = np.zeros((n, V))
        for v in range(V):
            there = np.sort(np.take_along_axis(D[v], sums[1 + v], axis=1), axis=1)
            apart[:, v] = _log_mean(there) - _log_mean(distance[1 + v])
        if mask is not None:
            apart[~present | (present.sum(axis=1) < 2)[:, None]] = np.nan
        return cls(near, distance, apart, sums[1:].swapaxes(0, 1), present)

    def reach(self, mass: np.ndarray) -> np.ndarray:
        """Return the log distances to five samples, (n, 1 + V).

        Parameters
        ----------
        mass : ndarray of shape (M,)
            Samples of every anchor.
        """
        enough = np.cumsum(mass[self.near], axis=2) >= REACHED
        at = np.where(enough.any(axis=2), enough.argmax(axis=2), -1)
        d = np.take_along_axis(self.distance, at[:, :, None], axis=2)[:, :, 0].T
        reach = np.log(np.sqrt(np.maximum(d, 0)) + TINY)
        reach[:, 0] -= np.log(np.maximum(self.present.sum(axis=1), 1)) / 2
        reach[:, 1:][~self.present] = np.nan
        return reach


class Usual(NamedTuple):
    """What is usual for the samples of a fit.

    The parts are: joint, every view, and the disagreement of every view with the
    others; a single view has one part.
    """

    mass: np.ndarray  # (M,) distinct samples of every anchor
    scale: np.ndarray  # (V,) mean squared distance
    reach: np.ndarray  # (1 + V, K) median log distance of every cluster
    apart: np.ndarray  # (V, M) mean disagreement by the nearest anchor of the others
    tails: np.ndarray  # (parts, 2) where the tail begins, and its mean excess

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.scale)


def measure(block: RowBlock, anchors: Anchors, scale: np.ndarray) -> Measured:
    """Measure rows, some at a time.

    Parameters
    ----------
    block : RowBlock
        n scaled rows.
    anchors : Anchors
        Of the fit.
    scale : ndarray of shape (V,)
        Mean squared distance in every view.
    """
    parts = []
    for rows in slices(block.arrays[0].shape[0], rows_at_once(anchors)):
        mask = None if block.mask is None else block.mask[rows]
        some = RowBlock([x[rows] for x in block.arrays], mask)
        parts.append(Measured.of([*find_anchors(some, anchors, NEAR)], scale, mask))
    near, distance, *others = zip(*parts, strict=True)
    by_view = (np.concatenate(x, axis=1) for x in (near, distance))
    return Measured(*by_view, *map(np.concatenate, others))


def rows_at_once(anchors: Anchors) -> int:
    """Return of how many rows the distances from all anchors are held."""
    return max(1, ENTRIES // max(len(anchors.points) * anchors.n_anchors, 1))


def learn_usual(
    block: RowBlock, anchors: Anchors, labels: np.ndarray, n_clusters: int
) -> tuple[Usual, np.ndarray, np.ndarray]:
    """Learn what is usual from the sample of a fit, and judge it.

    Parameters
    ----------
    block : RowBlock
        Scaled rows.
    anchors : Anchors
    labels : ndarray of int, shape (n,)
    n_clusters : int

    Returns
    -------
    usual : Usual
    score, part : ndarray of shape (n,)
        As `judge` returns them.
    """
    pairs = zip(block.arrays, anchors.points, strict=True)
    scale = np.array([max(_mean_distance(x, p), TINY) for x, p in pairs])
    measured = measure(block, anchors, scale)
    V, M = len(scale), anchors.n_anchors
    mass = np.bincount(measured.near[0, _distinct(block), 0], minlength=M)
    reach = measured.reach(mass)
    clusters = np.array([_median(reach[labels == c]) for c in range(n_clusters)])
    sparse = np.nanquantile(reach, SPARSE, axis=0)
    usual = np.where(np.isnan(clusters), sparse, np.minimum(clusters, sparse))
    parts = 1 if V == 1 else 2 * V + 1
    found = Usual(mass, scale, usual.T, np.zeros((V, M)), np.ones((parts, 2)))
    if V > 1:
        found = found._replace(apart=_by_anchor(measured.apart, measured.others, M))
    found = found._replace(tails=_tails(_excess(found, measured, labels)))
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
    x = _excess(usual, measured, labels)
    start, mean = usual.tails.T
    p = (1 - TAIL[0]) * np.exp(np.minimum((start - x) / mean, BULK))
    p[np.isnan(p)] = 1.0
    score = (1 - p.min(axis=1)) ** p.shape[1]
    return score.astype(np.float32), p.argmin(axis=1).astype(np.int16)


def _distinct(block: RowBlock) -> np.ndarray:
    """Return the first copy of every row that occurs more than once.

    Copies of an isolated row would otherwise reach each other.
    """
    hashes = [sum_hash(x, v) for v, x in enumerate(block.arrays)]
    return np.unique(np.sum(hashes, axis=0, dtype=np.uint64), return_index=True)[1]


def _mean_distance(x: Matrix, points: np.ndarray) -> float:
    """Return the mean squared distance of rows and points."""
    norms = squared_norms(x).mean() + squared_norms(points).mean()
    centres = np.asarray(x.mean(axis=0)), np.asarray(points.mean(axis=0))
    return float(norms - 2 * np.ravel(centres[0]) @ np.ravel(centres[1]))


def _log_mean(d: np.ndarray) -> np.ndarray:
    """Return the log of the mean distance of the nearest few, from squared ones."""
    return np.asarray(np.log(np.sqrt(d[:, :REACHED]).mean(axis=1) + TINY))


def _by_anchor(apart: np.ndarray, others: np.ndarray, M: int) -> np.ndarray:
    """Return the mean disagreement of the rows of every anchor; NaN for few rows."""
    found = []
    for x, a in zip(apart.T, others[:, :, 0].T, strict=True):
        known = ~np.isnan(x)
        count = np.bincount(a[known], minlength=M)
        total = np.bincount(a[known], weights=x[known], minlength=M)
        median = _median(x[known])
        found.append(np.where(count > 2, total / np.maximum(count, 1), median))
    return np.array(found)


def _excess(usual: Usual, measured: Measured, labels: np.ndarray) -> np.ndarray:
    """Return what every part is beyond the usual, (n, parts)."""
    beyond = measured.reach(usual.mass) - usual.reach[:, labels].T
    if usual.n_views == 1:
        return np.asarray(beyond[:, :1])
    others = measured.others.swapaxes(0, 1)
    local = [np.median(a[i], axis=1) for a, i in zip(usual.apart, others, strict=True)]
    return np.column_stack([beyond, measured.apart - np.column_stack(local)])


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
