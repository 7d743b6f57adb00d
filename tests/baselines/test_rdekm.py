import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.rdekm import RDEKM, cluster
from mvgraph.views.scaling import fit_scaling, scale_views


def objective(X, labels, K):
    """sum_v ||X_v - W_v F_v G'||_F by its definition, W_v the best for the labels."""
    total = 0.0
    G = np.eye(K)[labels]
    for x in X:
        x = x - x.mean(axis=0)
        means = np.linalg.pinv(G) @ x
        scatter = (G @ means).T @ (G @ means)
        W = np.linalg.eigh(scatter)[1][:, ::-1][:, : K - 1]
        total += np.linalg.norm(x - G @ means @ W @ W.T)
    return total


def test_planted_clusters_are_found():
    X, truth = planted(90)
    model = RDEKM(n_clusters=3, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.view_weights_.sum() == pytest.approx(1)
    assert model.n_iter_ == len(model.history_)


@pytest.mark.parametrize("seed", range(5))
def test_objective_is_that_of_the_definition_and_falls(seed):
    rng = np.random.default_rng(seed)
    X = tuple(rng.normal(size=(60, d)) for d in (3, 8, 70))
    labels = np.concatenate([np.arange(4), rng.integers(4, size=56)])
    final, delta, history = cluster(X, labels, 4, 50)
    values = [entry["objective"] for entry in history]
    assert values[0] == pytest.approx(objective(X, labels, 4), rel=1e-10)
    assert (np.diff(values) <= 1e-9).all()
    assert len(np.unique(final)) == 4
    assert delta.shape == (3,)


def test_sparse_views_give_what_dense_ones_give():
    X, _ = planted(90)
    X = [np.round(np.abs(x)) for x in X]
    dense = RDEKM(n_clusters=3, scaling="max", random_state=0).fit(X)
    sparse = RDEKM(n_clusters=3, scaling="max", random_state=0)
    sparse.fit([sp.csr_matrix(x) for x in X])
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


def test_no_cluster_is_empty_where_samples_coincide():
    X = [np.repeat([[0.0, 1.0], [5.0, 2.0]], 5, axis=0)]
    with pytest.warns(ConvergenceWarning, match="2 distinct samples"):
        model = RDEKM(n_clusters=4, random_state=0).fit(X)
    assert len(set(model.labels_)) == 4


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(3))
def test_stored_reconstructions_are_fixed_points(shared_dir, seed):
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    stored = np.load(shared_dir / f"fixtures/baseA/msrc_rdekm_A_seed{seed}.npz")
    X = scale_views(views, [fit_scaling(x, "max") for x in views.arrays]).arrays
    labels = np.unique(stored["labels"], return_inverse=True)[1]
    final, delta, history = cluster(X, labels, 7, 50)
    np.testing.assert_array_equal(final, labels)
    assert history[-1]["objective"] == pytest.approx(stored["obj"][-1], rel=1e-10)
    np.testing.assert_allclose(delta, stored["w"], rtol=1e-8)


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(3))
def test_stored_reconstructions_from_their_start(shared_dir, seed):
    from sklearn.cluster import KMeans

    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    stored = np.load(shared_dir / f"fixtures/baseA/msrc_rdekm_A_seed{seed}.npz")
    X = scale_views(views, [fit_scaling(x, "max") for x in views.arrays]).arrays
    parts = [x - x.mean(axis=0) for x in X]
    joined = np.hstack([x / np.linalg.norm(x) for x in parts])
    start = KMeans(7, n_init=1, random_state=seed).fit_predict(joined)
    labels, _, history = cluster(X, start, 7, 100)
    values = [entry["objective"] for entry in history]
    np.testing.assert_allclose(values, stored["obj"][: len(values)], rtol=1e-10)
    assert adjusted_rand_score(stored["labels"], labels) == 1


@pytest.mark.slow
@pytest.mark.shared
def test_mean_of_twenty_starts_on_msrc(shared_dir):
    data = datasets.load(shared_dir / "data/msrc_v5.mat")
    entry = methods.get("rdekm")
    from mvgraph.metrics import scores

    runs = [
        scores(
            data.labels, entry.make(7, s, "paper", data.name).fit_predict(data.views)
        )
        for s in range(20)
    ]
    assert np.mean([r["acc"] for r in runs]) == pytest.approx(0.743, abs=0.03)
    assert np.mean([r["nmi"] for r in runs]) == pytest.approx(0.683, abs=0.03)
