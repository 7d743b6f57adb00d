"""UDBGL: every step against its problem, both stopping rules, the published runs."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import degenerate, planted
from mvgraph import datasets
from mvgraph.baselines.udbgl import (
    UDBGL,
    fit_to_anchors,
    joint_graph,
    learn_graphs,
    objective_of,
    weight_problem,
)
from mvgraph.metrics import scores
from mvgraph.ops.affinity.structured import structured_graph
from mvgraph.ops.shifted import Shifted

ALPHA, BETA = 1e-2, 0.5  # large, so that every term counts


@pytest.fixture
def problem():
    """Two views in [0, 1], four anchors, their parts."""
    rng = np.random.default_rng(0)
    X = [rng.random((30, d)) for d in (5, 3)]
    A = [x[[1, 8, 15, 22]] for x in X]
    parts = [fit_to_anchors(Shifted.of(x), a) for x, a in zip(X, A, strict=True)]
    return X, A, parts


def test_the_first_graph_is_that_of_the_formula(problem):
    X, A, parts = problem
    for x, a, part in zip(X, A, parts, strict=True):
        D = np.array([[np.sum((p - q) ** 2) for q in a] for p in x])
        W = np.exp(-D / (2 * D.mean() ** 2))  # fewer than five anchors: all are linked
        np.testing.assert_allclose(part.Z, W / W.sum(axis=1, keepdims=True))


def test_five_anchors_are_linked():
    rng = np.random.default_rng(0)
    x = rng.random((30, 4))
    Z = fit_to_anchors(Shifted.of(x), x[:8]).Z
    np.testing.assert_array_equal((Z > 0).sum(axis=1), 5)
    D = np.square(x[:, None] - x[None, :8]).sum(axis=2)
    assert all(D[i, Z[i] > 0].max() <= D[i, Z[i] == 0].min() for i in range(30))


def objective(X, A, Z, P, delta):
    """The objective as it is printed."""
    total = BETA * np.sum((sum(d * z for d, z in zip(delta, Z, strict=True)) - P) ** 2)
    for x, a, z in zip(X, A, Z, strict=True):
        total += np.sum((x - z @ a) ** 2) + ALPHA * np.sum(z**2)
    return total


def test_objective_and_a_step(problem):
    """One step: P from the start, Z from the old Z, delta; all against slow twins."""
    X, A, parts = problem
    old, delta = [part.Z for part in parts], np.array([0.5, 0.5])
    Z, new, history = learn_graphs(parts, 4, ALPHA, BETA, True, 1)
    P = structured_graph(sum(old) / 2, 4).graph.toarray()
    value = objective(X, A, Z, P, new)
    np.testing.assert_allclose(objective_of(parts, Z, P, new, ALPHA, BETA), value)
    np.testing.assert_allclose(history[0]["objective"], value)
    for v in range(2):
        rest = delta[1 - v] * old[1 - v] - P
        H = A[v] @ A[v].T + (ALPHA + BETA * delta[v] ** 2) * np.eye(4)
        B = X[v] @ A[v].T - BETA * delta[v] * rest
        gradient = Z[v] @ H - B
        level = np.sum(Z[v] * gradient, axis=1, keepdims=True)
        np.testing.assert_allclose(Z[v].sum(axis=1), 1)
        assert (Z[v] >= 0).all()
        assert np.abs(np.where(Z[v] > 0, gradient - level, 0)).max() < 1e-6
        assert (gradient - level).min() > -1e-6
    found = minimize(
        lambda t: np.sum((t[0] * Z[0] + (1 - t[0]) * Z[1] - P) ** 2),
        [0.5],
        bounds=[(0, 1)],
    )
    np.testing.assert_allclose(new[0], found.x[0], atol=1e-5)


def test_the_problem_of_the_weights(problem):
    Z, P = [part.Z for part in problem[2]], np.eye(4)[np.arange(30) % 4]
    Q, s = weight_problem(Z, P)
    for t in (0.0, 0.3, 1.0):
        delta = np.array([t, 1 - t])
        value = np.sum((t * Z[0] + (1 - t) * Z[1] - P) ** 2)
        np.testing.assert_allclose(delta @ Q @ delta - s @ delta + 30, value)


def test_planted_clusters_are_found():
    X, truth = planted(90, dims=(4, 6))
    model = UDBGL(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.graph_.shape == (90, 3)
    assert (np.diff(model.graph_.indptr) == 1).all()  # one anchor per component
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    assert set(model.anchor_labels_) == {0, 1, 2}
    assert model.n_iter_ == len(model.history_) <= 20


def test_both_stopping_rules():
    """The published one goes on for 50 passes, whatever it finds."""
    rng = np.random.default_rng(1)
    A = rng.dirichlet(np.ones(4) / 2, 60)
    first = structured_graph(A, 4)
    last = structured_graph(A, 4, stop_early=False)
    assert first.rank_gap == 0
    assert first.n_iter < last.n_iter == 50
    X, _ = planted(80, 6, dims=(5, 5), spread=1, seed=2)
    assert UDBGL(6, random_state=0).fit(X).n_components_ == 6
    published = UDBGL(6, random_state=0, stop="published")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert published.fit(X).n_components_ <= 6


def test_an_anchor_without_samples_is_left_out():
    Z = np.zeros((12, 4))
    Z[np.arange(12), np.arange(12) % 3] = 1
    for early in (True, False):
        P = joint_graph([Z, Z], np.array([0.4, 0.6]), 4, early)
        assert P.graph.shape == (12, 4)
        assert P.graph[:, 3].nnz == 0
        assert np.isfinite(P.embedding).all()
        assert np.isfinite(P.graph.data).all()


def test_sparse_views_give_what_dense_ones_give():
    X = [np.round(np.abs(x)) for x in planted(90)[0]]
    dense = UDBGL(3, random_state=0).fit(X)
    sparse = UDBGL(3, random_state=0).fit([sp.csr_matrix(x) for x in X])
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_allclose(dense.view_weights_, sparse.view_weights_, atol=1e-8)


@pytest.mark.parametrize("case", degenerate())
@pytest.mark.parametrize("stop", ["success", "published"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_guards(case, stop):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = UDBGL(4, stop=stop, random_state=0).fit(degenerate()[case])
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    assert len(np.unique(model.labels_)) == model.n_components_
    said = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    assert said == (model.n_components_ != 4 or case in ("copies", "no differences"))


@pytest.mark.parametrize("bad", [{"stop": "never"}, {"ridge": 0.0}, {"coupling": -1.0}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        UDBGL(3, **bad).fit(planted(90)[0])


def runs(shared_dir, name, seeds, **parameters):
    data = datasets.load(shared_dir / f"data/{name}.mat")
    y = np.asarray(data.labels)
    rows = np.random.default_rng(0).permutation(len(y))
    X, K = list(data.views[rows].arrays), len(np.unique(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [UDBGL(K, random_state=s, **parameters).fit(X) for s in seeds]
    accuracy = [scores(y[rows], model.labels_)["acc"] for model in models]
    return accuracy, [model.n_components_ for model in models]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [("msrc_v5", 0.769), ("handwritten4", 0.763), ("mnist4", 0.875)],
)
def test_reference_runs_of_the_first_success(shared_dir, name, expected):
    """Ten starts of k-means: at least as accurate as the reference with two."""
    accuracy, components = runs(shared_dir, name, range(5))
    assert np.mean(accuracy) > expected - 0.01
    assert len(set(components)) == 1


@pytest.mark.shared
def test_reference_runs_with_two_starts(shared_dir):
    accuracy, _ = runs(shared_dir, "msrc_v5", range(20), n_init=2)
    assert np.mean(accuracy) == pytest.approx(0.769, abs=0.046)


@pytest.mark.shared
def test_the_published_rule_loses_components(shared_dir):
    accuracy, components = runs(shared_dir, "mnist4", range(2), stop="published")
    assert components == [1, 1]
    np.testing.assert_allclose(accuracy, 0.25)
