"""AnchorFilter: exact sums, components that are clusters, rare groups."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import AnchorFilter, Views, datasets
from mvgraph.anchor_filter.method import DEFAULT, Recipe
from mvgraph.anchor_filter.smoothing import assign_anchors
from mvgraph.engines.chunked import ChunkedEngine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs.anchors import RULES
from mvgraph.graphs.partition import components


def overlapping(n=1500):
    data = datasets.make_ambiguous_views(n, n_clusters=6, random_state=3)
    return list(data.views.arrays), data.labels


def rare(large, small, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [large, small])
    return [rng.normal(size=(len(y), d)) + 12 * y[:, None] for d in (4, 6)], y


@pytest.mark.parametrize("seed", range(3))
def test_exactly_k_components_none_of_them_tiny(seed):
    X, y = overlapping()
    model = AnchorFilter(6, random_state=seed).fit(X)
    assert model.partition_ == "components"
    count, found, anchors = components(model.graph_)
    assert count == model.n_components_ == 6
    assert ari(found, model.labels_) == 1
    assert np.bincount(model.labels_).min() > np.bincount(y).min() / 5
    used = anchors >= 0
    assert ((model.anchor_labels_ >= 0) == used).all()
    assert ari(anchors[used], model.anchor_labels_[used]) == 1


@pytest.mark.parametrize(
    "engine",
    [MemoryEngine(7), MemoryEngine(4096), ChunkedEngine(60_000), ChunkedEngine(10**7)],
    ids=["blocks of 7", "one block", "60 kB", "10 MB"],
)
def test_every_engine_and_limit_gives_the_same_bits(engine):
    X, _ = overlapping(700)
    X[1][:50] = np.nan
    a, b = (
        AnchorFilter(6, engine=e, random_state=0).fit(X) for e in ("memory", engine)
    )
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.embedding_, b.embedding_)
    assert (a.graph_ != b.graph_).nnz == 0
    assert [h["objective"] for h in a.history_] == [h["objective"] for h in b.history_]


def test_rows_and_views_in_any_order_where_clusters_overlap():
    X, _ = overlapping(700)
    rows = np.random.default_rng(0).permutation(700)
    a = AnchorFilter(6, random_state=0).fit(X)
    b = AnchorFilter(6, random_state=0).fit([x[rows] for x in reversed(X)])
    assert ari(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.graph_.toarray()[rows], b.graph_.toarray())


@pytest.mark.parametrize("seed", range(3))
def test_a_rare_group_beside_one_large_one(seed):
    X, y = rare(1000, 10, seed)
    model = AnchorFilter(2, random_state=seed).fit(X)
    assert ari(y, model.labels_) == 1
    assert model.n_components_ == 2
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_rare_group_is_found_with_more_clusters():
    X, y = rare(500, 5, 1)
    labels = AnchorFilter(4, random_state=0).fit(X).labels_
    assert (labels == labels[-1]).tolist() == (y == 1).tolist()


def test_anchors_go_to_the_cluster_of_most_weight_and_every_cluster_has_one():
    weight = np.array([[5.0, 1, 0], [4, 2, 0], [0, 3, 0], [9, 8, 1]])
    owner = assign_anchors(weight)
    assert set(owner) == {0, 1, 2}
    assert owner[:3].tolist() == [0, 0, 1] or owner[2] == 1
    np.testing.assert_array_equal(assign_anchors(weight[:, :2]), [0, 0, 1, 0])


@pytest.mark.parametrize("anchors", RULES)
def test_missing_rows(anchors):
    X, y = planted(200, spread=4)
    X[0][:40] = np.nan
    model = AnchorFilter(3, anchors=anchors, random_state=0).fit(Views(X))
    assert ari(y, model.labels_) > 0.9
    assert np.isfinite(model.view_weights_).all()


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_the_scale_of_a_view_does_not_matter(scale):
    views, y = planted()
    model = AnchorFilter(3, scaling="none", random_state=0).fit(
        [views[0] * scale, views[1]]
    )
    assert ari(y, model.labels_) == 1


def test_finds_planted_clusters_and_fills_every_attribute():
    views, y = planted()
    model = AnchorFilter(3, random_state=0).fit(views)
    assert ari(y, model.labels_) == 1
    assert model.partition_ == "components"
    assert model.n_components_ == 3
    assert model.graph_.shape == (60, len(model.anchor_labels_))
    np.testing.assert_allclose(np.asarray(model.graph_.sum(axis=1)).ravel(), 1)
    assert model.embedding_.shape == (60, 3)
    assert set(model.anchor_labels_) <= {-1, 0, 1, 2}
    np.testing.assert_allclose(model.view_weights_.sum(), 1)
    assert model.n_iter_ == len(model.history_)
    assert set(model.history_[0]) == {"objective", "n_components", "seconds"}
    assert [h["n_components"] for h in model.history_][-1] == 3
    assert model.history_[-1]["objective"] < 1e-12
    assert model.labels_[0] == 0
    np.testing.assert_array_equal(model.predict(views), model.labels_)


def test_anchors_carry_the_label_of_their_component():
    views, _ = planted()
    model = AnchorFilter(3, random_state=0).fit(views)
    rows, columns = model.graph_.nonzero()
    np.testing.assert_array_equal(model.anchor_labels_[columns], model.labels_[rows])


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_views_in_any_order(seed):
    views, _ = planted(noise=4.0)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(60)
    a = AnchorFilter(3, random_state=seed).fit(views)
    b = AnchorFilter(3, random_state=seed).fit([views[1][rows], views[0][rows]])
    assert ari(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.view_weights_[::-1], b.view_weights_)
    np.testing.assert_array_equal(
        np.asarray(a.graph_.todense())[rows], np.asarray(b.graph_.todense())
    )


@pytest.mark.parametrize("convert", [sp.csr_matrix, np.float32, np.asfortranarray])
def test_what_holds_the_numbers_does_not_matter(convert):
    views, y = planted()
    labels = AnchorFilter(3, random_state=0).fit([convert(x) for x in views]).labels_
    assert ari(y, labels) == 1


def test_same_seed_same_labels_and_threads_do_not_matter(monkeypatch):
    views, _ = planted(noise=4.0)
    first = AnchorFilter(3, random_state=1).fit(views)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    second = AnchorFilter(3, random_state=1).fit(views)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert (first.graph_ != second.graph_).nnz == 0


@pytest.mark.parametrize("n_views", [1, 2, 5, 12])
def test_any_number_of_views(n_views):
    views, y = planted()
    model = AnchorFilter(3, random_state=0).fit([views[0] + v for v in range(n_views)])
    assert ari(y, model.labels_) > 0.9
    assert len(model.view_weights_) == n_views


def test_thin_views_duplicates_and_constants():
    views, y = planted()
    extra = [np.ones((60, 2)), views[0][:, :1], np.repeat(views[0][:3], 20, axis=0)]
    model = AnchorFilter(3, random_state=0).fit([views[0], views[1], *extra[:2]])
    assert ari(y, model.labels_) == 1
    assert np.isfinite(AnchorFilter(3, random_state=0).fit(extra).embedding_).all()


def test_views_object_and_names():
    views, y = planted()
    model = AnchorFilter(3, random_state=0).fit(Views(views, names=["a", "b"]))
    assert ari(y, model.labels_) == 1
    np.testing.assert_array_equal(
        model.labels_,
        AnchorFilter(3, random_state=0)
        .fit(dict(zip("ab", views, strict=True)))
        .labels_,
    )


@pytest.mark.parametrize(("N", "K"), [(12, 6), (18, 6), (20, 10), (30, 10)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clear_clusters_of_two_or_three_samples(N, K, seed):
    X, truth = planted(N, K, dims=(6, 8), seed=seed, spread=8, noise=0.5, rows="sorted")
    labels = AnchorFilter(K, random_state=seed).fit(X).labels_
    assert ari(truth, labels) == 1


@pytest.mark.parametrize("missing", [False, True])
def test_rows_of_the_fit_are_labelled_and_embedded_as_in_the_fit(missing):
    """Whatever the number of rows beyond the landmarks, and their order."""
    X, _ = overlapping(3000)
    if missing:
        X[0][:300] = np.nan
    model = AnchorFilter(6, random_state=0).fit(X)
    rows = np.random.default_rng(0).permutation(3000)[:1700]
    part = [x[rows] for x in X]
    np.testing.assert_array_equal(model.predict(part), model.labels_[rows])
    np.testing.assert_array_equal(model.transform(part), model.embedding_[rows])


@pytest.mark.parametrize(
    "change",
    [
        {"n_clusters": 4},
        {"n_anchors": 20},
        {"anchors": "random"},
        {"scaling": "unit"},
        {"n_neighbors": 3},
        {"random_state": 1},
    ],
    ids=str,
)
def test_every_parameter_acts(change):
    """Engine and limit say where the rows are, and change nothing by design."""
    X, _ = overlapping(300)
    a = AnchorFilter(6, random_state=0).fit(X)
    b = AnchorFilter(**{"n_clusters": 6, "random_state": 0} | change).fit(X)
    assert a.graph_.shape != b.graph_.shape or (a.graph_ != b.graph_).nnz > 0


def test_the_recipe_is_what_the_method_reads():
    X, _ = overlapping(300)
    graphs = []
    for recipe in (DEFAULT, Recipe(order=0), Recipe(joint=0.0), Recipe(landmarks=50)):
        model = AnchorFilter(6, random_state=0)
        model.recipe = recipe
        graphs.append(model.fit(X).graph_.toarray())
    assert all((graphs[0] != other).any() for other in graphs[1:])


def test_clusters_without_samples_at_the_end_have_no_label_for_new_samples():
    X = [np.repeat(x[:2], 12, axis=0) for x in planted()[0]]
    with pytest.warns(ConvergenceWarning, match="2 distinct samples"):
        model = AnchorFilter(3, random_state=0).fit(X)
    assert set(model.predict(X)) <= set(model.labels_)
