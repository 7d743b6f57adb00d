"""Valleys between the clusters of the cuts of a tree."""

import numpy as np
import pytest

from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.representations import UNIT, Representation
from mvgraph.levels.draws import draw_trees
from mvgraph.levels.valleys import valleys


@pytest.fixture(scope="module")
def grown():
    """Return the tree of four clusters, two of which touch, and their rows."""
    rng = np.random.default_rng(0)
    truth = np.arange(240) % 4
    centres = np.array([[0, 0, 0], [3, 0, 0], [0, 12, 0], [0, 0, 12]])
    X = (centres[truth] + rng.normal(size=(240, 3))).astype(np.float32)
    source = GraphSource.of(Representation(UNIT, [X]), np.ones((240, 1), bool), 20)
    return draw_trees(source, 0, n_draws=0)["joint"][0], source.joint.indices, X


def test_a_number_has_the_valleys_that_it_has_alone(grown):
    numbers = np.arange(2, 12)
    together = valleys(*grown, numbers)
    for i, number in enumerate(numbers):
        alone = valleys(*grown, np.array([number]))
        assert [x[i] for x in together] == [x[0] for x in alone]


def test_valleys_are_deep_until_a_cluster_is_divided(grown):
    depth = valleys(*grown, np.arange(2, 9)).mean
    assert depth[:2].max() < 0.1
    assert depth[2] < 0.5 < depth[-1]
