from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

import naive
from data import planted
from mvgraph.ops.kmeans import kmeans, lloyd
from mvgraph.ops.linalg.spectral import row_normalise


def test_as_good_as_scikit_learn():
    X = planted(200, 4, dims=(3,), spread=4)[0][0]
    ours = kmeans(X, 4, np.random.default_rng(0))
    theirs = KMeans(4, n_init=10, random_state=0).fit(X)
    assert ours.inertia <= theirs.inertia_ * (1 + 1e-6)


def test_labels_are_nearest_centres_and_centres_are_means():
    X = planted(200, 4, dims=(3,), spread=4)[0][0]
    run = kmeans(X, 4, np.random.default_rng(0))
    D = naive.squared_distances(X, run.centers)
    np.testing.assert_array_equal(run.labels, D.argmin(axis=1))
    for c in range(4):
        np.testing.assert_allclose(run.centers[c], X[run.labels == c].mean(axis=0))
    np.testing.assert_allclose(run.inertia, D.min(axis=1).sum())


def test_more_steps_never_raise_the_inertia():
    X = planted(200, 4, dims=(3,), spread=4, seed=3)[0][0]
    costs = [lloyd(X, X[None, :4], steps)[0].inertia for steps in range(1, 12)]
    assert all(b <= a + 1e-9 for a, b in pairwise(costs))


def test_same_generator_same_labels():
    X = planted(200, 4, dims=(3,), spread=4)[0][0]
    a, b = (kmeans(X, 5, np.random.default_rng(7)).labels for _ in range(2))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_duplicates_and_as_many_clusters_as_points(dtype):
    X = np.repeat(np.eye(3, dtype=dtype), 5, axis=0)
    assert len(set(kmeans(X, 3, np.random.default_rng(0)).labels)) == 3
    run = kmeans(np.eye(3, dtype=dtype), 3, np.random.default_rng(0))
    assert run.inertia == 0
    assert kmeans(X, 5, np.random.default_rng(0)).inertia == 0  # fewer distinct points


def test_an_empty_cluster_takes_the_farthest_sample():
    X = np.array([[0.0], [0.1], [0.2], [9.0]])
    run = lloyd(X, np.array([[[0.0], [50.0]]]), 10)[0]
    assert set(run.labels[:3]) != set(run.labels[3:])


def test_starts_side_by_side_are_starts_one_by_one():
    X = planted(200, 4, dims=(3,), spread=4, seed=5)[0][0]
    centers = np.random.default_rng(0).normal(size=(6, 4, 3))
    together = lloyd(X, centers, 50)
    for r in range(6):
        alone = lloyd(X, centers[r : r + 1], 50)[0]
        np.testing.assert_array_equal(together[r].labels, alone.labels)
        np.testing.assert_allclose(together[r].inertia, alone.inertia)


def test_sparse_rows_give_the_clusters_of_dense_ones():
    X = np.maximum(planted(120, 4, dims=(9,), spread=4)[0][0], 0)
    options = {"n_init": 3, "init": "random"}
    a = kmeans(X, 4, np.random.default_rng(1), **options)
    b = kmeans(sp.csr_matrix(X), 4, np.random.default_rng(1), **options)
    np.testing.assert_array_equal(a.labels, b.labels)
    np.testing.assert_allclose(a.centers, b.centers)
    assert a.inertia == pytest.approx(b.inertia)


def test_random_starts_are_distinct_rows():
    X = np.arange(6.0)[:, None]
    run = kmeans(X, 6, np.random.default_rng(0), n_init=1, max_iter=1, init="random")
    assert sorted(run.centers.ravel()) == list(range(6))


def test_spherical_clusters_have_the_largest_cosine():
    X = row_normalise(planted(120, 4, dims=(5,), spread=3)[0][0])
    run = kmeans(X, 4, np.random.default_rng(0), spherical=True)
    np.testing.assert_allclose(np.linalg.norm(run.centers, axis=1), 1)
    cosines = X @ run.centers.T
    np.testing.assert_array_equal(run.labels, cosines.argmax(axis=1))
    assert run.inertia == pytest.approx(2 * (1 - cosines.max(axis=1)).sum())
