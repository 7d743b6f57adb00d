"""Clusters of very different sizes, isolated groups, memberships and the tree."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

import data
from mvgraph import GraphConsensus, load_model
from mvgraph.consensus.method import DEFAULT, Recipe
from pairs import slow


def rare(large, small, distance, dims=(4, 6), seed=1):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [large, small])
    X = [rng.normal(size=(large + small, d)) + distance * y[:, None] for d in dims]
    order = rng.permutation(len(y))
    return [x[order] for x in X], y[order]


def fit(X, K, recipe=DEFAULT):
    model = GraphConsensus(K, random_state=0)
    if recipe is not DEFAULT:
        model.recipe = recipe
    return model.fit(X)


@pytest.mark.parametrize("n_views", [1, 2])
@pytest.mark.parametrize(
    ("large", "small", "distance"), [(500, 5, 12), (1000, 10, 6), (500, 50, 12)]
)
def test_a_rare_group_beside_a_large_one(large, small, distance, n_views):
    X, y = rare(large, small, distance)
    assert ari(y, fit(X[:n_views], 2).labels_) == 1


@pytest.mark.parametrize("K", [3, *slow(4, 5)])
def test_a_rare_group_is_one_cluster_where_k_is_too_large(K):
    X, y = rare(500, 5, 12)
    labels = fit(X, K).labels_
    own = labels[y == 1]
    assert len(np.unique(own)) == 1
    assert (labels == own[0]).sum() == 5
    assert len(np.unique(labels)) == K


def test_copies_of_a_few_rows_are_no_isolated_group():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = [4 * rng.normal(size=(3, d))[y] + rng.normal(size=(120, d)) for d in (4, 5)]
    far = [np.vstack([x, np.full((8, x.shape[1]), 60.0)]) for x in X]
    labels = fit(far, 3).labels_
    assert len(np.unique(labels[120:])) == 1
    assert ari(y, fit(X, 3).labels_) > 0.95


def test_sizes_that_fall_by_a_factor_of_thirty():
    rng = np.random.default_rng(2)
    sizes = [600, 180, 60, 20]
    y = np.repeat(np.arange(4), sizes)
    X = [5 * rng.normal(size=(4, d))[y] + rng.normal(size=(860, d)) for d in (6, 8)]
    assert ari(y, fit(X, 4).labels_) > 0.95


def test_memberships_confidence_and_probabilities():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = [2.5 * rng.normal(size=(3, d))[y] + rng.normal(size=(200, d)) for d in (3, 4)]
    model = fit(X, 3)
    assert model.membership_.shape == (200, 3)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, rtol=1e-5)
    assert (model.membership_ >= 0).all()
    np.testing.assert_array_equal(model.confidence_, model.membership_.max(axis=1))
    assert (model.membership_.argmax(axis=1) == model.labels_).mean() > 0.95
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X))


def test_samples_between_clusters_are_less_sure():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = [6.0 * y[:, None] + rng.normal(size=(200, d)) for d in (3, 4)]
    for x in X:
        x[:5] = 3 + 0.3 * rng.normal(size=(5, x.shape[1]))
    model = fit(X, 2)
    assert model.confidence_[:5].mean() < model.confidence_[5:].mean()


def test_the_tree_is_cut_at_the_labels_and_at_any_number(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 240)
    X = [5 * rng.normal(size=(4, d))[y] + rng.normal(size=(240, d)) for d in (3, 4)]
    model = fit(X, 4)
    np.testing.assert_array_equal(model.cut(4), model.labels_)
    assert len(np.unique(model.cut(2))) == 2
    assert len(np.unique(model.cut(1))) == 1
    leaves = model.tree_.n_leaves_
    assert leaves >= 8
    assert len(np.unique(model.cut(leaves))) == leaves
    assert len(model.tree_.distances_) == len(model.tree_.children_) == leaves - 1
    for wrong in (0, leaves + 1, 2.0):
        with pytest.raises(ValueError, match=f"from 1 to {leaves}"):
            model.cut(wrong)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").cut(6), model.cut(6))


def test_rows_beyond_the_sample_have_memberships_and_leaves():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    X = [5 * rng.normal(size=(3, d))[y] + rng.normal(size=(600, d)) for d in (3, 4)]
    model = fit(X, 3, Recipe(max_sample=150))
    assert ari(y, model.labels_) > 0.97
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.cut(3), model.labels_)


def test_easy_data_end_after_one_round():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    easy = [20 * rng.normal(size=(3, d))[y] + rng.normal(size=(90, d)) for d in (3, 4)]
    hard = [rng.normal(size=(3, d))[y] + rng.normal(size=(90, d)) for d in (3, 4)]
    few, many = fit(easy, 3), fit(hard, 3)
    assert many.n_iter_ == 2 * few.n_iter_
    again = fit(easy, 3, Recipe(converged=2.0))
    assert again.n_iter_ == many.n_iter_
    np.testing.assert_array_equal(again.labels_, few.labels_)


def test_clusters_that_are_not_divided_keep_their_numbers():
    X, _ = data.planted(300, k=5, dims=(6, 8), spread=3)
    model = GraphConsensus(5, random_state=0).fit(X)
    np.testing.assert_array_equal(model.cut(5), model.labels_)
    levels = {k: model.cut(k) for k in range(1, 20)}
    for k in range(1, 19):
        coarse, fine = levels[k], levels[k + 1]
        pairs = np.unique(np.stack([coarse, fine]), axis=1)
        assert len(pairs.T) == k + 1 == len(np.unique(fine))  # one is divided
        same = pairs[0] == pairs[1]
        assert same.sum() >= k - (k < 5)
    sizes = np.bincount(levels[6])
    assert sizes[5] <= sizes[levels[5][levels[6] == 5][0]]  # the larger part stays


def test_new_samples_are_cut_at_every_level():
    X, _ = data.planted(400, k=4, dims=(6, 8), spread=4)
    model = GraphConsensus(4, random_state=0).fit([x[:300] for x in X])
    new = [x[300:] for x in X]
    np.testing.assert_array_equal(model.cut(4, new), model.predict(new))
    for k in (2, 8):
        assert set(model.cut(k, new)) <= set(model.cut(k))
