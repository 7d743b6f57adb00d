"""What graphs say about base partitions."""

import numpy as np
import pytest

from mvgraph.consensus.base_partitions import (
    FAMILIES,
    Partition,
    assortativity,
    base_partitions,
    evidence_of,
)
from mvgraph.graphs.neighbors import GraphSource
from mvgraph.graphs.representations import PLAIN, Representation


def planted(sizes=(90, 30, 12)):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    arrays = [
        (4 * np.eye(3, d)[y] + rng.normal(size=(len(y), d))).astype(np.float32)
        for d in (4, 5)
    ]
    known = np.ones((len(y), 2), dtype=bool)
    return y, GraphSource.of(Representation(PLAIN, arrays), known, 10)


def test_a_large_class_cut_in_two_counts_less_than_a_small_one_that_is_found():
    y, source = planted()
    halves = np.where(y > 0, 2, np.arange(len(y)) % 2)
    parts = [
        Partition("true", "mean, communities", y),
        Partition("halves", "mean, spectral", halves),
        Partition("joint", "joint, spectral", y, 0.3),
    ]
    found = evidence_of(parts, source.mean_graph(10))
    np.testing.assert_array_equal(found[[0, 2]], [1, 0.3])
    assert found[1] < 0.01


def test_links_at_random_are_no_evidence_whatever_the_sizes():
    y, source = planted()
    shuffled = np.random.default_rng(1).permutation(y)
    W = source.mean_graph(10)
    chance, true = assortativity(W, np.stack([shuffled, y]))
    assert abs(chance) < 0.05 < 0.8 < true
    nothing = evidence_of([Partition("one", "mean, spectral", 0 * y)], W)
    assert np.isfinite(nothing).all()


@pytest.mark.parametrize(("pieces", "kinds"), [(3, 4), (12, 2)])
def test_a_joint_graph_that_leaves_open_what_belongs_together_is_not_cut(pieces, kinds):
    rng = np.random.default_rng(0)
    of, y = np.arange(360) % pieces, np.arange(360) % 3
    links = (40 * rng.normal(size=(pieces, 5)))[of] + rng.normal(size=(360, 5))
    words = (2 * rng.normal(size=(3, 20)))[y] + rng.normal(size=(360, 20))
    arrays = [x.astype(np.float32) for x in (links, links + 0.1, words)]
    known = np.ones((360, 3), dtype=bool)
    source = GraphSource.of(Representation(PLAIN, arrays), known, 20)
    found = base_partitions([source], 20, 3, 0, lambda: None)
    assert {p.family for p in found} == set(FAMILIES[-kinds:])
