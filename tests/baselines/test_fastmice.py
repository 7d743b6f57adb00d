"""FastMICE: anchor graphs, the transfer cut, the ensemble; reference scores."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import naive
from data import planted
from mvgraph import datasets
from mvgraph.baselines.fastmice import (
    FastMICE,
    anchor_graph,
    anchor_points,
    random_features,
)
from mvgraph.metrics import scores


def test_planted_clusters_are_found():
    X, truth = planted(120, 4, spread=8)
    model = FastMICE(4, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.n_iter_ == len(model.history_) == 20
    assert all(4 <= h["n_clusters"] <= 8 for h in model.history_)
    assert all(1 <= h["n_views"] <= 2 for h in model.history_)
    np.testing.assert_array_equal(model.graph_.sum(axis=1), 20)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)


def test_weights_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    x, points = rng.normal(size=(30, 3)), rng.normal(size=(12, 3))
    D = np.sqrt(naive.squared_distances(x, points))
    near = np.argsort(D, axis=1)[:, :4]
    width = np.mean([D[i, near[i]] for i in range(30)])
    B = np.zeros((30, 12))
    for i in range(30):
        B[i, near[i]] = np.exp(-(D[i, near[i]] ** 2) / (2 * width**2))
        B[i] /= np.linalg.norm(B[i])
    np.testing.assert_allclose(
        anchor_graph(x, points, 4, False).toarray(), B, atol=1e-12
    )


def test_cosine_weights_are_those_of_the_formula_and_zero_rows_count_nothing():
    rng = np.random.default_rng(0)
    x, points = rng.random((30, 5)), rng.random((12, 5))
    x[3] = 0
    unit = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    S = unit @ (points / np.linalg.norm(points, axis=1, keepdims=True)).T
    B = np.zeros((30, 12))
    for i in range(30):
        near = np.argsort(-S[i], kind="stable")[:4]
        B[i, near] = S[i, near] / max(np.linalg.norm(S[i, near]), 1e-300)
    found = anchor_graph(unit, points, 4, True).toarray()
    np.testing.assert_allclose(found, B, atol=1e-12)
    assert 0 < found[3].sum() < 1e-14


def test_far_samples_keep_their_links():
    x = np.concatenate([np.zeros((50, 1)), [[1e4]]])
    B = anchor_graph(x, np.array([[0.0], [0.1], [0.2]]), 2, False)
    np.testing.assert_array_equal(np.diff(B.indptr), 2)
    np.testing.assert_allclose(np.sqrt(B.multiply(B).sum(axis=1)), 1, rtol=1e-6)


def test_features_are_a_share_and_at_least_one():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 50)) + 1e9
    for _ in range(20):
        drawn = random_features(x, rng, False)
        assert 10 <= drawn.shape[1] <= 40
        np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=1e-6)
    assert random_features(x[:, :1], rng, False).shape == (10, 1)
    wide = random_features(sp.random(10, 50, 0.1, "csr", random_state=0), rng, True)
    assert sp.issparse(wide)


def test_as_many_anchors_as_samples_are_the_samples():
    x = np.arange(8.0)[:, None]
    points = anchor_points(x, 8, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(points, axis=0), x)


@pytest.mark.parametrize("n", [5, 12, 30, 60])
@pytest.mark.parametrize("n_views", [1, 5])
def test_few_samples(n, n_views):
    X, _ = planted(n, dims=(3,) * n_views)
    assert FastMICE(4, random_state=0).fit(X).labels_.shape == (n,)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_zero_rows_constant_columns_and_copies(metric):
    X, truth = planted(90, dims=(6, 1, 4), spread=8)
    X = [np.abs(x) for x in X]
    X[2][:10] = 0
    X.append(np.ones((90, 3)))
    X.append(X[0])
    with warnings.catch_warnings():
        # of one feature, the cosine sees a sign
        warnings.filterwarnings("ignore", "Scaling sample by sample")
        model = FastMICE(3, metric=metric, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert adjusted_rand_score(truth, model.labels_) > 0.5


def test_fewer_distinct_samples_than_clusters_warn():
    X = [np.tile(np.eye(3), (10, 1))]
    with pytest.warns(ConvergenceWarning, match="3 distinct samples"):
        FastMICE(4, random_state=0).fit(X)


def test_units_of_a_view_do_not_matter():
    X, _ = planted(90)
    a = FastMICE(3, random_state=0).fit(X)
    # powers of two, so that the order of rows by content is all that could change
    b = FastMICE(3, random_state=0).fit([X[0] * 2.0**600, X[1] * 2.0**-900])
    assert adjusted_rand_score(a.labels_, b.labels_) == 1


def test_sparse_views_stay_sparse(monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    X = rng.poisson(0.02 + np.eye(3)[truth].repeat(200, axis=1) / 5).astype(float)
    held = FastMICE(3, metric="cosine", random_state=0).fit([X]).labels_
    sparse = sp.csr_matrix(X)
    monkeypatch.setattr(sp.csr_matrix, "todense", None)
    labels = FastMICE(3, metric="cosine", random_state=0).fit([sparse]).labels_
    assert adjusted_rand_score(held, labels) == 1


def test_a_bad_metric_is_refused():
    with pytest.raises(ValueError, match=r"metric must be one of .* got 'l1'"):
        FastMICE(3, metric="l1").fit(planted()[0])


# Mean accuracy of the authors' code on shuffled rows; 1.5 standard deviations. Of 25
# seeds on Mnist4, 24 give .91 to .92 and one .65, which is among the first five: its
# fourth and fifth eigenvalues are nearly equal. The reference had no such run among
# five, so the median is compared there.
@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "K", "middle", "expected", "margin"),
    [
        ("msrc_v5", 7, np.mean, 0.844, 0.070),
        ("handwritten4", 10, np.mean, 0.820, 0.083),
        ("mnist4", 4, np.median, 0.911, 0.0024),
    ],
)
def test_accuracy_of_five_runs(shared_dir, name, K, middle, expected, margin):
    data = datasets.load(shared_dir / f"data/{name}.mat")
    rows = np.random.default_rng(0).permutation(len(data.labels))
    X, truth = data.views[rows], np.asarray(data.labels)[rows]
    found = [
        scores(truth, FastMICE(K, random_state=s).fit(X).labels_)["acc"]
        for s in range(5)
    ]
    assert middle(found) == pytest.approx(expected, abs=margin)
