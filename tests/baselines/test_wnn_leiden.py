"""WNN and Leiden: reference scores, steered and free numbers of communities, laws."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import data
from mvgraph import datasets
from mvgraph.baselines.wnn_leiden import WNNLeiden
from mvgraph.metrics import accuracy

planted = partial(data.planted, 150, dims=(4, 6))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "K", "expected", "weights"),
    [
        ("msrc_v5", 7, 0.786, [0.258, 0.188, 0.194, 0.181, 0.180]),
        ("handwritten4", 10, 0.649, [0.146, 0.193, 0.122, 0.539]),
        pytest.param(
            *("mnist4", 4, 0.912, [0.295, 0.405, 0.300]), marks=pytest.mark.slow
        ),
    ],
)
def test_accuracy_and_weights_of_the_reference(shared_dir, file, K, expected, weights):
    found = datasets.load(shared_dir / f"data/{file}.mat")
    scores = []
    for seed in range(5):
        model = WNNLeiden(K, random_state=seed).fit(found.views)
        assert model.n_communities_ == K
        scores.append(accuracy(found.labels, model.labels_))
        np.testing.assert_allclose(model.view_weights_, weights, atol=2e-3)
    assert np.mean(scores) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("n_clusters", [3, 4, 6])
def test_the_number_of_communities_is_steered(n_clusters):
    X, truth = planted()
    model = WNNLeiden(n_clusters, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == model.n_communities_ == n_clusters
    assert model.history_[-1]["resolution"] == model.resolution_
    np.testing.assert_allclose(model.sample_view_weights_.sum(axis=1), 1)
    assert sp.issparse(model.graph_)
    if n_clusters == 3:
        assert adjusted_rand_score(truth, model.labels_) == 1


def test_a_given_resolution_finds_its_own_number():
    X, _ = planted()
    few = WNNLeiden(2, resolution=0.5, random_state=0).fit(X)
    many = WNNLeiden(2, resolution=5.0, random_state=0).fit(X)
    assert few.n_communities_ < many.n_communities_
    assert few.n_iter_ == many.n_iter_ == 1


def test_order_and_seed():
    X, _ = planted(noise=2.0)
    order = np.random.default_rng(3).permutation(150)
    first, again = (WNNLeiden(3, random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, again.labels_)
    turned = WNNLeiden(3, random_state=4).fit([x[order] for x in X[::-1]])
    assert adjusted_rand_score(first.labels_[order], turned.labels_) == 1
    np.testing.assert_allclose(
        first.sample_view_weights_[order], turned.sample_view_weights_[:, ::-1]
    )


def test_a_view_that_no_other_predicts_weighs_more():
    """Noise too: the published weights are no measure of worth."""
    X, truth = planted(dims=(5, 5))
    noise = np.random.default_rng(1).normal(size=(150, 5))
    model = WNNLeiden(3, random_state=0).fit([*X, noise])
    assert model.view_weights_.argmax() == 2
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_narrow_constant_and_sparse_views():
    X, truth = planted()
    narrow = truth[:, None] * 9.0 + np.random.default_rng(0).normal(size=(150, 1))
    flat = np.ones((150, 3))
    wide = sp.csr_matrix(np.hstack([np.eye(3)[truth], np.zeros((150, 40))]))
    model = WNNLeiden(3, random_state=0).fit([*X, narrow, flat, wide])
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_zero_rows_and_duplicates():
    _, truth = planted()
    rows = np.array([[0, 0, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1.0]])[truth]
    with pytest.warns(ConvergenceWarning):  # copies are linked among each other only
        model = WNNLeiden(4, random_state=0).fit([rows, sp.csr_matrix(rows)])
    groups = {(a, b) for a, b in zip(model.labels_, truth, strict=True)}
    assert len(groups) == len({a for a, _ in groups})  # no community is mixed


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n", [2, 3, 10])
def test_fewer_samples_than_neighbors(n):
    x = np.random.default_rng(0).normal(size=(n, 3))
    assert len(WNNLeiden(2, resolution=1.0, random_state=0).fit([x, x]).labels_) == n


@pytest.mark.parametrize(
    "bad",
    [
        {"n_neighbors": 0},
        {"resolution": 0.0},
        {"n_candidates": 0},
        {"n_components": 0},
        {"prune": 1.5},
    ],
)
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        WNNLeiden(3, **bad).fit(planted()[0])
