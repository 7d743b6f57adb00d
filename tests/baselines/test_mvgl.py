"""MVGL against its published routine, and its laws."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.mvgl import MVGL, combine_columns

X, TRUTH = planted(dims=(4, 5), rows="sorted")


@pytest.mark.shared
@pytest.mark.parametrize("name", ["", "_k15_loc00", "_k15_loc01", "_k15_loc11"])
def test_equals_the_published_routine(shared_dir, name):
    expected = np.load(shared_dir / f"fixtures/baseA/msrc_mvgl{name}.npz")
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = MVGL(
        7,
        scaling="none",
        n_neighbors=int(expected["k_nn"]),
        local_views=bool(expected["islocal_view"]),
        local_graph=bool(expected["islocal_global"]),
    ).fit(views)
    np.testing.assert_allclose(model.graph_.toarray(), expected["S"], atol=1e-8)
    objective = [entry["objective"] for entry in model.history_]
    np.testing.assert_allclose(objective, expected["obj"], rtol=1e-8)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1
    if "W" in expected:
        W = model.sample_view_weights_
        np.testing.assert_allclose(W.T, expected["W"], atol=1e-8)


@pytest.mark.shared
@pytest.mark.slow
def test_scores_of_the_published_settings_on_2000_samples(shared_dir):
    """The kept labels stem from a run stopped by hand near step 15."""
    expected = np.load(shared_dir / "fixtures/baseA/hw_mvgl_none_k5_local_global.npz")
    views = datasets.load(shared_dir / "data/handwritten4.mat").views
    model = MVGL(10, scaling="none", n_neighbors=5, max_iter=3).fit(views)
    assert adjusted_rand_score(expected["labels"], model.labels_) > 0.99


@pytest.mark.parametrize("local_views", [True, False])
@pytest.mark.parametrize("local_graph", [True, False])
def test_finds_planted_clusters(local_views, local_graph):
    model = MVGL(3, local_views=local_views, local_graph=local_graph)
    model.fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert model.n_components_ == 3


def test_weights_belong_to_samples_and_views():
    a, b = X
    rows = np.random.default_rng(3).permutation(60)
    first = MVGL(4, n_neighbors=5, random_state=0).fit([a, b])
    second = MVGL(4, n_neighbors=5, random_state=0).fit([b[rows], a[rows]])
    W = first.sample_view_weights_
    np.testing.assert_allclose(W.sum(axis=1), 1)
    np.testing.assert_array_equal(W[rows][:, ::-1], second.sample_view_weights_)
    np.testing.assert_allclose(first.view_weights_, W.mean(axis=0))


def test_objective_falls():
    rng = np.random.default_rng(1)
    views = [rng.normal(size=(80, d)) for d in (3, 4)]
    history = MVGL(4, n_neighbors=6).fit(views).history_
    assert len(history) > 2
    assert history[-1]["objective"] < history[0]["objective"]


def make(seed, shape=(30, 12)):
    return sp.random(*shape, 0.4, format="csr", random_state=seed)


def test_no_other_affine_combination_is_nearer():
    A, parts = make(0), [make(s) for s in (1, 2, 3)]
    W = combine_columns(A, parts)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    dense = np.stack([S.toarray() for S in parts])
    cost = ((A.toarray() - np.einsum("jv,vij->ij", W, dense)) ** 2).sum(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        step = rng.normal(size=W.shape) * rng.choice([1e-3, 1e-1, 1])
        other = W + step - step.mean(axis=1, keepdims=True)
        gap = A.toarray() - np.einsum("jv,vij->ij", other, dense)
        assert ((gap**2).sum(axis=0) >= cost - 1e-12).all()


def test_equal_parts_weigh_the_same():
    A, S = make(0), make(1)
    np.testing.assert_allclose(combine_columns(A, [S, S]), 0.5, atol=1e-6)
    np.testing.assert_allclose(combine_columns(A, [A, A, A]), 1 / 3)
