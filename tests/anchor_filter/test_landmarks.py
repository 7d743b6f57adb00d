"""Isolated groups of landmarks."""

import numpy as np

from mvgraph.anchor_filter.landmarks import isolated_groups
from mvgraph.anchor_filter.links import Points


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
