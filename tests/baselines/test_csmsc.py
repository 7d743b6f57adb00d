"""CSMSC: stored iterates, the published steps as loops, wide and sparse views."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import naive
from data import planted
from mvgraph import datasets
from mvgraph.baselines.csmsc import CSMSC


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
