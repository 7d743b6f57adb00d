"""SNF against its formulas with loops, scores of the public code, and its laws."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import data
from mvgraph import datasets
from mvgraph.baselines.snf import (
    SNF,
    congruence,
    density_network,
    fuse,
    strongest_links,
    suggest_by_eigengap,
)
from mvgraph.metrics import accuracy

planted = partial(data.planted, 90, dims=(4, 5))


def naive_network(x, k, mu):
    """The similarities of one view, pair by pair."""
    n = len(x)
    rho = np.array([[np.linalg.norm(a - b) for b in x] for a in x])
    mean = [np.sort(np.delete(rho[i], i))[:k].mean() for i in range(n)]
    W = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            width = mu * (mean[i] + mean[j] + rho[i, j]) / 3
            W[i, j] = np.exp(-(rho[i, j] ** 2) / (2 * width**2)) / width
    P = W / W.sum(axis=1, keepdims=True)
    return (P + P.T) / 2


def test_network_and_links_equal_the_formulas():
    x = planted()[0][0][:30]
    expected = naive_network(x, 6, 0.5)
    P = density_network(x, 6, 0.5)
    np.testing.assert_allclose(P, expected, rtol=1e-8, atol=1e-14)
    S = strongest_links(P, 6).toarray()
    for row, kept in zip(P, S, strict=True):
        top = row >= np.percentile(row, 100 - 100 * 6 / 30)  # as the public code
        np.testing.assert_allclose(kept, np.where(top, row, 0) / row[top].sum())


def test_fusion_equals_dense_rounds():
    P = [density_network(x, 8, 0.5) for x in planted(dims=(3, 4, 5))[0]]
    links = [strongest_links(p, 8) for p in P]
    expected = list(P)
    for _ in range(4):
        means = [sum(expected[:v] + expected[v + 1 :]) / 2 for v in range(3)]
        pairs = zip(links, means, strict=True)
        expected = [S.toarray() @ M @ S.toarray().T + np.eye(90) for S, M in pairs]
    W = sum(expected) / 3
    W = W / W.sum(axis=1, keepdims=True)
    W = (W + W.T + np.eye(90)) / 2
    np.testing.assert_allclose(fuse(P, links, 4), W, atol=1e-14)


def test_finds_planted_clusters():
    X, truth = planted()
    model = SNF(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.graph_.shape == (90, 90)
    assert (model.graph_ >= 0).all()
    np.testing.assert_array_equal(model.graph_, model.graph_.T)
    assert model.embedding_.shape == (90, 3)
    assert model.n_iter_ == 20


def test_the_eigengap_suggests_the_number_of_blocks():
    for count in (2, 4):
        W = np.kron(np.eye(count), np.ones((12, 12))) + 0.02
        assert suggest_by_eigengap(W, 9)[0] == count
    X, _ = planted(spread=12)
    assert SNF(5, random_state=0).fit(X).eigengap_[0] == 3


def test_order_and_seed():
    X, _ = planted(noise=2.0)
    order = np.random.default_rng(3).permutation(90)
    first, again = (SNF(3, random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, again.labels_)
    np.testing.assert_array_equal(first.graph_, again.graph_)
    turned = SNF(3, random_state=4).fit([x[order] for x in X[::-1]])
    assert adjusted_rand_score(first.labels_[order], turned.labels_) == 1


@pytest.mark.parametrize("n", [2, 3, 12])
def test_fewer_samples_than_neighbors(n):
    x = np.vstack([np.eye(n // 2, 9), np.eye(n - n // 2, 9) + 9])
    labels = SNF(2, random_state=0, scaling="none").fit([x, x]).labels_
    assert len(np.unique(labels)) == 2
    assert len(np.unique(labels[: n // 2])) == 1


def test_one_view_and_views_without_differences():
    X, truth = planted()
    assert adjusted_rand_score(truth, SNF(3, random_state=0).fit(X[0]).labels_) == 1
    flat = [*X, np.ones((90, 3)), np.zeros((90, 1))]
    model = SNF(3, random_state=0).fit(flat)
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_zero_rows_and_duplicates():
    X, truth = planted()
    rows = np.vstack([x[[0, 1, 2]] for x in X[:1]])[truth]
    rows[truth == 0] = 0
    labels = SNF(3, random_state=0).fit([rows, sp.csr_matrix(rows)]).labels_
    assert adjusted_rand_score(truth, labels) == 1


@pytest.mark.parametrize("bad", [{"n_neighbors": 0}, {"mu": 0.0}, {"max_iter": 0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        SNF(3, **bad).fit(planted()[0])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "K", "expected"),
    [
        ("msrc_v5", 7, 0.766),
        pytest.param("handwritten4", 10, 0.848, marks=pytest.mark.slow),
        pytest.param("mnist4", 4, 0.918, marks=pytest.mark.slow),
    ],
)
def test_accuracy_of_the_public_code(shared_dir, file, K, expected):
    found = datasets.load(shared_dir / f"data/{file}.mat")
    labels = SNF(K, random_state=0).fit(found.views).labels_
    assert accuracy(found.labels, labels) == pytest.approx(expected, abs=0.01)


def test_too_large_networks_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr("mvgraph.ops.memory.free_bytes", lambda: 10**5)
    with pytest.raises(MemoryError, match="One dense network per view needs"):
        SNF(3).fit(planted()[0])


@pytest.mark.parametrize("n", [1, 5, 64, 130])
def test_equals_dense_products(n):
    rng = np.random.default_rng(n)
    S = rng.random((n, n)) * (rng.random((n, n)) < 0.1)  # some rows are empty
    M = rng.normal(size=(n, n))
    M = M + M.T
    Z = congruence(sp.csr_matrix(S), M)
    np.testing.assert_allclose(Z, S @ M @ S.T, atol=1e-12)
    np.testing.assert_array_equal(Z, Z.T)
    np.testing.assert_array_equal(congruence(sp.csr_matrix(S), M, out=M), Z)
    np.testing.assert_array_equal(M, Z)
