"""AnchorFilter: exact sums, components that are clusters, rare groups."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import AnchorFilter, Views, datasets
from mvgraph.anchor_filter.landmarks import isolated_groups
from mvgraph.anchor_filter.links import (
    TOTAL,
    Points,
    link_rows,
    view_and_joint_graphs,
)
from mvgraph.anchor_filter.links import view_graphs as view_links
from mvgraph.anchor_filter.recipe import DEFAULT, Recipe
from mvgraph.anchor_filter.smoothing import assign_anchors
from mvgraph.engines.chunked import ChunkedEngine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs.partition import components
from mvgraph.ops.distance import squared_distances
from mvgraph.views.rows import RowBlock


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


def test_groups_are_small_separate_and_of_enough_distinct_rows():
    def groups(X, K):
        return isolated_groups(Points(tuple(X), np.ones(len(X)), 5), K).max() + 1

    assert groups(rare(400, 8, 0)[0], 2) == 1
    assert groups(rare(400, 4, 0)[0], 2) == 0  # fewer than a row has neighbours
    assert groups(rare(400, 8, 0)[0], 1) == 0  # more components than clusters
    assert groups(rare(400, 300, 0)[0], 2) == 0  # not small
    X, _ = rare(400, 8, 0)
    X[1][-8:] -= 12  # separate in one view only
    assert groups(X, 2) == 0


def test_rows_are_whole_numbers_of_the_fused_graph():
    (a, b), _ = planted(40, noise=3.0)
    points = Points((a[:9], b[:9]), np.array([2.0, 3.0]), 3)
    block = RowBlock([a, b], None)
    present = np.ones((40, 2), dtype=bool)
    both = partial(view_and_joint_graphs, share=0.75)
    for graphs, joint in ((both, True), (view_links, False)):
        idx, counts, _ = link_rows(block, points, present, graphs)
        assert (counts.sum(axis=1) == TOTAL).all()
        dense = np.zeros((40, 10))
        np.add.at(dense, (np.arange(40)[:, None], idx), counts / TOTAL)
        D = [
            squared_distances(x, p) for x, p in zip((a, b), points.arrays, strict=True)
        ]
        mean = sum(closed_form(d, 3) for d in D) / 2
        if joint:
            summed = closed_form(D[0] / 2 + D[1] / 3, 3)
            mean = 0.25 * mean + 0.75 * summed
        np.testing.assert_allclose(dense[:, :9], mean, atol=7 / TOTAL)


def closed_form(D, k):
    Z = np.zeros_like(D)
    for d, z in zip(D, Z, strict=True):
        near = np.argsort(d)
        gap = d[near[k]] - d[near[:k]]
        z[near[:k]] = gap / gap.sum()
    return Z


def test_anchors_go_to_the_cluster_of_most_weight_and_every_cluster_has_one():
    weight = np.array([[5.0, 1, 0], [4, 2, 0], [0, 3, 0], [9, 8, 1]])
    owner = assign_anchors(weight)
    assert set(owner) == {0, 1, 2}
    assert owner[:3].tolist() == [0, 0, 1] or owner[2] == 1
    np.testing.assert_array_equal(assign_anchors(weight[:, :2]), [0, 0, 1, 0])


def test_missing_rows_and_many_views():
    X, y = planted(200, spread=4)
    X[0][:40] = np.nan
    model = AnchorFilter(3, random_state=0).fit(Views(X))
    assert ari(y, model.labels_) > 0.95


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
