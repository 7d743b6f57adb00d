"""ETLMSC: stored tensor, its fixed point, and what shuffled rows do to it."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.etlmsc import ETLMSC
from mvgraph.metrics import scores
from mvgraph.ops.affinity.similarity import symmetrise_chain


@pytest.mark.shared
def test_symmetrised_chain_and_labels_are_as_stored(shared_dir):
    stored = np.load(shared_dir / "fixtures" / "baseB" / "etlmsc_lam0.025_MSRC.npz")
    views = datasets.load(shared_dir / "data" / "msrc_v5.mat").views
    model = ETLMSC(7, error_weight=0.025, scaling="none", random_state=0).fit(views)
    assert model.n_iter_ == stored["iters"]
    P = symmetrise_chain(model.graph_)
    np.testing.assert_allclose(P, stored["P_hat"], atol=1e-10)
    assert adjusted_rand_score(stored["labels"], model.labels_) > 0.98


@pytest.mark.shared
def test_its_scores_come_from_files_sorted_by_class(shared_dir):
    data = datasets.load(shared_dir / "data" / "msrc_v5.mat")
    rows = np.random.default_rng(0).permutation(210)
    model = ETLMSC(7, error_weight=0.025, scaling="none", random_state=0)
    sorted_ = scores(data.labels, model.fit(data.views).labels_)["acc"]
    shuffled = scores(data.labels[rows], model.fit(data.views[rows]).labels_)["acc"]
    assert sorted_ > 0.94
    assert shuffled < 0.5


def test_planted_clusters_and_a_feasible_end():
    X, truth = planted(noise=0.5, rows="sorted")
    model = ETLMSC(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.history_[-1]["residual"] < 1e-6
    assert model.n_iter_ == len(model.history_)


@pytest.mark.parametrize("n", [30, 31])
def test_odd_and_even_numbers_of_samples(n):
    X, _ = planted(rows="sorted")
    model = ETLMSC(3, error_weight=0.3, random_state=0).fit([x[:n] for x in X])
    assert model.history_[-1]["residual"] < 1e-6


def test_nothing_left_is_no_error():
    X, _ = planted(rows="sorted")
    model = ETLMSC(3, error_weight=1e-6).fit(X)
    assert model.labels_.shape == (60,)


@pytest.mark.parametrize("bad", [{"error_weight": 0}, {"mu": 0}, {"eta": 1.0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        ETLMSC(3, **bad).fit(planted(rows="sorted")[0])
