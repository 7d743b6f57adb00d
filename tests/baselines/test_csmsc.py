"""CSMSC: stored iterates, the published steps as loops, wide and sparse views."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import naive
from data import planted
from mvgraph import datasets
from mvgraph.baselines.csmsc import CSMSC, joined_coordinates, principal_coordinates


@pytest.mark.shared
@pytest.mark.parametrize("weight", ["0.1", "1"])
def test_similarity_is_as_stored(shared_dir, weight):
    name = f"csmsc_lc0.05_ld{weight}_MSRC.npz"
    stored = np.load(shared_dir / "fixtures" / "baseB" / name)
    views = datasets.load(shared_dir / "data" / "msrc_v5.mat").views
    model = CSMSC(7, common_weight=0.05, specific_weight=float(weight))
    Z = model.fit(views).graph_
    assert model.n_iter_ == stored["iters"]
    np.testing.assert_allclose(Z, stored["Z"], atol=1e-6 * stored["Z"].max())
    last = abs(model.history_[-1]["residual"] - model.history_[-2]["residual"])
    assert last == pytest.approx(stored["last_err"], rel=1e-6)


@pytest.mark.parametrize("dims", [(3, 4), (4, 30)])  # joined rank below and above n
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_coordinates_change_no_step(dims, kind):
    X, _ = planted(15, dims=dims)
    expected = naive.csmsc(X, 0.5, 0.1, 100)[2]
    model = CSMSC(3, common_weight=0.5, specific_weight=0.1, scaling="none")
    Z = model.fit([kind(x) for x in X]).graph_
    np.testing.assert_allclose(Z, expected, atol=1e-9 * expected.max())


def test_planted_clusters_are_found():
    X, truth = planted(dims=(20, 25))
    model = CSMSC(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    np.testing.assert_array_equal(model.graph_, model.graph_.T)
    assert model.graph_.min() >= 0
    assert len(model.history_) == model.n_iter_ == 100


def test_samples_of_zeros():
    X, _ = planted()
    X[0][:3] = 0
    assert np.isfinite(CSMSC(3, scaling="none").fit(X).graph_).all()
    X[1][:3] = 0  # not similar to anything
    model = CSMSC(3, scaling="none").fit(X)
    assert model.graph_[:3].max() < 1e-12 * model.graph_.max()


@pytest.mark.parametrize("name", ["common_weight", "specific_weight", "max_iter"])
def test_bad_parameters(name):
    with pytest.raises(ValueError, match=name):
        CSMSC(3, **{name: 0}).fit(planted()[0])


RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [3, 12, 30])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_gram_matrix_stays_and_features_are_orthogonal(d, kind):
    X = RNG.normal(size=(12, d))
    X[:, 0] = X[:, 1]
    R = principal_coordinates(kind(X))
    np.testing.assert_allclose(R.T @ R, X @ X.T, atol=1e-12)
    gram = R @ R.T
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-12)
    assert R.shape == (min(d - 1, 12), 12)


def test_a_view_of_zeros_keeps_one_coordinate():
    assert principal_coordinates(np.zeros((5, 3))).shape == (1, 5)


@pytest.mark.parametrize("dims", [(2, 3), (9, 9)])
def test_joined_coordinates(dims):
    c = joined_coordinates([RNG.normal(size=(12, d)) for d in dims])
    np.testing.assert_allclose(c.B.T @ c.B, np.eye(c.B.shape[1]), atol=1e-12)
    for R, power, T in zip(c.R, c.power, c.T, strict=True):
        np.testing.assert_allclose(T.T @ c.B.T, R, atol=1e-12)
        np.testing.assert_allclose(R @ R.T, np.diag(power.ravel()), atol=1e-12)
    S = np.vstack(c.R)
    np.testing.assert_allclose(
        c.B @ c.inverse @ c.B.T @ S.T, np.linalg.solve(S.T @ S + np.eye(12), S.T)
    )
