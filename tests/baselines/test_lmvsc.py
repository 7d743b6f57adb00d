"""LMVSC: weights of anchors, singular vectors, guards; reference scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines import lmvsc
from mvgraph.baselines.lmvsc import LMVSC, anchor_weights, left_vectors, scaled
from mvgraph.metrics import scores
from mvgraph.ops.proximal.simplex import simplex_qp


def test_planted_clusters_are_found():
    X, truth = planted(120, 4, spread=8)
    model = LMVSC(4, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.graph_.shape == (120, 8)
    np.testing.assert_allclose(model.graph_.sum(axis=1), np.sqrt(2))
    assert (model.graph_.data >= 0).all()
    assert max(h["residual"] for h in model.history_) < 1e-9


@pytest.mark.parametrize(
    ("kind", "offset"), [(np.asarray, 0), (np.asarray, 1e5), (sp.csr_matrix, 0)]
)
def test_weights_are_the_minima_one_by_one(kind, offset):
    rng = np.random.default_rng(0)
    x, H = rng.random((20, 6)) + offset, rng.random((5, 6)) + offset
    x[:, 2] = H[:, 2] = 0
    Z, residual = anchor_weights(kind(x), H, 0.3)
    G, y = H - H[0], x - H[0]  # the slow solver does not centre
    slow = [simplex_qp(G @ G.T + 0.3 * np.eye(5), 2 * G @ r) for r in y]
    np.testing.assert_allclose(Z.toarray(), slow, atol=1e-8)
    assert residual < 1e-9


def test_vectors_are_those_of_the_dense_decomposition():
    rng = np.random.default_rng(0)
    Z = rng.random((50, 12))
    U = left_vectors(sp.csr_matrix(Z), 4)
    theirs = np.linalg.svd(Z, full_matrices=False)[0][:, :4]
    np.testing.assert_allclose(U @ U.T, theirs @ theirs.T, atol=1e-8)


def test_vectors_end_at_the_rank():
    Z = sp.csr_matrix(np.eye(2)[[0, 1, 1, 0, 1]])
    assert left_vectors(sp.hstack([Z, Z], format="csr"), 4).shape == (5, 2)


def test_sparse_z_scores_stay_sparse_and_give_the_labels_of_dense_ones(monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    X = rng.poisson(0.1 + np.eye(3)[truth].repeat(20, axis=1)).astype(float)
    held = LMVSC(3, random_state=0).fit([X])
    found = LMVSC(3, random_state=0).fit([sp.csr_matrix(X)])
    np.testing.assert_allclose(found.graph_.toarray(), held.graph_.toarray(), atol=1e-8)
    np.testing.assert_array_equal(found.labels_, held.labels_)
    assert sp.issparse(scaled(sp.csr_matrix(X), "zscore"))


@pytest.mark.parametrize("n", [4, 5, 12])
@pytest.mark.parametrize("n_views", [1, 5])
def test_few_samples(n, n_views):
    X, _ = planted(n, dims=(3,) * n_views)
    assert LMVSC(4, random_state=0).fit(X).labels_.shape == (n,)


def test_zero_rows_constant_columns_and_copies():
    X, truth = planted(90, dims=(6, 1, 4), spread=8)
    X[2][:10] = 0
    X.append(np.ones((90, 3)))
    X.append(X[0])
    model = LMVSC(3, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert adjusted_rand_score(truth, model.labels_) > 0.5
    zeros = model.graph_.toarray()[:10, 6:9]
    np.testing.assert_allclose(zeros, zeros[:1].repeat(10, axis=0))


def test_fewer_distinct_samples_than_clusters_warn():
    X = [np.tile(np.eye(3), (10, 1))]
    with pytest.warns(ConvergenceWarning, match="3 distinct samples"):
        LMVSC(4, random_state=0).fit(X)


def test_weights_that_are_not_optimal_warn(monkeypatch):
    def even(Q, inner):
        return np.full(inner.shape, 1 / inner.shape[1])

    monkeypatch.setattr(lmvsc, "simplex_qps", even)
    with pytest.warns(ConvergenceWarning, match="weights of view 'view_.' violate"):
        LMVSC(3, random_state=0).fit(planted()[0])


@pytest.mark.parametrize("bad", [{"n_anchors": 61}, {"alpha": 0.0}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        LMVSC(3, **bad).fit(planted()[0])


# mean accuracy of the reference on shuffled rows, and 1.5 standard deviations
@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "K", "mean", "margin"),
    [
        ("msrc_v5", 7, 0.749, 0.041),
        ("handwritten4", 10, 0.837, 0.089),
        ("mnist4", 4, 0.875, 0.0072),
    ],
)
def test_mean_of_five_runs(shared_dir, name, K, mean, margin):
    data = datasets.load(shared_dir / f"data/{name}.mat")
    rows = np.random.default_rng(0).permutation(len(data.labels))
    X, truth = data.views[rows], np.asarray(data.labels)[rows]
    found = [
        scores(truth, LMVSC(K, random_state=s).fit(X).labels_)["acc"] for s in range(5)
    ]
    assert np.mean(found) == pytest.approx(mean, abs=margin)
