"""Divisions that no tree of neighbours shows, and groups of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.ndimage import gaussian_filter1d

from mvgraph.levels.valleys import between
from mvgraph.ops.arrays import Matrix, dense

#: Principal components of a group in which a division is looked for, and those along
#: which it may begin.
COMPONENTS, STARTS = 12, 5
#: Samples on either side, in each half of the group; of the group, at least: the bound
#: below would be 0.22.
LEAST, FEWEST_ROWS = 4, 40
#: Clusters that may form groups, at least; how much further the groups are apart than
#: the clusters within, and how many more clusters there are.
FEWEST, FURTHER, APART = 4, 1.7, 1.5
#: Points where the density along a line is compared, and rounds of a search.
POINTS, ROUNDS = 128, 3
#: Share of the mean variance that is added to that of every component.
RIDGE = 0.05
#: A division: the least likeness of the sides that the halves find, and the most
#: density in the valley and next to it, for many samples; for so few, half of it. Of
#: 264 made groups (normal, heavy-tailed, uniform, skewed, bent; 60 to 500 rows), nine
#: bent ones of 60 and 120 rows passed; of 16 pairs of clusters five standard deviations
#: apart in 500 rows, 15.
ALIKE, VALLEY, FEW = 0.88, 0.5, 50
#: The same of a part that is at most so small: the tail of the large one fills the
#: valley. Of 1,170 made groups (100 to 800 rows, 13 laws), these let 19 pass instead of
#: 15; of 144 pairs of 10 or 20 : 1, five and six deviations apart, 87 instead of 77.
SMALL, SMALL_ALIKE, SMALL_VALLEY = 0.1, 0.9, 0.6
#: A division along a column of so few values is one of the column if the samples of
#: some values are those of the smaller side, by this Jaccard index: between two values,
#: there is nothing anyway. Groups that are one rare word or gene have 0.8 to 1, rare
#: types of cells 0, and clusters of binary columns 0.7 at most.
VALUES, AGREE = 12, 0.8


class Division(NamedTuple):
    """Two parts of a group, as either half of its samples finds them."""

    labels: np.ndarray  # (n,) 0 or 1
    valley: float  # density left between them, in samples that did not find it
    near: float  # the same among the halves next to the valley
    alike: float  # least Jaccard index of the sides that the two halves find

    @property
    def is_clear(self) -> bool:
        """Whether both halves find the same parts, and a valley between them."""
        deepest = max(self.valley, self.near) * (1 + FEW / len(self.labels))
        if deepest <= VALLEY and self.alike >= ALIKE:
            return True
        share = min(self.labels.mean(), 1 - self.labels.mean())
        return bool(
            share <= SMALL and deepest <= SMALL_VALLEY and self.alike >= SMALL_ALIKE
        )


def divided(
    labels: np.ndarray, X: np.ndarray, columns: list[Matrix]
) -> tuple[np.ndarray, float]:
    """Divide clusters as long as a valley parts them.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        -1 for rows of none.
    X : ndarray of shape (n, d)
    columns : list of ndarray or csr_matrix of n rows
        The views as they are given.

    Returns
    -------
    labels : ndarray of int, shape (n,)
    sure : float
        How sure the least sure division is; 1 if there is none.
    """
    labels, sure, c = labels.copy(), 1.0, 0
    while c <= labels.max():
        rows = np.flatnonzero(labels == c)
        parts = clear_division(rows, X, columns, (principal, flattest))
        if parts is None:
            c += 1
            continue
        labels[rows[parts.labels == 1]] = labels.max() + 1
        sure = min(sure, parts.alike * (1 - parts.valley))
    return labels, sure


def clear_division(
    rows: np.ndarray,
    X: np.ndarray,
    columns: list[Matrix],
    bases: tuple[Callable[[np.ndarray], np.ndarray], ...],
) -> Division | None:
    """Return what divides some rows clearly, and not by the values of one column.

    The first basis that finds a clear division decides.
    """
    tried = (hidden_division(X[rows], basis) for basis in bases)
    parts = next((p for p in tried if p is not None and p.is_clear), None)
    if parts is None or of_one_column(parts.labels, [x[rows] for x in columns]):
        return None
    return parts


def of_one_column(labels: np.ndarray, columns: list[Matrix]) -> bool:
    """Return True if the sides are the values of a column of few values."""
    far = labels == 1
    for x in columns:
        squares = sp.csr_matrix(x).power(2) if sp.issparse(x) else x * x
        low, high, mean, square = (
            np.asarray(y.mean(axis=0), dtype=np.float64).ravel()
            for y in (x[~far], x[far], x, squares)
        )
        apart = (high - low) ** 2 / np.maximum(square - mean**2, 1e-300)
        column = dense(x[:, [int(apart.argmax())]])
        values, place = np.unique(column, return_inverse=True)
        if len(values) <= VALUES:
            table = np.bincount(place.ravel() * 2 + far, minlength=2 * len(values))
            table = table.reshape(-1, 2)
            few = int(table[:, 1].sum() * 2 <= len(far))
            of_few = table[:, few] > table[:, 1 - few]
            either = table[:, few].sum() + table[of_few, 1 - few].sum()
            if table[of_few, few].sum() >= AGREE * either:
                return True
    return False


def groups_of(labels: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, float] | None:
    """Return the groups that clusters form, (n,), if these are far apart.

    The centres are merged by their mean distance; there are groups if the next merge is
    so much longer than the last. How much is the second value, from 0 to 1.
    """
    K = int(labels.max()) + 1
    if K < FEWEST:
        return None
    centres = np.stack([X[labels == c].mean(axis=0) for c in range(K)])
    merges = linkage(centres, "average")
    ratio = merges[1:, 2] / np.maximum(merges[:-1, 2], 1e-12)
    i = int(ratio.argmax())
    if ratio[i] < FURTHER or (K - 1 - i) * APART > K:
        return None
    groups = fcluster(merges, K - 1 - i, "maxclust") - 1
    return np.where(labels >= 0, groups[labels], -1), float(1 - 1 / ratio[i])


def principal(X: np.ndarray) -> np.ndarray:
    """Return the first principal components."""
    Z = X - X.mean(axis=0)
    values, axes = np.linalg.eigh(Z.T @ Z)
    kept = values[: -COMPONENTS - 1 : -1] > 1e-6 * max(values[-1], 1e-12)
    return np.asarray((Z @ axes[:, : -COMPONENTS - 1 : -1])[:, kept], dtype=np.float64)


def flattest(X: np.ndarray) -> np.ndarray:
    """Return the columns of least kurtosis, scaled: that of two groups apart is low."""
    Z = X - X.mean(axis=0, dtype=np.float64)
    Z = Z[:, Z.std(axis=0) > 0]
    Z /= Z.std(axis=0)
    order = np.argsort((Z**4).mean(axis=0), kind="stable")
    return np.asarray(Z[:, order[:STARTS]])


def hidden_division(
    X: np.ndarray, basis: Callable[[np.ndarray], np.ndarray] = principal
) -> Division | None:
    """Look for a valley between two parts of a group.

    A line is looked for along which the density of one half of the samples has a
    valley, from each of the first axes of a basis; then the valley is measured in the
    other half, and the other way round.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows in an order that means nothing.
    basis : function, default=principal
    """
    n = len(X)
    if n < FEWEST_ROWS:
        return None
    Z = basis(X)
    halves = [np.arange(n) % 2 == h for h in (0, 1)]
    found = []
    for axis in range(min(STARTS, Z.shape[1])):
        lines = []
        for half in halves:
            line = _line(Z[half], axis)
            if line is None:
                break
            lines.append(line)
        if len(lines) < 2:
            continue
        sides = np.array([Z @ w > t for w, t in lines])
        if (sides[0] != sides[1]).mean() > 0.5:
            sides[1] = ~sides[1]
        alike = _alike(*sides)
        tests = []
        for half, (w, t) in zip(halves, lines, strict=True):
            at = Z[~half] @ w
            tests.append(between(at, at > t))
        valley, near = np.mean(tests, axis=0)
        part = sides[0].astype(np.int64)
        found.append(Division(part, float(valley), float(near), alike))
    return min(found, key=lambda d: d.valley + 1 - d.alike, default=None)


def _line(Z: np.ndarray, axis: int) -> tuple[np.ndarray, float] | None:
    """Find a line with a valley, from a component; and where the valley is.

    None if there is none even in these samples.
    """
    w = np.eye(Z.shape[1])[axis]
    best = None
    for left in range(ROUNDS - 1, -1, -1):
        at = Z @ w
        split = _valley(at)
        if split is None:
            break
        depth, t = split
        if best is None or depth < best[0]:
            best = depth, w, t
        if left:
            w = _between_sides(Z, at > t)
    return None if best is None or best[0] > VALLEY else (best[1], best[2])


def _between_sides(Z: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Return the discriminant of two sides, of length 1."""
    high, low = Z[far].mean(axis=0), Z[~far].mean(axis=0)
    Y = Z - np.where(far[:, None], high, low)
    S = Y.T @ Y / len(Y)
    S = S + RIDGE * np.trace(S) / Z.shape[1] * np.eye(Z.shape[1])
    w = np.linalg.solve(S, high - low)
    return np.asarray(w / np.linalg.norm(w))


