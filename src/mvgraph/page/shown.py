"""The levels of a page: groups with names, typical samples, and what views say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.groups import Groups
from mvgraph.inspection.keywords import count_views
from mvgraph.inspection.markers import standardised_difference
from mvgraph.page.columns import MOST_FEATURES, strongest
from mvgraph.page.fitted import Drawn
from mvgraph.page.levels import Group, Level, describe, names_found
from mvgraph.page.space import Space, seen_alone, told_apart, votes_of_views
from mvgraph.views.container import Views

#: Samples that stand for a group, and that are least sure.
N_TYPICAL, N_LEAST = 8, 6


@dataclass(frozen=True)
class LevelShown:
    """One level: its groups, and what the drawn samples say about them."""

    level: Level
    codes: np.ndarray  # (m,) position of the group among the numbers of the level
    groups: list[Group]
    names: list[str]
    typical: list[list[int]]  # positions among the drawn samples, by group
    least: list[list[int]]
    votes: np.ndarray  # (m, V)
    alone: list[list[float | None]]
    pairs: list[tuple[int, int, int]]
    heat: np.ndarray  # (f, k) difference of the features shown


class Sample(NamedTuple):
    """The drawn samples."""

    rows: np.ndarray
    space: Space
    joint: np.ndarray
    known: Drawn


def show_levels(
    levels: list[Level], base: int, drawn: Sample, views: Views, counted: np.ndarray,
    names: dict[str, Any], texts: Sequence[str], rng: np.random.Generator,
) -> tuple[list[LevelShown], list[tuple[int, int]]]:  # fmt: skip
    """Describe the groups of every level, and choose the features that are shown."""
    some = views if len(counted) == len(views) else views[counted]
    some = in_memory(some)
    words = count_views(Groups(some, levels[0].codes[counted], []), names, None, texts)
    described = []
    for level in levels:
        own = drawn.known.merged(levels[base], level)
        groups = Groups(some, level.codes[counted], level.numbers)
        codes = level.codes[drawn.rows]
        described.append((own, *describe(level, groups, names, words, codes, own)))
    chosen = strongest(described[base][2], MOST_FEATURES)
    shown = []
    for level, (own, groups_, _) in zip(levels, described, strict=True):
        codes = level.codes[drawn.rows]
        sure = None if own is None else own[np.arange(len(codes)), codes]
        votes = votes_of_views(drawn.space, codes, level.k, rng)
        sizes = np.bincount(level.codes, minlength=level.k)
        shown.append(
            LevelShown(
                level,
                codes,
                groups_,
                names_found(level, groups_),
                *_shown_samples(drawn.joint, codes, level.k, sure, drawn.known.usual),
                votes,
                seen_alone(votes, codes, sizes),
                told_apart(votes, codes, level.k),
                _heat(some, level.codes[counted], level.k, chosen),
            )
        )
    return shown, chosen


def _shown_samples(
    joint: np.ndarray,
    codes: np.ndarray,
    k: int,
    sure: np.ndarray | None,
    usual: np.ndarray | None,
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the samples nearest to the mean of their group, and the least sure."""
    typical: list[list[int]] = []
    least: list[list[int]] = []
    for g in range(k):
        rows = np.flatnonzero(codes == g)
        x = joint[rows] - joint[rows].mean(axis=0)
        far = np.einsum("nd,nd->n", x, x)
        typical.append(rows[np.argsort(far, kind="stable")[:N_TYPICAL]].tolist())
        doubt = rows if usual is None else rows[usual[rows]]
        if sure is None:
            least.append([])
        else:
            order = np.argsort(sure[doubt], kind="stable")
            found = doubt[order[:N_LEAST]]
            least.append(found[sure[found] < 0.999].tolist())
    return typical, least


def _heat(
    views: Views, codes: np.ndarray, k: int, chosen: list[tuple[int, int]]
) -> np.ndarray:
    """Return how much every shown feature differs in every group, (features, k)."""
    found = [np.zeros((0, k))]
    for v in sorted({v for v, _ in chosen}):
        columns = [j for u, j in chosen if u == v]
        rows = np.arange(len(codes)) if views.mask is None else views.mask[:, v]
        x = views.arrays[v][rows][:, columns]
        found.append(standardised_difference(x, codes[rows], k).T)
    return np.vstack(found)


def in_memory(views: Views) -> Views:
    """Read rows that are on workers or in a file."""
    arrays = [x if sp.issparse(x) else np.asarray(x) for x in views.arrays]
    if views.on_workers:  # which rows a view lacks is found out anew
        return Views(arrays, views.names, views.ids, views.feature_names)
    return views.replace(arrays, views.feature_names)
