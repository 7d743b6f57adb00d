"""Distances of all pairs of rows, block by block."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.graphs.view_distances import ViewDistances, counted_once
from mvgraph.ops.linalg.principal import centred_unit_rows
from mvgraph.ops.shifted import Shifted

N = 50


def links(share):
    rng = np.random.default_rng(0)
    return sp.csr_matrix((rng.random((N, 400)) < share) * rng.random((N, 400)))


def rows(kind):
    if kind == "dense":
        return np.random.default_rng(0).normal(size=(N, 9)).astype(np.float32)
    x = links(0.1 if kind == "many" else 0.01).astype(np.float32)
    if kind == "shifted":
        return centred_unit_rows(x, np.asarray(x.mean(axis=0)).ravel())
    return x


@pytest.mark.parametrize("kind", ["dense", "few", "many", "shifted"])
def test_distances_are_those_of_the_formed_rows(kind):
    x = rows(kind)
    known = np.arange(N) != 7
    view = ViewDistances.of(x, known)
    X = Shifted.of(x).rows(slice(None)).astype(float)
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    both = known[:, None] & known
    n = known.sum()
    # over all pairs of rows, a row with itself included
    assert view.mean == pytest.approx(D[both].sum() / n**2, rel=1e-5)
    D[~both] = view.mean
    np.testing.assert_allclose(view.block(slice(10, 30)), D[10:30], atol=1e-4)
    i, j = np.repeat(np.arange(N), N), np.tile(np.arange(N), N)
    np.testing.assert_allclose(view.at(i, j), D[i, j], atol=1e-5)


def test_rows_without_a_common_feature_are_no_neighbours():
    x = links(0.01).astype(np.float32)
    i, j = np.repeat(np.arange(N), N), np.tile(np.arange(N), N)
    view = ViewDistances.of(x, np.ones(N, dtype=bool))
    shared = ((x != 0).astype(int) @ (x != 0).astype(int).T).toarray()
    for distances in (view.at(i, j), view.block(slice(0, N)).ravel()):
        np.testing.assert_array_equal(view.unlinked(i, j, distances), shared[i, j] == 0)


def test_views_that_say_the_same_count_once():
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(300, 40)) for _ in range(2))
    turned = a @ np.linalg.qr(rng.normal(size=(40, 40)))[0]
    arrays = [x.astype(np.float32) for x in (a, turned, b)]
    views = [ViewDistances.of(x, np.ones(300, dtype=bool)) for x in arrays]
    w = counted_once(views)
    np.testing.assert_allclose(w, [0.75, 0.75, 1.5], atol=0.02)
    np.testing.assert_array_equal(counted_once(views[:1]), [1])


def test_many_features_of_low_rank_are_multiplied_in_few_directions():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1100, 20)) @ rng.normal(size=(20, 520)) / 20
    x = (x + 0.001 * rng.normal(size=x.shape)).astype(np.float32)
    view = ViewDistances.of(x, np.ones(1100, dtype=bool))
    assert view.left.shape[1] < 300
    D = ((x[:5, None].astype(float) - x[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(view.block(slice(0, 5)), D, atol=0.002 * view.mean)
