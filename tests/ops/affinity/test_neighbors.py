"""Graphs of nearest neighbours: against loops, and their laws."""

import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.ops.affinity.neighbors import (
    nearest_others,
    neighbor_graph,
    rows_to_csr,
    symmetrise,
)


@pytest.fixture
def points():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[7] = X[3]  # duplicates
    return X


@pytest.mark.parametrize("k", [1, 5, 28])
def test_graph_equals_the_loops(points, k):
    np.testing.assert_allclose(
        neighbor_graph(points, k).toarray(), naive.neighbor_graph(points, k), atol=1e-12
    )


def test_rows_are_on_the_simplex_and_self_is_no_neighbour(points):
    W = neighbor_graph(points, 5)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    assert W.data.min() > 0
    assert not W.diagonal().any()
    assert W[3, 7] == W[3].max()


def test_ties_go_to_the_smaller_index():
    X = np.array([[0.0], [1.0], [-1.0], [1.0], [5.0]])
    assert nearest_others(X, 2)[0][0].tolist() == [1, 2]


def test_equal_distances_give_equal_weights():
    W = neighbor_graph(np.zeros((6, 2)), 3).toarray()
    assert (W[W > 0] == 1 / 3).all()
    np.testing.assert_allclose(W.sum(axis=1), 1)


def test_scale_and_storage_change_nothing(points):
    W = neighbor_graph(points, 5).toarray()
    np.testing.assert_allclose(neighbor_graph(points * 1e4, 5).toarray(), W, atol=1e-10)
    S = neighbor_graph(sp.csr_matrix(points), 5).toarray()
    np.testing.assert_allclose(S, W, atol=1e-12)


def test_few_samples():
    assert neighbor_graph(np.array([[0.0], [1.0]]), 5).toarray().tolist() == [
        [0, 1],
        [1, 0],
    ]
    assert neighbor_graph(np.array([[0.0], [1.0], [3.0]]), 5).nnz == 3


def test_symmetrise(points):
    W = neighbor_graph(points, 5) + sp.eye(30)
    S = symmetrise(W)
    assert abs(S - S.T).max() == 0
    assert not S.diagonal().any()
    W.setdiag(0)
    np.testing.assert_allclose(S.toarray(), (W + W.T).toarray() / 2)


def test_rounding_noise_between_duplicates_counts_as_zero():
    points = np.repeat(np.random.default_rng(0).normal(size=(3, 9)), 20, axis=0) + 1e3
    d = nearest_others(points, 19)[1]
    assert not d.any()


def test_published_routines_drop_the_first_of_the_sorted_samples(points):
    idx, d = nearest_others(points, 5, drop_first=True)
    assert idx[3, 0] == 7  # of the duplicates 3 and 7 the first drops itself
    assert idx[7, 0] == 7
    assert d[7, 0] == 0
    rest = np.delete(np.arange(30), 7)
    np.testing.assert_array_equal(idx[rest], nearest_others(points, 5)[0][rest])


def test_making_a_matrix_leaves_its_parts_alone():
    idx, weights = np.array([[2, 0], [1, 2]]), np.array([[0.7, 0.3], [0.0, 1.0]])
    before = idx.copy(), weights.copy()
    W = rows_to_csr(idx, weights, 3)
    assert W.toarray().tolist() == [[0.3, 0, 0.7], [0, 0, 1]]
    assert W.nnz == 3
    np.testing.assert_array_equal(idx, before[0])
    np.testing.assert_array_equal(weights, before[1])
