import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.graphs import partition
from mvgraph.ops.labels import anchor_memberships


@pytest.mark.parametrize("seed", range(5))
def test_components_as_a_flood_fill(seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((15, 12)) * (rng.random((15, 12)) < 0.1)
    Z[Z.sum(axis=1) == 0, 0] = 1
    count, labels, anchors = partition.components(sp.csr_matrix(Z))
    expected = naive.components(Z)
    assert count == len(set(expected))
    pairs = set(zip(labels, expected, strict=True))
    assert len(pairs) == count
    for j in range(12):
        users = set(labels[Z[:, j] > 0])
        assert users == ({anchors[j]} if anchors[j] >= 0 else set())


def test_explicit_zeros_connect_nothing():
    Z = sp.csr_matrix((np.array([1.0, 0.0, 1.0]), ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert partition.components(Z)[0] == 2


def test_memberships_are_shares():
    Z = np.array([[0.5, 0.5, 0], [1.0, 0, 0], [0, 1.0, 0]])
    B = anchor_memberships(Z, np.array([0, 0, 1]), 2)
    np.testing.assert_allclose(B, [[1, 0], [1 / 3, 2 / 3], [0, 0]])


def test_numbering_by_first_occurrence():
    old = partition.by_first_occurrence(np.array([4, 2, 4, 7, 2]))
    np.testing.assert_array_equal(old, [4, 2, 7])