def _valley(at: np.ndarray) -> tuple[float, float] | None:
    """Return what is left of the density in the deepest valley, and where it is."""
    ordered = np.sort(at)  # it gives quantiles and counts without looking at all again
    low, high = ordered[LEAST - 1], ordered[-LEAST]
    if high - low <= 1e-6 * max(abs(ordered[0]), abs(ordered[-1])):
        return None
    spread = min(at.std(), (_quantile(ordered, 0.75) - _quantile(ordered, 0.25)) / 1.35)
    width = max(0.9 * spread * len(at) ** -0.2, 1e-2 * (high - low))
    edges = np.linspace(low - 3 * width, high + 3 * width, POINTS + 1)
    below = np.searchsorted(ordered, edges)
    below[-1] = np.searchsorted(ordered, edges[-1], "right")
    points = (edges[1:] + edges[:-1]) / 2
    step = edges[1] - edges[0]
    density = gaussian_filter1d(np.diff(below) + 1e-9, width / step)
    left = np.maximum.accumulate(density)
    right = np.maximum.accumulate(density[::-1])[::-1]
    depth = density / np.minimum(left, right)
    inside = (points > low) & (points < high)
    if not inside.any():
        return None
    i = int(np.where(inside, depth, np.inf).argmin())
    return float(depth[i]), float(points[i])


def _quantile(ordered: np.ndarray, q: float) -> float:
    """Return the quantile that NumPy does, of sorted values."""
    place = (len(ordered) - 1) * q
    i = int(place)
    low, high = ordered[i], ordered[min(i + 1, len(ordered) - 1)]
    t = place - i
    return float(high - (high - low) * (1 - t) if t >= 0.5 else low + (high - low) * t)


def _alike(a: np.ndarray, b: np.ndarray) -> float:
    """Return the least Jaccard index of the sides."""
    pairs = [(a, b), (~a, ~b)]
    return min(float((x & y).sum() / max((x | y).sum(), 1)) for x, y in pairs)
