"""The anchors by which outliers are found, and where samples lie among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors, anchors_of_groups, impute_views
from mvgraph.graphs.bipartite import Found, find_anchors
from mvgraph.ops.arrays import Int
from mvgraph.ops.distance import nearest_of_others, squared_distances, typical
from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock

#: Samples of the fit that must be reached, and near anchors that are compared: fewer
#: than a rare group has.
REACHED = 4
#: Anchors that the other views call near.
NEAR = 10
#: Entries of the distances of all views that are in memory at a time.
ENTRIES = 4_000_000
TINY = 1e-9
#: Steps of k-means. Assumed.
STEPS = 2


class Measured(NamedTuple):
    """Where n rows lie among the anchors."""

    nearest: np.ndarray  # (n,) the nearest anchor in all views together
    near: np.ndarray  # (V, n, k) the nearest anchors in each view
    distance: np.ndarray  # (V, n, k) squared, in units of the view's median
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
            Median squared distance in every view.
        mask : ndarray of bool, shape (n, V), or None
        """
        D = np.stack([one.distances for one in found], dtype=np.float64)
        V, n, M = D.shape
        present = np.ones((n, V), bool) if mask is None else mask
        k = min(NEAR, M)
        seen = np.ascontiguousarray(present.T)
        nearest, others, there = nearest_of_others(D, scale, seen, k)
        near = np.stack([x.indices[:, :k] for x in found])
        distance = np.stack([x.nearest[:, :k] for x in found]) / scale[:, None, None]
        there = np.sort(there, axis=2)
        gaps = [
            _log_mean(a) - _log_mean(b) for a, b in zip(there, distance, strict=True)
        ]
        apart = np.column_stack(gaps)
        if mask is not None:
            apart[~present | (present.sum(axis=1) < 2)[:, None]] = np.nan
        return cls(nearest, near, distance, apart, others.swapaxes(0, 1), present)

    def reach(self, mass: np.ndarray) -> np.ndarray:
        """Return the log distances to four samples, (n, V).

        Parameters
        ----------
        mass : ndarray of shape (M,)
            Samples of every anchor.
        """
        enough = np.cumsum(mass[self.near], axis=2) >= REACHED
        at = np.where(enough.any(axis=2), enough.argmax(axis=2), -1)
        d = np.take_along_axis(self.distance, at[:, :, None], axis=2)[:, :, 0].T
        reach = np.log(np.sqrt(np.maximum(d, 0)) + TINY)
        reach[~self.present] = np.nan
        return reach


def measure(block: RowBlock, anchors: Anchors, scale: np.ndarray) -> Measured:
    """Measure rows, some at a time.

    Parameters
    ----------
    block : RowBlock
        n scaled rows.
    anchors : Anchors
    scale : ndarray of shape (V,)
        Median squared distance in every view.
    """
    parts = []
    for rows in slices(block.arrays[0].shape[0], rows_at_once(anchors)):
        mask = None if block.mask is None else block.mask[rows]
        some = RowBlock([x[rows] for x in block.arrays], mask)
        parts.append(Measured.of([*find_anchors(some, anchors, NEAR)], scale, mask))
    nearest, near, distance, *others = zip(*parts, strict=True)
    by_view = (np.concatenate(x, axis=1) for x in (near, distance))
    return Measured(np.concatenate(nearest), *by_view, *map(np.concatenate, others))


def rows_at_once(anchors: Anchors) -> int:
    """Return of how many rows the distances from all anchors are held."""
    return max(1, ENTRIES // max(len(anchors.points) * anchors.n_anchors, 1))


def _log_mean(d: np.ndarray) -> np.ndarray:
    """Return the log of the mean distance of the nearest few, from squared ones."""
    return np.asarray(np.log(np.sqrt(d[:, :REACHED]).mean(axis=1) + TINY))


def spread_anchors(views: Views, labels: Int, n_anchors: int, least: int) -> Anchors:
    """Return anchors that do not depend on the order of rows, columns or views.

    In every cluster, rows are picked evenly by their distance from its mean; anchors
    are the means of the rows that are near to each.

    Parameters
    ----------
    views : Views
        Scaled views.
    labels : ndarray of int, shape (n,)
        Clusters.
    n_anchors : int
        In proportion to the size of the clusters.
    least : int
        Anchors of every cluster, unless it has fewer samples.

    Returns
    -------
    Anchors
    """
    if views.mask is not None:
        views = impute_views(views)
    clusters = np.unique(labels)
    near = _distances(views, anchors_of_groups(views, labels, clusters))
    picked = []
    for c, cluster in enumerate(clusters):
        rows = np.flatnonzero(labels == cluster)
        count = min(max(least, round(n_anchors * len(rows) / len(labels))), len(rows))
        places = ((np.arange(count) + 0.5) * len(rows) / count).astype(int)
        picked.append(rows[np.argsort(near[rows, c], kind="stable")][places])
    anchors = Anchors(views[np.concatenate(picked)].arrays, None)
    for _ in range(STEPS):
        nearest = np.argmin(_distances(views, anchors), axis=1)
        anchors = anchors_of_groups(views, nearest, np.unique(nearest))
    return anchors


def _distances(views: Views, anchors: Anchors) -> np.ndarray:
    """Return the sum of the squared distances, views scaled to equal energy."""
    total: np.ndarray = np.zeros(1)
    for x, points in zip(views.arrays, anchors.points, strict=True):
        D = squared_distances(x, points)
        total = total + D.astype(np.float64) / max(typical(D), 1e-300)
    return total
