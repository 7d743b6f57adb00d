"""The drawn samples: which, where, and in every view who is near whom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.graphs.layout import layout_2d
from mvgraph.graphs.representations import informative_rows, reduced_representation
from mvgraph.graphs.samples import SampleGraph
from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views

#: Principal components of a view. Assumed, as in the search for levels.
N_COMPONENTS = 30
#: Samples that all others are compared with in a view, and how many near ones vote.
REFERENCE, NEAR = 2000, 15
ROWS = 4096
#: Vote of a view that the sample lacks.
NONE = 65_535
#: Balanced accuracy from which a view tells two groups apart, and up to which the
#: others do not.
APART, MIXED = 0.9, 0.7
#: Fewer samples than this are placed by their two leading components.
FEWEST = 6
#: Samples on a page. More would not be seen on a screen, and the file would be too
#: large for a message.
MOST = 50_000
#: Samples of every group that are shown at least, if it has them.
KEPT = 500


def draw_rows(labels: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows, so that rare groups keep enough to be seen.

    Every group keeps 500 rows, or all that it has; of many groups, each keeps its share
    of `most`. The others are drawn in proportion to the sizes.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Group of every row, -1 for none.
    most : int
        Rows that are drawn, at most.
    rng : Generator

    Returns
    -------
    ndarray of int, ascending

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.page.space import draw_rows
    >>> labels = np.repeat([0, 1], [100, 3])
    >>> rows = draw_rows(labels, 10, np.random.default_rng(0))
    >>> np.bincount(labels[rows]).tolist()
    [7, 3]
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    groups, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    quota = np.minimum(sizes, min(KEPT, most // len(groups)))
    spare, left = most - int(quota.sum()), sizes - quota
    if spare > 0:
        quota = quota + np.floor(left * (spare / max(int(left.sum()), 1))).astype(int)
    order = rng.permutation(n)
    # position of every row among those of its group, in the drawn order
    by_group = np.argsort(codes[order], kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[by_group] = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[place < quota[codes[order]]])


def lay_out(graph: SampleGraph) -> tuple[np.ndarray, str]:
    """Lay the drawn samples out, and say how if that is not by the graph."""
    if len(graph.features) < FEWEST:
        plane = np.zeros((len(graph.features), 2))
        plane[:, : graph.features.shape[1]] = graph.features[:, :2]
        return plane, ""
    try:
        return np.asarray(layout_2d(graph)), ""
    except ImportError as error:
        note = f"The map shows the two leading principal components: {error}."
        return np.asarray(graph.features[:, :2]), note


class Space(NamedTuple):
    """Reduced views of the drawn samples; rows have length one."""

    arrays: list[np.ndarray]  # (n, r) each
    known: np.ndarray  # (n, V): False where the view says nothing of the sample

    @classmethod
    def of(cls, sample: Views) -> Space:
        """Reduce the views of the drawn samples."""
        known = informative_rows(sample)
        if len(sample) < 3:
            arrays = [np.zeros((len(sample), 1), np.float32)] * sample.n_views
            return cls(arrays, known)
        found = reduced_representation(sample, known, N_COMPONENTS)
        return cls(found.arrays, known)


def votes_of_views(
    space: Space, codes: np.ndarray, n_groups: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the group that every view alone would give a sample: that of near ones.

    Votes are relative to how frequent a group is among the samples that may vote, so
    that large groups do not win where a view says nothing.

    Parameters
    ----------
    space : Space
    codes : ndarray of int, shape (n,)
        Groups 0 .. n_groups - 1.
    n_groups : int
    rng : Generator

    Returns
    -------
    ndarray of uint16, shape (n, V)
        Groups; NONE where the view lacks the sample.
    """
    n, V = space.known.shape
    found = np.full((n, V), NONE, dtype=np.uint16)
    for v, x in enumerate(space.arrays):
        there = np.flatnonzero(space.known[:, v])
        # who votes: as many of every group, as far as it has them
        chosen = draw_rows(codes[there], REFERENCE, rng)
        if len(chosen) < 2:
            continue
        reference = there[chosen]
        weight = 1 / np.maximum(np.bincount(codes[reference], minlength=n_groups), 1)
        of = codes[reference]
        for some in slices(len(there), ROWS):
            rows = there[some]
            D = squared_distances(x[rows], x[reference])
            D[rows[:, None] == reference[None]] = np.inf
            near, _ = nearest_columns(D, min(NEAR, len(reference) - 1))
            votes = np.zeros((len(rows), n_groups))
            np.add.at(
                votes, (np.arange(len(rows))[:, None], of[near]), weight[of[near]]
            )
            found[rows, v] = votes.argmax(axis=1)
    return found


def seen_alone(
    votes: np.ndarray, codes: np.ndarray, sizes: np.ndarray
) -> list[list[float | None]]:
    """Return by view and group the share of its samples that the view puts there.

    The last entry of a view is the share of all samples, by the sizes of the groups.
    """
    out: list[list[float | None]] = []
    for vote in votes.T:
        known = vote != NONE
        count = np.bincount(codes[known], minlength=len(sizes))
        hit = np.bincount(codes[known & (vote == codes)], minlength=len(sizes))
        share = hit / np.maximum(count, 1)
        weight = sizes * (count > 0)
        whole = float(share @ weight / weight.sum()) if weight.any() else None
        cells = [float(s) if c else None for s, c in zip(share, count, strict=True)]
        out.append([*cells, whole])
    return out


def told_apart(
    votes: np.ndarray, codes: np.ndarray, n_groups: int
) -> list[tuple[int, int, int]]:
    """List pairs of groups that only one view tells apart, with that view.

    A view tells them apart if at least 90 % of the samples of both are on their own
    side of its votes for the two; the others do not if at most 70 % are.
    """
    V, tables = votes.shape[1], []
    for vote in votes.T:
        known = vote != NONE
        table = np.zeros((n_groups, n_groups))
        np.add.at(table, (codes[known], vote[known]), 1)
        tables.append(table)
    if V < 2:
        return []
    sides = []
    for T in tables:
        own, other = np.diag(T)[:, None], T
        share = own / np.maximum(own + other, 1)
        share[(own + other) == 0] = 0.5
        sides.append((share + share.T) / 2)
    S = np.stack(sides)
    best = S.argmax(axis=0)
    second = np.sort(S, axis=0)[-2]
    pairs = np.argwhere(np.triu((S.max(axis=0) >= APART) & (second <= MIXED), 1))
    return [(int(a), int(b), int(best[a, b])) for a, b in pairs]
