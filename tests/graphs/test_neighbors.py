"""Neighbour graphs of samples."""

import numpy as np
import pytest

from mvgraph.graphs.neighbors import (
    GraphSource,
    mean_of_graphs,
    nearest_neighbors,
    self_tuning_graph,
)
from mvgraph.graphs.representations import Representation
from mvgraph.graphs.view_distances import ViewDistances
from mvgraph.ops.linalg.laplacian import normalise


def in_one_view(x, k):
    view = ViewDistances.of(x, np.ones(len(x), dtype=bool))
    return nearest_neighbors([view], np.ones(1), k)[1][0]


@pytest.mark.parametrize("n", [2, 5, 600, 1100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_those_of_plain_loops(n, dtype):
    x = np.random.default_rng(0).normal(size=(n, 4)).astype(dtype)
    near = in_one_view(x, 7)
    assert near.indices.shape == near.distances.shape == (n, min(7, n - 1))
    for i in range(0, n, max(1, n // 40)):
        d = ((x[i].astype(float) - x) ** 2).sum(axis=1)
        d[i] = np.inf
        expected = np.argsort(d, kind="stable")[: min(7, n - 1)]
        np.testing.assert_array_equal(near.indices[i], expected)
        np.testing.assert_allclose(near.distances[i], d[expected], rtol=1e-5)


def test_weights_are_self_tuning_and_symmetric():
    x = np.random.default_rng(0).normal(size=(50, 3))
    near = in_one_view(x, 8)
    W = self_tuning_graph(near, 5).toarray()
    np.testing.assert_array_equal(W, W.T)
    assert (np.diag(W) == 0).all()
    s = np.sqrt(near.distances[:, 4])
    for i in range(50):
        for j in range(50):
            near_i, near_j = j in near.indices[i, :5], i in near.indices[j, :5]
            d = ((x[i] - x[j]) ** 2).sum()
            expected = np.exp(-d / (s[i] * s[j])) if near_i or near_j else 0
            assert W[i, j] == pytest.approx(expected, rel=1e-5)
    W2 = self_tuning_graph(in_one_view(1000 * x, 8), 5).toarray()
    np.testing.assert_allclose(W, W2, atol=1e-5)


def test_copies_of_a_row_are_linked_and_finite():
    x = np.vstack([np.zeros((30, 2)), np.ones((5, 2))])
    W = self_tuning_graph(in_one_view(x, 6), 6)
    assert np.isfinite(W.data).all()
    assert W[:30, 30:].nnz == 0 or W[:30, 30:].max() < 1e-6


def test_the_mean_graph_is_the_weighted_sum_of_normalised_graphs():
    x = np.random.default_rng(0).normal(size=(20, 2))
    A, B = (self_tuning_graph(in_one_view(y, 4), 4) for y in (x, x[:, :1]))
    mean = mean_of_graphs([A, B], np.array([0.5, 1.5]))
    expected = 0.5 * normalise(A) + 1.5 * normalise(B)
    np.testing.assert_allclose(mean.toarray(), expected.toarray())


def test_joint_neighbours_are_those_of_the_summed_distances():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(60, d)) * d for d in (3, 50)]
    total = 0
    for x in arrays:
        D = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        total = total + D / D[~np.eye(60, dtype=bool)].mean()
    np.fill_diagonal(total, np.inf)
    rows = [x.astype(np.float32) for x in arrays]
    views = [ViewDistances.of(x, np.ones(60, dtype=bool)) for x in rows]
    joint = nearest_neighbors(views, np.ones(2), 7)[0]
    np.testing.assert_array_equal(joint.indices, total.argsort(axis=1)[:, :7])


def test_rows_that_say_nothing_have_no_neighbours_in_the_view():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(40, 4)).astype(np.float32) for _ in range(2)]
    informative = np.ones((40, 2), dtype=bool)
    informative[5, 1] = False
    source = GraphSource.of(Representation("", arrays), informative, 6)
    assert np.diff(source.view_graphs(6)[1].indptr)[5] == 0
    assert not (
        source.views[1].indices[np.isfinite(source.views[1].distances)] == 5
    ).any()
    assert np.diff(source.mean_graph(6).indptr)[5] > 0
