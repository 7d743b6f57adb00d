"""Whether there is a valley of density between the clusters of a cut."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mvgraph.levels.draws import Tree
from mvgraph.levels.pairs import Clusters, Pairs
from mvgraph.ops.parallel import ordered

#: Cuts are looked at one by one up to the first number, then in steps of a share, from
#: the second on of another; between them, values are interpolated.
ONE_BY_ONE, STEP, MANY_CLUSTERS, LONG_STEP = 12, 1.12, 32, 1.25
#: Width of the kernel in distances of two centres, for so many samples a cluster: two
#: normal clusters four standard deviations apart are 1.1 times as wide as alone. More
#: samples allow less, by the usual power.
WIDTH, SAMPLES, POWER = 0.125, 50, -0.2
#: Points between two centres where the density is compared, and those of the valley.
POINTS, VALLEY = np.linspace(0, 1, 21), slice(5, 16)
#: Bins of the density, from half a distance before the first centre to as far behind.
BINS = np.linspace(-0.5, 1.5, 161)
#: Share of the mean variance that is added to that of every feature.
RIDGE = 0.1


class Valleys(NamedTuple):
    """How much of the density is left between clusters, by number of clusters."""

    mean: np.ndarray  # (k,) over clusters
    median: np.ndarray
    near: np.ndarray  # median, among the halves of the clusters next to the valley
    second: np.ndarray  # largest but one: two that were one both have it


def side_by_side(arrays: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Join the views, each scaled to the variance of its weight, float32."""
    total = [max(float(x.var(axis=0).sum()), 1e-12) for x in arrays]
    scales = np.sqrt(weights / np.array(total))
    parts = [x * s for x, s in zip(arrays, scales, strict=True)]
    return np.asarray(np.hstack(parts), dtype=np.float32)


