"""FPMVS-CAG: its steps against their problems, both starts, and the published runs."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import naive
from data import degenerate, planted
from mvgraph import datasets, methods
from mvgraph.baselines.fpmvs_cag import FPMVSCAG, left_vectors, polar, share_anchors
from mvgraph.metrics import scores
from mvgraph.ops.shifted import Shifted


def standard(x):
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)


def sweep(X, alpha, A, Z):
    """One sweep, view by view and row by row, as the page of formulas has it."""
    W = []
    for x in X:
        U, _, Vt = np.linalg.svd(x.T @ Z @ A.T, full_matrices=False)
        W.append(U @ Vt)
    total = sum(a**2 * w.T @ x.T @ Z for a, w, x in zip(alpha, W, X, strict=True))
    U, _, Vt = np.linalg.svd(total)
    A, new = U @ Vt, np.zeros_like(Z)
    for i in range(len(Z)):
        pull = sum(A.T @ w.T @ x[i] for w, x in zip(W, X, strict=True))
        new[i] = naive.project_simplex(pull / sum(alpha**2))
    r = [np.sum((x.T - w @ A @ new.T) ** 2) for w, x in zip(W, X, strict=True)]
    alpha = (1 / np.array(r)) / sum(1 / np.array(r))
    return alpha, A, new, float(alpha**2 @ r)


def test_sweeps_are_those_of_the_formulas():
    X = [standard(x) for x in planted(30, dims=(5, 7), noise=3.0)[0]]
    rows = np.array([4, 11, 23])
    Z = np.zeros((30, 3))
    Z[rows, [0, 1, 2]] = 1
    alpha, A = np.ones(2) / 2, np.eye(3)
    for _ in range(3):
        alpha, A, Z, objective = sweep(X, alpha, A, Z)
    shifted = [Shifted.of(x) for x in X]
    state, history = share_anchors(shifted, rows, np.eye(3), 3, 0.0)
    np.testing.assert_allclose(state.Z, Z, atol=1e-10)
    np.testing.assert_allclose(state.alpha, alpha, atol=1e-12)
    np.testing.assert_allclose(state.A, A, atol=1e-10)
    np.testing.assert_allclose(history[-1]["objective"], objective)


def test_what_is_learned_is_feasible():
    X, truth = planted(90, dims=(4, 6, 2))  # a view with fewer features than clusters
    model = FPMVSCAG(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    np.testing.assert_allclose(np.asarray(model.graph_.sum(axis=1)), 1)
    assert model.graph_.data.min() >= 0
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    assert model.view_weights_.min() > 0
    assert 10 <= model.n_iter_ == len(model.history_) <= 50


def test_polar_maximises_the_trace():
    rng = np.random.default_rng(0)
    C = rng.normal(size=(6, 3))
    best = np.sum(polar(C) * C)
    np.testing.assert_allclose(polar(C).T @ polar(C), np.eye(3), atol=1e-12)
    for _ in range(50):
        other = np.linalg.qr(rng.normal(size=(6, 3)))[0]
        assert np.sum(other * C) <= best


def test_an_anchor_without_samples_gives_a_column_of_zeros():
    Z = np.eye(4)[np.arange(20) % 3]
    U = left_vectors(Z)
    np.testing.assert_array_equal(U[:, 3], 0)
    np.testing.assert_allclose(U @ U.T, Z @ np.diag([1 / 7, 1 / 7, 1 / 6, 0]) @ Z.T)


def test_the_published_start_reads_the_first_rows_and_columns():
    X, _ = planted(60, dims=(8, 9), spread=2, seed=3)
    first, random = FPMVSCAG(3, start="first"), FPMVSCAG(3, random_state=0)
    assert (first._order_free, random._order_free) == (False, True)
    names = ("fpmvs-cag", "fpmvs-cag-first")
    assert [methods.get(n).order_free for n in names] == [True, False]
    turned = [x[:, ::-1] for x in X]
    one, other = (first.fit(v).history_[0]["objective"] for v in (X, turned))
    assert abs(one - other) > 1e-6 * one
    state = share_anchors(
        [Shifted.of(standard(x)) for x in X], np.arange(3), np.zeros((3, 3)), 1, 0
    )[0]
    W = [np.eye(x.shape[1], 3) for x in X]
    C = sum(w.T @ standard(x)[:3].T / 4 for w, x in zip(W, X, strict=True))
    np.testing.assert_allclose(state.A, polar(C), atol=1e-12)


def test_the_default_start_does_not_read_the_order_of_columns():
    X, _ = planted(60, dims=(8, 9), spread=2, seed=3)
    rows, shifted = np.array([5, 9, 33]), [Shifted.of(standard(x)) for x in X]
    turned = [Shifted.of(x.x[:, ::-1]) for x in shifted]
    a, b = (share_anchors(v, rows, np.eye(3), 20, 1e-3)[0] for v in (shifted, turned))
    np.testing.assert_allclose(a.Z, b.Z, atol=1e-8)


def test_sparse_views_give_what_dense_ones_give():
    X = [np.round(np.abs(x)) for x in planted(90)[0]]
    dense = FPMVSCAG(3, random_state=0).fit(X)
    sparse = FPMVSCAG(3, random_state=0).fit([sp.csr_matrix(x) for x in X])
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_allclose(dense.view_weights_, sparse.view_weights_, atol=1e-10)


@pytest.mark.parametrize("case", degenerate())
@pytest.mark.parametrize("start", ["random", "first"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_guards(case, start):
    X = degenerate()[case]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = FPMVSCAG(4, start=start, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    if len(np.unique(model.labels_)) < 4:
        assert any(issubclass(w.category, ConvergenceWarning) for w in caught)
    if case == "a view of zeros":
        np.testing.assert_array_equal(model.view_weights_ > 0, [True, False])


@pytest.mark.parametrize("bad", [{"start": "last"}, {"n_init": 0}, {"tol": -1.0}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        FPMVSCAG(3, **bad).fit(planted(90)[0])


def mean_accuracy(path, order, seeds, **parameters):
    data = datasets.load(path)
    y = np.asarray(data.labels)
    rows = {"file": np.arange(len(y)), "shuffled": None}[order]
    if rows is None:
        rows = np.random.default_rng(0).permutation(len(y))
    X, K = data.views[rows].arrays, len(np.unique(y))
    models = [FPMVSCAG(K, random_state=s, **parameters).fit(list(X)) for s in seeds]
    return np.mean([scores(y[rows], m.labels_)["acc"] for m in models])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "order", "expected"),
    [
        ("msrc_v5", "shuffled", 0.719),
        ("msrc_v5", "file", 0.786),
        ("handwritten4", "shuffled", 0.821),
        ("handwritten4", "file", 0.731),
        ("mnist4", "shuffled", 0.885),
        ("mnist4", "file", 0.886),
    ],
)
def test_reference_runs_of_the_published_start(shared_dir, name, order, expected):
    path = shared_dir / f"data/{name}.mat"
    found = mean_accuracy(path, order, [0], start="first")
    assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected", "spread"),
    [
        ("msrc_v5", 0.721, 0.047),
        ("handwritten4", 0.743, 0.077),
        ("mnist4", 0.885, 0.01),
    ],
)
def test_reference_runs_of_random_starts(shared_dir, name, expected, spread):
    found = mean_accuracy(shared_dir / f"data/{name}.mat", "shuffled", range(5))
    assert found == pytest.approx(expected, abs=2 * spread)
