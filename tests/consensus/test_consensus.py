import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import GraphConsensus, datasets, metrics
from mvgraph.consensus.method import DEFAULT, Recipe
from pairs import crossed, slow


def fit(views, k=3, seed=0, recipe=DEFAULT):
    model = GraphConsensus(k, random_state=seed)
    if recipe is not DEFAULT:
        model.recipe = recipe
    return model.fit(views)


def test_finds_planted_clusters_and_fills_every_attribute():
    views, y = planted(120, spread=4)
    model = fit(views)
    assert ari(y, model.labels_) == 1
    assert model.graph_.shape[0] == 120
    np.testing.assert_allclose(
        np.asarray(model.graph_.sum(axis=1)).ravel(), 1, rtol=1e-5
    )
    assert model.embedding_.shape == (120, 3)
    assert len(model.anchor_labels_) == model.graph_.shape[1]
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    np.testing.assert_allclose(sum(model.partition_weights_.values()), 1)
    assert model.linked_views_.all()
    assert model.n_iter_ == len(model.partition_weights_)
    assert [h["stage"] for h in model.history_][:2]
    np.testing.assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.parametrize("seed", [0, *slow(*range(1, 10))])
def test_rows_and_views_in_any_order(seed):
    views, _ = planted(60, spread=4, noise=5.0, dims=(4, 6, 3))
    rng = np.random.default_rng(seed)
    rows, keys = rng.permutation(60), rng.permutation(3)
    a, b = fit(views), fit([views[v][rows] for v in keys])
    assert ari(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.view_weights_[keys], b.view_weights_)
    np.testing.assert_array_equal(a.embedding_[rows], b.embedding_)


@pytest.mark.parametrize("n", [60, 150])
def test_the_sample_does_not_matter_for_clear_clusters(n):
    views, y = planted(600, spread=4)
    whole = fit(views)
    model = fit(views, recipe=Recipe(max_sample=n))
    assert ari(whole.labels_, model.labels_) > 0.97
    assert ari(y, model.labels_) > 0.97
    assert model.graph_.shape[0] == len(model.embedding_) == 600


def test_a_view_of_something_else_is_left_out():
    views, y = planted(300, spread=4)
    other, z = planted(300, seed=9, dims=(5,), spread=4)
    noise = np.random.default_rng(3).normal(size=(300, 8))
    model = fit([*views, other[0], noise])
    np.testing.assert_array_equal(model.linked_views_, [True, True, False, False])
    assert model.view_weights_[2:].max() < 0.05
    assert ari(y, model.labels_) > 0.97
    assert ari(z, model.labels_) < 0.1


