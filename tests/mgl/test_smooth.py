"""The order-free form of MGL: exact sums, components that are clusters, rare groups."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import MGL, Views, datasets
from mvgraph.engines.chunked import ChunkedEngine
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs.partition import components
from mvgraph.mgl.groups import isolated_groups
from mvgraph.mgl.links import TOTAL, Points, link_rows, view_and_joint_graphs
from mvgraph.mgl.links import view_graphs as view_links
from mvgraph.mgl.rounding import assign_anchors
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
    model = MGL(6, random_state=seed).fit(X)
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
    a, b = (MGL(6, engine=e, random_state=0).fit(X) for e in ("memory", engine))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.embedding_, b.embedding_)
    assert (a.graph_ != b.graph_).nnz == 0
    assert [h["objective"] for h in a.history_] == [h["objective"] for h in b.history_]


def test_rows_and_views_in_any_order_where_clusters_overlap():
    X, _ = overlapping(700)
    rows = np.random.default_rng(0).permutation(700)
    a = MGL(6, random_state=0).fit(X)
    b = MGL(6, random_state=0).fit([x[rows] for x in reversed(X)])
    assert ari(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.graph_.toarray()[rows], b.graph_.toarray())


@pytest.mark.parametrize("seed", range(3))
def test_a_rare_group_beside_one_large_one(seed):
    X, y = rare(1000, 10, seed)
    model = MGL(2, random_state=seed).fit(X)
    assert ari(y, model.labels_) == 1
    assert model.n_components_ == 2
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_rare_group_is_found_with_more_clusters():
    X, y = rare(500, 5, 1)
    labels = MGL(4, random_state=0).fit(X).labels_
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
    for graphs, joint in ((view_and_joint_graphs, True), (view_links, False)):
        idx, counts, _ = link_rows(block, points, present, graphs)
        assert (counts.sum(axis=1) == TOTAL).all()
        dense = np.zeros((40, 10))
        np.add.at(dense, (np.arange(40)[:, None], idx), counts / TOTAL)
        D = [
            squared_distances(x, p) for x, p in zip((a, b), points.arrays, strict=True)
        ]
        mean = sum(closed_form(d, 3) for d in D) / 2
        if joint:
            mean = (mean + closed_form(D[0] / 2 + D[1] / 3, 3)) / 2
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
    model = MGL(3, random_state=0).fit(Views(X))
    assert ari(y, model.labels_) > 0.95
