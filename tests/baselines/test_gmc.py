"""GMC against scores of its published code, and its laws."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.gmc import GMC, nearest_in_view, view_graph
from mvgraph.metrics import accuracy

X, TRUTH = planted(dims=(6, 7), rows="sorted")


def unified(n=40, seed=1):
    """A graph whose rows are on the simplex."""
    U = np.random.default_rng(seed).random((n, n)) ** 8
    np.fill_diagonal(U, 0)
    return sp.csr_matrix(U / U.sum(axis=1, keepdims=True))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "K", "expected"),
    [
        ("msrc_v5", 7, 0.748),
        pytest.param("handwritten4", 10, 0.758, marks=pytest.mark.slow),
        pytest.param("mnist4", 4, 0.920, marks=pytest.mark.slow),
    ],
)
def test_accuracy_of_the_published_code(shared_dir, file, K, expected):
    data = datasets.load(shared_dir / f"data/{file}.mat")
    model = GMC(K).fit(data.views)
    assert accuracy(data.labels, model.labels_) == pytest.approx(expected, abs=0.015)
    assert model.n_components_ == K


@pytest.mark.shared
def test_steps_of_the_published_code(shared_dir):
    """Eight steps, and lambda doubled in the first seven."""
    views = datasets.load(shared_dir / "data/msrc_v5.mat").views
    model = GMC(7).fit(views)
    assert model.n_iter_ == 8
    assert model.history_[-1]["weight"] in (32, 64)


def test_a_row_of_a_view_is_optimal():
    """The gradient is the same wherever weights are positive."""
    near, U, w = nearest_in_view(X[0][:40], 5), unified(), 0.3
    S = view_graph(near, U, w).toarray()
    unclipped = 0
    for i, (d, u) in enumerate(zip(near.d, U.toarray(), strict=True)):
        s, end = S[i, near.idx[i]], near.end[i]
        assert (s >= 0).all()
        assert S[i].sum() == pytest.approx(s.sum())
        if (s == 0).any():
            continue
        unclipped += 1
        alpha = 0.5 * ((near.d_end[i] - d) + 2 * w * (u[near.idx[i]] - u[end])).sum()
        gradient = d + 2 * alpha * s - 2 * w * u[near.idx[i]]
        np.testing.assert_allclose(gradient, near.d_end[i] - 2 * w * u[end])
        assert s.sum() == pytest.approx(1)
    assert unclipped > 10


def test_a_view_without_order_among_neighbours_has_equal_weights():
    near = nearest_in_view(np.eye(12), 4)  # all distances are equal
    S = view_graph(near, None, 0.0)
    np.testing.assert_allclose(S.data, 0.25)


def test_a_row_without_a_positive_alpha_has_equal_weights():
    near = nearest_in_view(np.eye(12) * 1e-6, 4)  # near duplicates
    U = sp.csr_matrix((np.ones(12), (np.arange(12), near.end)), (12, 12))
    S = view_graph(near, U, 0.3)  # the quotient of the paper has a negative sum
    np.testing.assert_allclose(S.data, 0.25)


def test_finds_planted_clusters():
    model = GMC(3, n_neighbors=5).fit(X)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.view_weights_.shape == (2,)
    np.testing.assert_allclose(model.graph_.sum(axis=1), 1)
    assert (model.graph_.data > 0).all()
    assert sp.issparse(model.graph_)


def test_one_view_is_cut_too():
    views, truth = planted(90, noise=2.0, dims=(6,), spread=4)
    model = GMC(3, n_neighbors=12).fit(views)
    assert model.history_[0]["n_components"] < 3  # lambda has something to do
    assert model.n_components_ == 3
    assert adjusted_rand_score(truth, model.labels_) > 0.8


def test_a_view_of_one_feature_is_left_out_with_a_warning():
    one = np.random.default_rng(0).normal(size=(60, 1))
    with pytest.warns(UserWarning, match="all samples equal in 'view_2'"):
        model = GMC(3, n_neighbors=5).fit([*X, one])
    alone = GMC(3, n_neighbors=5).fit(X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    assert model.view_weights_[2] == 0
    assert (model.view_weights_[:2] > 0).all()


def test_order_and_seed_do_not_matter():
    order = np.random.default_rng(3).permutation(60)
    first = GMC(3, random_state=0).fit(X).labels_
    second = GMC(3, random_state=5).fit([x[order] for x in X[::-1]]).labels_
    assert adjusted_rand_score(first[order], second) == 1


def test_too_many_components_warn():
    far = [np.kron(np.eye(4), np.ones((12, 1))) * 9 + x[:48, :4] * 0.01 for x in X]
    with pytest.warns(ConvergenceWarning, match="4 components, not n_clusters=2"):
        model = GMC(2, n_neighbors=5).fit(far)
    assert model.n_components_ == 4


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_samples(n):
    x = np.eye(n, 3) + np.arange(n)[:, None]
    with pytest.warns(ConvergenceWarning, match="1 component,"):  # all are linked
        assert len(GMC(2).fit([x, x]).labels_) == n


def test_zero_rows_and_duplicates():
    rows = np.repeat(np.vstack([np.zeros((1, 7)), X[1][[0, 30]]]), 20, axis=0)
    model = GMC(3, n_neighbors=5)
    model.fit([rows, sp.csr_matrix(rows)])
    assert adjusted_rand_score(np.repeat([0, 1, 2], 20), model.labels_) == 1


@pytest.mark.parametrize("bad", [{"n_neighbors": 0}, {"weight": 0.0}, {"max_iter": 0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        GMC(3, **bad).fit(X)
