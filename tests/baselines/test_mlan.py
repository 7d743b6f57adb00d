"""MLAN against its published routine, and its laws."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.mlan import MLAN

X, TRUTH = planted(dims=(4, 5), rows="sorted")


def from_fixture(f, n_clusters):
    return MLAN(
        n_clusters,
        scaling=str(f["preprocessing"]),
        n_neighbors=int(f["k_nn"]),
        weight=float(f["lambda0"]),
        resort=bool(f["resort"]),
        compound=bool(f["compounding"]),
    )


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "name",
    ["msrc_mlan"]
    + [
        f"msrc_mlan_{scaling}_l{start}_resort{resort}"
        for scaling in ("rowz", "none", "max")
        for start in ("01", "10")
        for resort in (0, 1)
        if (scaling, start, resort) != ("rowz", "01", 0)
    ],
)
def test_equals_the_published_routine(shared_dir, name):
    expected = np.load(shared_dir / f"fixtures/baseA/{name}.npz")
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = from_fixture(expected, 7).fit(views)
    np.testing.assert_allclose(model.graph_.toarray(), expected["S"], atol=1e-10)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1
    assert model.n_components_ == expected["n_found"]
    np.testing.assert_allclose(
        model.view_weights_, expected["w_history"].prod(axis=0), rtol=1e-8
    )


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("start", [1, 10, 13])
def test_equals_the_published_labels_on_2000_samples(shared_dir, start):
    expected = np.load(shared_dir / f"fixtures/baseA/hw_mlan_rowz_k9_l{start}.npz")
    views = datasets.load(shared_dir / "data/handwritten4.mat").views
    model = MLAN(10, scaling="rowz", weight=start).fit(views)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1


@pytest.mark.parametrize("compound", [True, False])
@pytest.mark.parametrize("resort", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_finds_planted_clusters(compound, resort, make):
    model = MLAN(3, n_neighbors=5, compound=compound, resort=resort)
    model.fit([make(x) for x in X])
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.history_[-1]["residual"] < 1e-10


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_solve_their_problem():
    """w = 1 / (2 sqrt(sum d s)), with the S of the step before."""
    rng = np.random.default_rng(1)
    views = [rng.normal(size=(60, 3)), rng.normal(size=(60, 4)) * 2]
    first, second = (
        MLAN(3, scaling="none", compound=False, max_iter=n, weight=1e-3) for n in (1, 2)
    )
    first.fit(views)
    second.fit(views)
    for v, x in enumerate(views):
        D = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        expected = 1 / (2 * np.sqrt((D * first.graph_.toarray()).sum()))
        np.testing.assert_allclose(second.view_weights_[v], expected)


def test_random_start_depends_on_the_seed_only():
    a, b = (MLAN(3, weight="random", random_state=4).fit(X) for _ in "ab")
    assert a.history_[0]["objective"] == b.history_[0]["objective"]


@pytest.mark.parametrize("weight", ["some", 0, -1.0])
def test_bad_weight(weight):
    with pytest.raises(ValueError, match="weight"):
        MLAN(3, weight=weight).fit(X)


def test_two_samples():
    model = MLAN(2)
    with pytest.warns(ConvergenceWarning):
        assert model.fit(np.array([[0.0, 1.0], [5.0, 5.0]])).n_components_ == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_samples_that_are_all_equal():
    assert len(MLAN(3).fit([np.ones((40, 3)), np.ones((40, 2))]).labels_) == 40