def test_a_view_that_is_left_out_adds_no_scaling():
    """Sparse views have one scaling less than dense ones; noise brought it back."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    rates = [rng.gamma(0.3, size=(3, 80)) for _ in range(2)]
    counts = [sp.csr_matrix(rng.poisson(0.6 * r[y]).astype(float)) for r in rates]
    alone = fit(counts)
    model = fit([*counts, rng.normal(size=(180, 8))])
    np.testing.assert_array_equal(model.linked_views_, [True, True, False])
    assert set(model.partition_weights_) == set(alone.partition_weights_)


def test_a_copy_of_a_view_changes_nothing():
    views, _ = planted(120, spread=4, noise=4.0)
    a, b = fit(views), fit([views[0], views[1], views[0].copy()])
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.view_weights_[0] == b.view_weights_[2]


def test_one_view():
    views, y = planted(120, spread=4)
    model = fit(views[1])
    assert ari(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.view_weights_, [1])


def test_rows_missing_in_views():
    views, y = planted(200, spread=4)
    rng = np.random.default_rng(0)
    for v in range(2):
        views[v] = views[v].copy()
        views[v][rng.permutation(100)[:30] + 100 * v] = np.nan
    model = fit(views)
    assert ari(y, model.labels_) > 0.97
    assert ari(y, model.predict(views)) > 0.95


def test_sparse_counts_use_tfidf():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    rates = np.kron(np.eye(3), np.ones((1, 20)))[y] * 0.6 + 0.02
    views = [sp.csr_matrix(rng.poisson(rates).astype(float)) for _ in range(2)]
    model = fit(views)
    assert any(name.startswith("tf-idf") for name in model.partition_weights_)
    assert ari(y, model.labels_) > 0.9


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("name", ["msrc_v5", "webkb203__row_labels_zero_rows"])
def test_order_does_not_matter_on_real_sets(shared_dir, name):
    data = datasets.load(shared_dir / "data" / f"{name}.mat")
    K = len(np.unique(data.labels))
    first = fit(data.views, K)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(data.views))
        keys = rng.permutation(data.views.n_views)
        model = fit(data.views.select(keys)[rows], K)
        assert ari(first.labels_[rows], model.labels_) == 1


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "floor"), [("msrc_v5", 0.8), ("handwritten4", 0.87), ("mnist4", 0.9)]
)
def test_floors_with_shuffled_rows(shared_dir, name, floor):
    data = datasets.load(shared_dir / "data" / f"{name}.mat")
    rows = np.random.default_rng(0).permutation(len(data.views))
    labels = fit(data.views[rows], len(np.unique(data.labels))).labels_
    assert metrics.accuracy(data.labels[rows], labels) >= floor


def test_one_view_is_one_view_however_it_is_given():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 5))[rng.integers(0, 4, 120)] * 2 + rng.normal(size=(120, 5))
    alone = GraphConsensus(4, random_state=0).fit(X).labels_
    for views in ([X], {"a": X}, [X, X], [X, X.copy(), X]):
        labels = GraphConsensus(4, random_state=0).fit(views).labels_
        np.testing.assert_array_equal(labels, alone)


@pytest.mark.parametrize("n_copies", [270, 300, 1000])
@pytest.mark.parametrize("n_views", [1, 3])
def test_many_copies_of_one_row_are_one_cluster(n_copies, n_views):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 2, 3], 30)
    centres = rng.normal(size=(4, 6)) * 6
    X = [
        np.r_[
            np.tile(centres[0] + v, (n_copies, 1)),
            centres[y] + rng.normal(size=(90, 6)),
        ]
        for v in range(n_views)
    ]
    labels = GraphConsensus(4, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(np.bincount(labels), [n_copies, 30, 30, 30])


@pytest.mark.parametrize(("n_copies", "lacking"), crossed([2, 11, 30], [False, True]))
def test_every_row_many_times(n_copies, lacking):
    """As in rounded measurements: copies used up all neighbours of a sample."""
    X, y = planted(90, spread=4)
    if lacking:
        X[0][:40] = np.nan
    X, y = [np.repeat(x, n_copies, axis=0) for x in X], np.repeat(y, n_copies)
    model = fit(X)
    assert ari(y, model.labels_) > 0.95
    one = model.labels_.reshape(90, n_copies)
    assert (one == one[:, :1]).all()
    assert len(model.tree_.labels) == len(y)
    assert ari(model.cut(3), model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_many_copies_do_not_fill_the_sample():
    """Rows are sampled by a hash, which is the same for copies."""
    X, y = planted(90, spread=4)
    X, y = [np.repeat(x, 40, axis=0) for x in X], np.repeat(y, 40)
    assert ari(y, fit(X, recipe=Recipe(max_sample=300)).labels_) > 0.95


@pytest.mark.parametrize("factor", [1e160, 1e-200])
def test_sparse_views_whose_squares_overflow_or_vanish(factor):
    X = [
        sp.random(100, d, 0.05, random_state=d, format="csr") * factor
        for d in (300, 200)
    ]
    model = GraphConsensus(3, random_state=0).fit(X)
    assert len(model.predict(X)) == 100


def test_rows_that_are_copies_in_one_view_only():
    X, y = planted(180, dims=(4, 4), spread=5, rows="sorted")
    X[0][:50] = X[0][0]
    assert ari(y, GraphConsensus(3, random_state=0).fit(X).labels_) > 0.9


@pytest.mark.parametrize("n", [60, 150])
def test_max_sample_is_the_number_of_rows_that_are_clustered(n):
    views, _ = planted(600, spread=4)
    model = GraphConsensus(3, max_sample=n, random_state=0).fit(views)
    np.testing.assert_array_equal(
        model.labels_, fit(views, recipe=Recipe(max_sample=n)).labels_
    )
    with pytest.raises(ValueError, match="max_sample"):
        GraphConsensus(3, max_sample=0).fit(views)


def test_a_graph_of_the_samples_is_used_as_one():
    """Each sample is linked to few of its group, and hardly shares a link with any."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    A = np.zeros((400, 400))
    for c in range(4):
        circle = rng.permutation(np.flatnonzero(y == c))
        A[circle, np.roll(circle, 1)] = A[circle, np.roll(circle, 2)] = 1
    A = np.maximum(A, A.T)
    noise = [0.3 * rng.normal(size=(400, 3)) + np.eye(4)[y][:, :3] for _ in range(2)]
    model = GraphConsensus(4, random_state=0).fit([A, *noise])
    assert ari(y, model.labels_) > 0.95
    order = rng.permutation(400)
    moved = GraphConsensus(4, random_state=0).fit(
        [A[order][:, order], *(x[order] for x in noise)]
    )
    assert ari(model.labels_[order], moved.labels_) > 0.95


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_groups_along_one_factor_are_found_in_few_columns(width):
    rng, group = np.random.default_rng(width), np.repeat(np.arange(3), 50)
    x = np.exp(1.5 * group[:, None] + 0.4 * rng.normal(size=(150, width)))  # sizes
    assert ari(group, fit([x]).labels_) > 0.9
