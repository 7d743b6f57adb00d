"""SwMC against its published routine, and its laws."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.swmc import SwMC

X, TRUTH = planted(dims=(4, 5), rows="sorted")


@pytest.mark.shared
@pytest.mark.parametrize("k", [5, 10])
@pytest.mark.parametrize("start", ["uniform", "random1"])
def test_equals_the_published_routine(shared_dir, k, start):
    expected = np.load(
        shared_dir / f"fixtures/baseA/msrc_swmc_k{k:02d}_init{start}.npz"
    )
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = SwMC(7, scaling="none", n_neighbors=k, start=expected["alpha0"]).fit(views)
    np.testing.assert_allclose(model.graph_.toarray(), expected["S"], atol=1e-10)
    np.testing.assert_allclose(model.view_weights_, expected["alpha"], atol=1e-12)
    objectives = [entry["objective"] for entry in model.history_]
    n = min(len(objectives), len(expected["obj"]))
    np.testing.assert_allclose(objectives[:n], expected["obj"][:n], atol=1e-7)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1


class InFileOrder(SwMC):
    """Of duplicates in one view the published routine treats the first differently."""

    _order_free = False


@pytest.mark.shared
@pytest.mark.slow
def test_equals_ten_published_steps_on_2000_samples(shared_dir):
    expected = np.load(shared_dir / "fixtures/baseA/hw_swmc_none_k5.npz")
    views = datasets.load(shared_dir / "data/handwritten4.mat").views
    model = InFileOrder(10, scaling="none", n_neighbors=5, max_iter=10).fit(views)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1


@pytest.mark.parametrize("start", ["uniform", "random"])
def test_finds_planted_clusters(start):
    model = SwMC(3, n_neighbors=5, start=start, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert model.n_components_ == 3
    np.testing.assert_allclose(model.graph_.sum(axis=1), 1)


def test_weights_solve_their_problem():
    """The view that is nearest to S weighs most; misleading views weigh less."""
    noise = np.random.default_rng(1).normal(size=(60, 3))
    model = SwMC(3, n_neighbors=5).fit([*X, noise])
    assert model.view_weights_.argmin() == 2


def test_an_array_of_weights_follows_its_views():
    a, b = X
    first = SwMC(3, start=[0.9, 0.1], max_iter=1, random_state=0).fit([a, b])
    second = SwMC(3, start=[0.1, 0.9], max_iter=1, random_state=0).fit([b, a])
    np.testing.assert_array_equal(first.view_weights_, second.view_weights_[::-1])


@pytest.mark.parametrize("start", ["equal", [0.5, 0.25, 0.25]])
def test_bad_start(start):
    with pytest.raises(ValueError, match="start"):
        SwMC(3, start=start).fit(X)