def spread_over_steps(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Spread values on a grid, as integers are, evenly over the steps of the grid.

    The gaps between them would look like valleys where there are few columns.
    """
    columns = []
    for column in x.T.astype(np.float64):
        gaps = np.diff(np.unique(column))
        step = gaps.min() if len(gaps) else 0.0
        columns.append(column + step * rng.uniform(-0.5, 0.5, len(column)))
    return np.stack(columns, axis=1)


def valleys(
    tree: Tree, near: np.ndarray, X: np.ndarray, numbers: np.ndarray
) -> Valleys:
    """Measure the valleys between neighbouring clusters.

    Every cluster is compared with the one that most of its neighbours are in; one that
    has none stands apart, whatever its form: 0. The samples of both are projected on
    the line that tells the two apart, found on the other half of them; the value is the
    least density between the centres over the smaller of the largest on either side. It
    is near 0 for clusters that stand apart, and mostly above 0.6 where one group was
    divided.

    Parameters
    ----------
    tree : Tree
        Of all rows.
    near : ndarray of int, shape (n, k)
        Neighbours of every row in X, itself where there are fewer.
    X : ndarray of shape (n, d)
        From `side_by_side`, not scaled to rows of length 1: that would part a long
        group into its two ends.
    numbers : ndarray of int
        Ascending; of clusters.
    """
    X = X[tree.rows]
    place = np.full(len(near), -1)
    place[tree.rows] = np.arange(len(tree.rows))
    others = place[near[tree.rows]]
    own = np.broadcast_to(np.arange(len(X))[:, None], others.shape)
    others = np.where(others < 0, own, others)
    few = _some(int(numbers[0]), min(int(numbers[-1]), tree.merges.n_leaves_))
    cuts, leaves = tree.cuts(np.array(few)), tree.merges.labels
    clusters = Clusters.of(cuts, leaves, X)
    pairs = Pairs.of(cuts, leaves, others, clusters)
    found = [np.zeros((2, len(own))) for own in clusters.of_cuts]
    depths = _of_pairs(clusters, pairs, X)
    for of_cut, first, depth in zip(found, pairs.first, depths, strict=True):
        of_cut[:, first] = depth.T
    mean = [of_cut[0].mean() for of_cut in found]
    median, next_to = np.array([np.median(of_cut, axis=1) for of_cut in found]).T
    second = [np.sort(of_cut[0])[-2:][0] for of_cut in found]
    of_few = (mean, median, next_to, second)
    return Valleys(*(np.interp(np.log(numbers), np.log(few), v) for v in of_few))


def _some(first: int, last: int) -> list[int]:
    """Return some numbers, from the first to the last."""
    few, k = [], first
    while k < last:
        few.append(k)
        step = STEP if k < MANY_CLUSTERS else LONG_STEP
        k = k + 1 if k < ONE_BY_ONE else int(np.ceil(k * step))
    return [*few, last]


def _of_pairs(clusters: Clusters, pairs: Pairs, X: np.ndarray) -> list[np.ndarray]:
    """Return the valleys of the pairs of every cut, among all and next to it, (p, 2).

    What is in several cuts is looked at once.
    """
    starts = [0, *pairs.ends[:-1]]
    new = [slice(a, b) for a, b in zip(starts, pairs.ends, strict=True) if a < b]
    parts = list(ordered(lambda part: _shapes_of(clusters, pairs, part, X), new))
    if not parts:
        return [np.empty((0, 2)) for _ in starts]
    shapes = _Shapes(*(np.concatenate(x) for x in zip(*parts, strict=True)))
    depths = []
    for own in pairs.of_cuts:
        density = [
            _densities(shapes.counts[own, i], shapes.widths[own, i]) for i in range(4)
        ]
        every = _depths(np.concatenate(density), shapes.whole[own].T.ravel())
        depths.append(every.reshape(2, 2, len(own)).mean(axis=0).T)
    return depths


class _Shapes(NamedTuple):
    """How the samples of pairs lie along the lines that tell them apart.

    Of either half, and of all and those next to the other cluster: (p, 4).
    """

    counts: np.ndarray  # (p, 4, bins)
    widths: np.ndarray  # (p, 4) of the kernel
    whole: np.ndarray  # (p, 4) True where both sides have samples, and differ


def _shapes_of(clusters: Clusters, pairs: Pairs, part: slice, X: np.ndarray) -> _Shapes:
    """Learn lines on one half of every cluster, and look along them at the other."""
    found = []
    for half in (0, 1):
        means, variances = clusters.means[half::2], clusters.variances[half::2]
        A, B = pairs.clusters[part].T
        spread = (variances[A] + variances[B]) / 2
        spread += RIDGE * spread.mean(axis=1)[:, None] + 1e-9
        line = (means[B] - means[A]) / spread
        sides = [
            clusters.rows_of_half(c, m, 1 - half)
            for c, m in zip((A, B), pairs.most[part].T, strict=True)
        ]
        pair, rows = (np.concatenate(x) for x in zip(*sides, strict=True))
        far = np.arange(len(pair)) >= len(sides[0][0])  # in the second cluster
        at = np.einsum("ij,ij->i", X[rows], line[pair]).astype(np.float64)
        found += [_shape(len(A), at, pair, far)]
        found += [_shape(len(A), *_next_to(at, pair, far))]
    return _Shapes(*(np.stack(x, axis=1) for x in zip(*found, strict=True)))


def _next_to(
    at: np.ndarray, pair: np.ndarray, far: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the half of either cluster that is nearer to the other."""
    group = pair * 2 + far
    order = np.lexsort((np.where(far, at, -at), group))
    ends = np.searchsorted(group[order], group)
    size = np.bincount(group)[group]
    rank = np.empty(len(at), dtype=np.int64)
    rank[order] = np.arange(len(at))
    kept = rank - ends < (size + 1) // 2
    return at[kept], pair[kept], far[kept]


def _shape(n: int, at: np.ndarray, pair: np.ndarray, far: np.ndarray) -> _Shapes:
    """Count the samples of n pairs in bins along their lines."""
    size = np.bincount(pair * 2 + far, minlength=2 * n)
    centre = np.bincount(pair * 2 + far, at, minlength=2 * n) / np.maximum(size, 1)
    low, high = centre[::2], centre[1::2]
    whole = (size.reshape(-1, 2) > 0).all(axis=1) & (high > low)
    scaled = (at - low[pair]) / np.where(whole, high - low, 1)[pair]
    bins = np.searchsorted(BINS, scaled) - 1
    inside = (bins >= 0) & (bins < len(BINS) - 1)
    shape = n, len(BINS) - 1
    counts = np.bincount(
        pair[inside] * shape[1] + bins[inside], minlength=shape[0] * shape[1]
    ).reshape(shape)
    samples = np.maximum(size.reshape(-1, 2).sum(axis=1) / SAMPLES, 1)
    return _Shapes(counts, WIDTH * np.round(samples**POWER, 1), whole)


def _densities(counts: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Return the densities at `POINTS`, (p, points)."""
    density = np.empty((len(counts), len(POINTS)))
    for width in set(widths.tolist()):
        own = widths == width
        density[own] = counts[own] @ _kernel(width).T
    return density


@lru_cache
def _kernel(width: float) -> np.ndarray:
    middles = (BINS[1:] + BINS[:-1]) / 2
    return np.asarray(np.exp(-(((POINTS[:, None] - middles) / width) ** 2) / 2))


def _depths(density: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return the density in the valley over that of the lower side, of n pairs."""
    n = np.arange(len(density))
    i = VALLEY.start + density[:, VALLEY].argmin(axis=1)
    left = np.maximum.accumulate(density, axis=1)[n, i]
    right = np.maximum.accumulate(density[:, ::-1], axis=1)[n, -1 - i]
    lower = np.minimum(left, right)
    depth = density[n, i] / np.where(lower > 0, lower, 1)
    return np.where(whole & (lower > 0), depth, 1.0)


def between(at: np.ndarray, far: np.ndarray) -> tuple[float, float]:
    """Return the valley between two sides along a line, among all and next to it."""
    pair, far = np.zeros(len(at), dtype=np.int64), far.astype(np.int64)
    if not 0 < far.sum() < len(far):
        return 1.0, 1.0
    found = _shape(1, at, pair, far), _shape(1, *_next_to(at, pair, far))
    shapes = (_densities(counts, widths) for counts, widths, _ in found)
    depths = _depths(
        np.concatenate(list(shapes)), np.array([x.whole[0] for x in found])
    )
    return float(depths[0]), float(depths[1])
