"""SMSC against its published routine, and its laws."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import Views, datasets
from mvgraph.baselines._graph_results import normalised_graphs
from mvgraph.baselines.smsc import SMSC, alternate
from mvgraph.views.scaling import scaled

X, TRUTH = planted(dims=(6, 7), rows="sorted")


@pytest.mark.shared
def test_equals_the_published_routine_from_its_start(shared_dir):
    expected = np.load(shared_dir / "fixtures/baseB/smsc_MSRC.npz")
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    graphs = normalised_graphs(scaled(views, "rowz"), SMSC(7).n_neighbors)
    for v, S in enumerate(graphs):
        np.testing.assert_allclose(S.toarray(), expected["S"][:, :, v], atol=1e-10)
    start = np.moveaxis(expected["Fs_init"], 2, 0)
    last, history = alternate(graphs, start, 1e-8, 60)
    np.testing.assert_allclose(last.Y, expected["Y_embedding"], atol=1e-8)
    objective = [entry["objective"] for entry in history]
    np.testing.assert_allclose(objective, expected["obj"], rtol=1e-8)
    assert adjusted_rand_score(expected["labels"], last.Y.argmax(axis=1)) == 1


@pytest.mark.shared
@pytest.mark.parametrize("seed", [0, 1])
def test_smallest_objective_gives_the_published_labels(shared_dir, seed):
    expected = np.load(shared_dir / "fixtures/baseB/smsc_MSRC.npz")
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = SMSC(7, random_state=seed).fit(views)
    assert adjusted_rand_score(expected["labels"], model.labels_) == 1
    assert model.history_[-1]["objective"] < expected["obj"][-1] + 1e-4


def test_finds_planted_clusters():
    model = SMSC(3, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert (model.embedding_ >= 0).all()
    assert model.view_weights_.shape == (2,)


def test_more_patterns_of_signs_are_never_worse():
    rng = np.random.default_rng(1)
    views = [rng.normal(size=(90, d)) for d in (4, 5)]
    last = [
        SMSC(4, n_init=n, random_state=0).fit(views).history_[-1]["objective"]
        for n in (1, 5, 15)
    ]
    assert last[0] >= last[1] * (1 - 1e-9)
    assert last[1] >= last[2] * (1 - 1e-9)


def test_objective_is_the_sum_of_squared_residuals():
    graphs = normalised_graphs(Views(X), 10)
    start = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 60, 3)))[0]
    last, history = alternate(graphs, start, 0, 3)
    gaps = [
        np.linalg.norm(S.toarray() - last.Y @ F.T)
        for S, F in zip(graphs, last.F, strict=True)
    ]
    assert history[-1]["objective"] == pytest.approx(np.square(gaps).sum())
    np.testing.assert_allclose(last.p, 1 / np.array(gaps))
