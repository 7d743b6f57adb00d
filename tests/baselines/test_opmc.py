"""OPMC: k-means in fact, step by step, and its published runs."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.opmc import OPMC, best_of
from mvgraph.metrics import scores
from mvgraph.ops.kmeans import lloyd
from mvgraph.views.implicit import join_implicit, scale_implicitly


def polar(C):
    U, _, Vt = np.linalg.svd(C, full_matrices=False)
    return U @ Vt


def published_loop(X, labels, K, steps, rng):
    """Labels and objective after every step of the factorisation, with its W and C."""
    C = [rng.random((K, K)) for _ in X]
    for _ in range(steps):
        Y = np.eye(K)[labels]
        W = [polar(c.T @ Y.T @ x) for c, x in zip(C, X, strict=True)]
        means = [Y.T @ x / Y.sum(axis=0)[:, None] for x in X]
        C = [m @ w.T for m, w in zip(means, W, strict=True)]
        D = np.zeros((len(labels), K))
        for x, c, w in zip(X, C, W, strict=True):
            D += [[np.sum((row - m) ** 2) for m in c @ w] for row in x]
        labels = D.argmin(axis=1)
        yield labels, D.min(axis=1).sum()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dims", [(6, 8), (3, 7, 5)])
def test_the_published_loop_is_lloyds_algorithm(seed, dims):
    """Also with a view of fewer features than clusters."""
    K, rng = 4, np.random.default_rng(seed)
    views, _ = planted(80, K, dims=dims, spread=1.5, seed=seed)
    X = [scale_implicitly(x, "rowz").x for x in views]
    start = rng.permutation(np.arange(80) % K)
    joined = np.hstack(X)
    centres = np.array([joined[start == c].mean(axis=0) for c in range(K)])
    steps = list(published_loop(X, start, K, 12, rng))
    assert all(len(np.unique(labels)) == K for labels, _ in steps)
    for t, (labels, objective) in enumerate(steps):
        (run,) = lloyd(joined, centres[None], t)
        np.testing.assert_array_equal(run.labels, labels)
        np.testing.assert_allclose(run.inertia, objective, rtol=1e-10)


def test_the_best_start_is_kept():
    X = join_implicit([scale_implicitly(x, "rowz") for x in planted(60, spread=1)[0]])
    rng = np.random.default_rng(0)
    best = best_of(X, 5, rng, 7, max_numbers=2 * 5 * 8 * 10)  # in groups of 2
    one = [best_of(X, 5, np.random.default_rng(s), 1).inertia for s in range(5)]
    assert best.inertia <= min(one) * 1.02
    D = np.square(X[:, None] - best.centers[None]).sum(axis=2)
    np.testing.assert_allclose(best.inertia, D.min(axis=1).sum())


def test_planted_clusters_are_found():
    X, truth = planted(90, dims=(8, 9))
    model = OPMC(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.inertia_ > 0


def test_many_samples_are_clustered_from_the_best_start_of_some():
    X = join_implicit([scale_implicitly(x, "rowz") for x in planted(90)[0]])
    found = best_of(X, 3, np.random.default_rng(0), 10, max_start_rows=40)
    start = best_of(X[:40], 3, np.random.default_rng(0), 10)
    D = np.square(X[:, None] - found.centers[None]).sum(axis=2)
    np.testing.assert_array_equal(found.labels, D.argmin(axis=1))
    again = lloyd(X, start.centers[None], 100)[0]
    np.testing.assert_array_equal(found.labels, again.labels)


def test_scale_and_shift_of_a_sample_do_not_matter():
    x, rng = planted(60)[0][1], np.random.default_rng(1)
    moved = x * rng.uniform(0.5, 2, (60, 1)) + rng.normal(size=(60, 1))
    one, other = (scale_implicitly(v, "rowz").x for v in (x, moved))
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_sparse_views_give_what_dense_ones_give():
    X = [np.round(np.abs(x)) for x in planted(90, dims=(12, 9))[0]]
    dense = OPMC(3, random_state=0).fit(X)
    sparse = OPMC(3, random_state=0).fit([sp.csr_matrix(X[0]), X[1]])
    np.testing.assert_allclose(dense.inertia_, sparse.inertia_)
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == 1


def guards():
    rng = np.random.default_rng(0)
    x, few = rng.normal(size=(20, 4)), rng.normal(size=(3, 4))
    return {
        "one column": ([x[:, :1], x], False),
        "constant columns": ([np.column_stack([x, np.full(20, 0.1)]), x], False),
        "rows of zeros": ([np.where(np.arange(20)[:, None] < 5, 0, x), x], False),
        "constant rows": ([np.repeat(x[:, :1], 4, axis=1), x[:, :1]], True),
        "copies": ([few[np.arange(20) % 3], few[np.arange(20) % 3, :2]], True),
        "as many samples as clusters": ([x[:4], x[:4, :3]], False),
    }


@pytest.mark.parametrize("case", guards())
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_guards(case, recwarn):
    X, warns = guards()[case]
    model = OPMC(4, random_state=0).fit(X)
    assert np.isfinite(model.inertia_)
    said = [w for w in recwarn if issubclass(w.category, ConvergenceWarning)]
    assert bool(said) == warns
    assert warns or len(np.unique(model.labels_)) == 4


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="n_init"):
        OPMC(3, n_init=0).fit(planted(90)[0])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [("msrc_v5", 0.857), ("handwritten4", 0.893), ("mnist4", 0.775)],
)
def test_best_of_the_reference_runs(shared_dir, name, expected):
    """The smallest objective of 20 runs of the authors' code."""
    data = datasets.load(shared_dir / f"data/{name}.mat")
    y = np.asarray(data.labels)
    rows = np.random.default_rng(0).permutation(len(y))
    X, K = list(data.views[rows].arrays), len(np.unique(y))
    labels = [OPMC(K, random_state=s).fit(X).labels_ for s in range(5)]
    found = np.mean([scores(y[rows], found)["acc"] for found in labels])
    assert found == pytest.approx(expected, abs=0.01)
