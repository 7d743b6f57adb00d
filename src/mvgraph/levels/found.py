"""The levels that a search found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Level(NamedTuple):
    """A number of clusters at which the samples fall into groups.

    Parameters
    ----------
    k : int
    stability : float
        How well clusters are found again in other draws, above chance: 1 for all, 0 for
        no better than in noise.
    confidence : float
        Probability that the number, or one within one or a tenth of it, is right.
    views : tuple of float
        How well every view sees the clusters: the share of the nearest neighbours of a
        sample, in the view, that are in its cluster; above chance: 1 for all, 0 for no
        more than without regard to the view, or where a view was left out.
    """

    k: int
    stability: float
    confidence: float
    views: tuple[float, ...]


class Found(NamedTuple):
    """What the search found.

    Parameters
    ----------
    levels : tuple of Level
        The most probable first; none if no division stands out.
    range_ : (low, high)
        Nine tenths of the probability.
    table : dict of str to list
        For every number: k, probability (0 if no division stands out), stability,
        chance.
    """

    levels: tuple[Level, ...]
    range_: tuple[int, int]
    table: dict[str, list[float]]

    @property
    def best_k(self) -> int:
        """The most probable number; 1 if no division stands out."""
        return self.levels[0].k if self.levels else 1

    def for_views(self, positions: np.ndarray) -> Found:
        """Return the same for other views: view i is the one at ``positions[i]``."""
        levels = [
            level._replace(views=tuple(level.views[v] for v in positions))
            for level in self.levels
        ]
        return self._replace(levels=tuple(levels))

    def with_views(self, kept: np.ndarray, n_views: int) -> Found:
        """Return the same for more views: those that were left out see nothing."""
        positions = np.full(n_views, len(kept))
        positions[kept] = np.arange(len(kept))
        levels = [level._replace(views=(*level.views, 0.0)) for level in self.levels]
        return self._replace(levels=tuple(levels)).for_views(positions)

    def rows(self, numbers: np.ndarray | None = None) -> list[dict[str, float]]:
        """Return the table as one dict a number, of some numbers or all."""
        rows = zip(*self.table.values(), strict=True)
        found = [dict(zip(self.table, row, strict=True)) for row in rows]
        return [r for r in found if numbers is None or r["k"] in numbers]
