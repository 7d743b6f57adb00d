from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.tbgl import TBGL, State
from mvgraph.graphs import partition
from mvgraph.metrics import scores
from mvgraph.ops.affinity.structured import structured_graph
from mvgraph.ops.linalg.fused import fused_embedding
from mvgraph.ops.proximal import tensor
from mvgraph.ops.proximal.shrink import shrink_power

MSRC = "data/msrc_v5.mat"


def test_planted_clusters_are_found():
    X, truth = planted(90, rows="sorted")
    model = TBGL(n_clusters=3).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.n_iter_ == len(model.history_) <= 52
    assert model.view_weights_.sum() == pytest.approx(1)
    assert model.graph_.shape == (90, 45)


def test_constraints_come_to_hold():
    X, _ = planted(90, rows="sorted")
    history = TBGL(n_clusters=3, max_iter=150).fit(X).history_  # 52 are too few
    residuals = [entry["residual"] for entry in history]
    assert residuals[-1] < 1e-3 * residuals[0]


def test_rows_of_the_learned_graphs_stay_on_the_simplex():
    rng = np.random.default_rng(0)
    B = rng.dirichlet(np.ones(10), size=(3, 21))  # odd N
    model, kappa, zero = TBGL(n_clusters=3), np.full(3, 1 / 3), np.zeros_like(B)
    s = State(*[zero] * 7, fused_embedding(B, 1 / kappa, 3), kappa)
    for _ in range(5):
        s = model._step(B, s)
        assert s.C.min() >= 0
        np.testing.assert_allclose(s.C.sum(axis=2), 1, atol=1e-12)
        assert s.kappa.sum() == pytest.approx(1)


def test_reads_the_order_of_rows_and_says_so():
    assert methods.get("tbgl").order_free is False
    assert TBGL._order_free is False


@pytest.mark.shared
def test_published_run_from_its_graphs(shared_dir, monkeypatch):
    """With the slips of the code: the last view's O for all, 4 shrinkage steps."""
    stored = np.load(shared_dir / "fixtures/baseB/tbgl_MSRC.npz")
    monkeypatch.setattr(tensor, "shrink_power", partial(shrink_power, n_iter=4))
    B = np.ascontiguousarray(np.moveaxis(stored["B"], 2, 0))
    model, kappa, zero = TBGL(n_clusters=7), np.full(5, 0.2), np.zeros_like(B)
    s = State(*[zero] * 7, fused_embedding(B, 1 / kappa, 7), kappa)
    for _ in range(int(stored["iters"])):
        s = model._step(B, s._replace(O=np.broadcast_to(s.O[-1], s.O.shape)))
        assert s.rank_gap == 1  # the rank test never stops the loop
    np.testing.assert_allclose(s.kappa, stored["kesai"], atol=1e-10)
    np.testing.assert_allclose(s.C, np.moveaxis(stored["C"], 2, 0), atol=1e-8)
    weights = 1 / s.kappa / (1 / s.kappa).sum()
    mean = np.tensordot(weights, s.C, 1)
    np.testing.assert_allclose(mean, stored["common_graph"], atol=1e-8)
    count, labels, _ = partition.components(structured_graph(mean, 7).graph)
    assert count == 7
    assert adjusted_rand_score(stored["labels"], labels) == 1


@pytest.mark.slow
@pytest.mark.shared
def test_scores_come_from_the_order_of_the_file(shared_dir):
    data = datasets.load(shared_dir / MSRC)
    make = methods.get("tbgl").make
    sorted_ = make(7, 0, "paper", data.name).fit_predict(data.views)
    assert scores(data.labels, sorted_)["acc"] >= 0.98
    rows = np.random.default_rng(0).permutation(210)
    shuffled = make(7, 0, "paper", data.name).fit_predict(data.views[rows])
    assert scores(data.labels[rows], shuffled)["acc"] < 0.8
