from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

import naive
from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.tbgl import TBGL, State, fused_embedding, shrink_exclusive
from mvgraph.graphs import partition
from mvgraph.metrics import scores
from mvgraph.ops.affinity.structured import structured_graph
from mvgraph.ops.proximal import tensor
from mvgraph.ops.proximal.threshold import shrink_power

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


columns = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)),
                 elements=st.floats(-5, 5))  # fmt: skip


@given(columns, st.floats(0, 20))
def test_as_the_naive_search(X, weight):
    expected = [naive.shrink_exclusive(x, weight) for x in X.T]
    np.testing.assert_allclose(shrink_exclusive(X, weight).T, expected, atol=1e-12)


@given(columns, st.floats(0.01, 20), st.integers(0, 10**6))
def test_nothing_near_is_better(X, weight, seed):
    def cost(o):
        return weight * np.abs(o).sum(axis=0) ** 2 + ((o - X) ** 2).sum(axis=0)

    best = shrink_exclusive(X, weight)
    noise = np.random.default_rng(seed).normal(size=X.shape)
    for size in (1e-3, 0.1, 1):
        assert (cost(best + size * noise) >= cost(best) - 1e-9).all()


def test_fused_embedding_is_that_of_full_matrices():
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(8), size=(3, 20))  # (V, N, M), rows sum to one
    C[0, :, 2] = 0  # an anchor that one view does not use
    C[0] /= C[0].sum(axis=1, keepdims=True)
    weights = np.array([1.0, 2.0, 0.5])
    F = fused_embedding(C, weights, 4)
    Z = sum(
        w * c / np.sqrt(c.sum(axis=0) + 1e-300) for w, c in zip(weights, C, strict=True)
    )
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    np.testing.assert_allclose(F.values, s[:5], rtol=1e-10)
    np.testing.assert_allclose(F.P @ F.P.T, U[:, :4] @ U[:, :4].T / 2, atol=1e-10)
    full = np.vstack([U[:, :4], Vt[:4].T]) / np.sqrt(2)
    for v, c in enumerate(C):
        A = np.block([[np.zeros((20, 20)), c], [c.T, np.zeros((8, 8))]])
        d = A.sum(axis=1)
        root = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
        # columns without samples count as isolated nodes: 1 on the diagonal of L
        L = np.eye(28) - root[:, None] * A * root
        assert F.traces[v] == pytest.approx(np.trace(full.T @ L @ full), abs=1e-9)
