"""Rows linked to points: whole numbers of the fused closed-form graphs."""

from functools import partial

import numpy as np

from data import planted
from mvgraph.anchor_filter.links import (
    TOTAL,
    Points,
    isolated_groups,
    link_rows,
    view_and_joint_graphs,
    view_graphs,
)
from mvgraph.ops.distance import squared_distances
from mvgraph.views.rows import RowBlock


def test_rows_are_whole_numbers_of_the_fused_graph():
    (a, b), _ = planted(40, noise=3.0)
    points = Points((a[:9], b[:9]), np.array([2.0, 3.0]), 3)
    block = RowBlock([a, b], None)
    present = np.ones((40, 2), dtype=bool)
    both = partial(view_and_joint_graphs, share=0.75)
    for graphs, joint in ((both, True), (view_graphs, False)):
        idx, counts, _ = link_rows(block, points, present, graphs)
        assert (counts.sum(axis=1) == TOTAL).all()
        dense = np.zeros((40, 10))
        np.add.at(dense, (np.arange(40)[:, None], idx), counts / TOTAL)
        D = [
            squared_distances(x, p) for x, p in zip((a, b), points.arrays, strict=True)
        ]
        mean = sum(closed_form(d, 3) for d in D) / 2
        if joint:
            summed = closed_form(D[0] / 2 + D[1] / 3, 3)
            mean = 0.25 * mean + 0.75 * summed
        np.testing.assert_allclose(dense[:, :9], mean, atol=7 / TOTAL)


def closed_form(D, k):
    Z = np.zeros_like(D)
    for d, z in zip(D, Z, strict=True):
        near = np.argsort(d)
        gap = d[near[k]] - d[near[:k]]
        z[near[:k]] = gap / gap.sum()
    return Z


def rare(large, small, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [large, small])
    return [rng.normal(size=(len(y), d)) + 12 * y[:, None] for d in (4, 6)], y


def test_groups_are_small_separate_and_of_enough_distinct_rows():
    def groups(X, K):
        return isolated_groups(Points(tuple(X), np.ones(len(X)), 5), K).max() + 1

    assert groups(rare(400, 8, 0)[0], 2) == 1
    assert groups(rare(400, 4, 0)[0], 2) == 0  # fewer than a row has neighbours
    assert groups(rare(400, 8, 0)[0], 1) == 0  # more components than clusters
    assert groups(rare(400, 300, 0)[0], 2) == 0  # not small
    X, _ = rare(400, 8, 0)
    X[1][-8:] -= 12  # separate in one view only
    assert groups(X, 2) == 0
