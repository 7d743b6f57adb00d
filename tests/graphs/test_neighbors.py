"""Neighbour graphs of samples."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.graphs.neighbors import (
    mean_of_graphs,
    nearest_neighbors,
    normalised_graph,
    self_tuning_graph,
)


@pytest.mark.parametrize("n", [2, 5, 600, 1100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_those_of_plain_loops(n, dtype):
    x = np.random.default_rng(0).normal(size=(n, 4)).astype(dtype)
    near = nearest_neighbors(x, 7)
    assert near.indices.shape == near.distances.shape == (n, min(7, n - 1))
    for i in range(0, n, max(1, n // 40)):
        d = ((x[i].astype(float) - x) ** 2).sum(axis=1)
        d[i] = np.inf
        expected = np.argsort(d, kind="stable")[: min(7, n - 1)]
        np.testing.assert_array_equal(near.indices[i], expected)
        np.testing.assert_allclose(near.distances[i], d[expected], rtol=1e-5)


def test_weights_are_self_tuning_and_symmetric():
    x = np.random.default_rng(0).normal(size=(50, 3))
    near = nearest_neighbors(x, 8)
    W = self_tuning_graph(near, 5).toarray()
    np.testing.assert_array_equal(W, W.T)
    assert (np.diag(W) == 0).all()
    s = np.sqrt(near.distances[:, 4])
    for i in range(50):
        for j in range(50):
            near_i, near_j = j in near.indices[i, :5], i in near.indices[j, :5]
            d = ((x[i] - x[j]) ** 2).sum()
            expected = np.exp(-d / (s[i] * s[j])) if near_i or near_j else 0
            assert W[i, j] == pytest.approx(expected, abs=1e-12)
    W2 = self_tuning_graph(nearest_neighbors(1000 * x, 8), 5).toarray()
    np.testing.assert_allclose(W, W2, atol=1e-9)


def test_copies_of_a_row_are_linked_and_finite():
    x = np.vstack([np.zeros((30, 2)), np.ones((5, 2))])
    W = self_tuning_graph(nearest_neighbors(x, 6), 6)
    assert np.isfinite(W.data).all()
    assert W[:30, 30:].nnz == 0 or W[:30, 30:].max() < 1e-6


def test_the_mean_graph_leaves_out_rows_without_information():
    x = np.random.default_rng(0).normal(size=(20, 2))
    W = self_tuning_graph(nearest_neighbors(x, 4), 4)
    informative = np.ones((20, 2), dtype=bool)
    informative[3, 1] = False
    mean = mean_of_graphs([W, W], informative)
    keep = sp.diags(informative[:, 1].astype(float))
    expected = normalised_graph(W) + normalised_graph((keep @ W @ keep).tocsr())
    np.testing.assert_allclose(mean.toarray(), expected.toarray())
