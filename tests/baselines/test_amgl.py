"""AMGL against its published routine, and its laws."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.amgl import AMGL

X, TRUTH = planted(dims=(4, 5), rows="sorted", centres="axes")


@pytest.mark.shared
@pytest.mark.parametrize("k", [5, 10])
def test_equals_the_published_routine(shared_dir, k):
    expected = np.load(shared_dir / f"fixtures/baseA/msrc_amgl_k{k:02d}.npz")
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = AMGL(7, scaling="none", n_neighbors=k, n_init=1).fit(views)
    F = model.embedding_
    np.testing.assert_allclose(F @ F.T, expected["FFt"], atol=1e-10)
    np.testing.assert_allclose(model.view_weights_, expected["alpha"], rtol=1e-8)
    objective = [entry["objective"] for entry in model.history_]
    np.testing.assert_allclose(objective, expected["obj"], rtol=1e-10)


def test_finds_planted_clusters():
    model = AMGL(3, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    np.testing.assert_allclose(
        model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-12
    )


def test_objective_falls_and_a_noisy_view_weighs_less():
    rng = np.random.default_rng(1)
    clear = planted(120, dims=(4,), spread=2)[0] * 2
    model = AMGL(3, random_state=0).fit([*clear, rng.normal(size=(120, 3))])
    objective = np.array([entry["objective"] for entry in model.history_])
    assert (np.diff(objective) <= 1e-9).all()
    assert model.view_weights_.argmin() == 2
    assert model.view_weights_[0] == pytest.approx(model.view_weights_[1])


def test_a_view_that_falls_apart_keeps_the_weights_finite():
    views = [np.repeat(np.eye(6) * 99, 12, axis=0), np.arange(72.0)[:, None] ** 1.5]
    model = AMGL(3, random_state=0).fit(views)
    assert np.isfinite(model.view_weights_).all()
    assert len(np.unique(model.labels_)) == 3
