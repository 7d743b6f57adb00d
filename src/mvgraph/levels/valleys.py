"""Whether there is a valley of density between the clusters of a cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.levels.draws import Tree
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
#: Samples of a cluster that are compared, at most: so many, and four times the mean.
MOST = 50


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
    cuts = tree.cuts(np.array(few))[:, tree.merges.labels]
    found = list(ordered(lambda labels: _of_clusters(labels, others, X), list(cuts)))
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


def _of_clusters(labels: np.ndarray, near: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the valley to the nearest cluster, among all and next to it, (2, k)."""
    K = int(labels.max()) + 1
    links = np.bincount(
        (labels[:, None] * K + labels[near]).ravel(), minlength=K * K
    ).reshape(K, K)
    links = links + links.T
    np.fill_diagonal(links, 0)
    first = np.flatnonzero(links.max(axis=1))
    second = links[first].argmax(axis=1)
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(K + 1))
    half = np.empty(len(labels), dtype=np.int64)
    half[order] = (np.arange(len(labels)) - ends[labels[order]]) % 2
    means, variances = _moments(labels * 2 + half, X, 2 * K)
    most = MOST + 4 * len(X) // K
    sides = [_rows_of(c, order, ends, most) for c in (first, second)]
    pair, rows = (np.concatenate(x) for x in zip(*sides, strict=True))
    far = np.arange(len(pair)) >= len(sides[0][0])  # in the second cluster
    depths = []
    for h in (0, 1):  # learned on one half, measured on the other
        A, B = 2 * first + h, 2 * second + h
        spread = (variances[A] + variances[B]) / 2
        spread += RIDGE * spread.mean(axis=1)[:, None] + 1e-9
        line = (means[B] - means[A]) / spread
        test = half[rows] != h
        p, f = pair[test], far[test]
        at = np.einsum("ij,ij->i", X[rows[test]], line[p]).astype(np.float64)
        n = len(first)
        depths.append((_depths(n, at, p, f), _depths(n, *_next_to(at, p, f))))
    found = np.zeros((2, K))
    found[:, first] = np.mean(depths, axis=0)
    return found


def _rows_of(
    clusters: np.ndarray, order: np.ndarray, ends: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of some clusters in a list, repeated, and their rows."""
    sizes = np.minimum(np.diff(ends)[clusters], most)
    place = np.repeat(np.arange(len(clusters)), sizes)
    within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, order[ends[clusters][place] + within]


def _moments(
    groups: np.ndarray, X: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return means and variances of the groups; zero for an empty one."""
    n = len(groups)
    member = sp.csr_matrix(
        (np.ones(n, dtype=np.float32), (groups, np.arange(n))), shape=(n_groups, n)
    )
    size = np.maximum(np.bincount(groups, minlength=n_groups), 1)[:, None]
    mean = member @ X / size.astype(np.float32)
    square = member @ (X * X) / size.astype(np.float32)
    return mean, np.maximum(square - mean**2, 0)


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


def _depths(n: int, at: np.ndarray, pair: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Return the density in the valley over that of the lower side, of n pairs."""
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
    middles = (BINS[1:] + BINS[:-1]) / 2
    samples = np.maximum(size.reshape(-1, 2).sum(axis=1) / SAMPLES, 1)
    widths = WIDTH * np.round(samples**POWER, 1)
    density = np.empty((n, len(POINTS)))
    for width in np.unique(widths):
        kernel = np.exp(-(((POINTS[:, None] - middles) / width) ** 2) / 2)
        density[widths == width] = counts[widths == width] @ kernel.T
    i = VALLEY.start + density[:, VALLEY].argmin(axis=1)
    left = np.maximum.accumulate(density, axis=1)[np.arange(n), i]
    right = np.maximum.accumulate(density[:, ::-1], axis=1)[np.arange(n), -1 - i]
    lower = np.minimum(left, right)
    depth = density[np.arange(n), i] / np.where(lower > 0, lower, 1)
    return np.where(whole & (lower > 0), depth, 1.0)


def between(at: np.ndarray, far: np.ndarray) -> tuple[float, float]:
    """Return the valley between two sides along a line, among all and next to it."""
    pair, far = np.zeros(len(at), dtype=np.int64), far.astype(np.int64)
    if not 0 < far.sum() < len(far):
        return 1.0, 1.0
    depths = _depths(1, at, pair, far), _depths(1, *_next_to(at, pair, far))
    return float(depths[0][0]), float(depths[1][0])
