"""Weighted nearest neighbours against loops over samples."""

import numpy as np
import pytest

from mvgraph.baselines.wnn_leiden.weighted_neighbors import (
    joint_neighbors,
    neighbors_in_view,
    shared_neighbor_graph,
    weigh_views,
)

N, K, RANGE = 60, 6, 20


@pytest.fixture(scope="module")
def views():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(N, d)) for d in (3, 4, 5)]


@pytest.fixture(scope="module")
def near(views):
    return [neighbors_in_view(x, K, RANGE) for x in views]


def distances(x):
    return np.linalg.norm(x[:, None] - x[None], axis=2)


def nearest(x, i, k):
    return [j for j in np.argsort(distances(x)[i], kind="stable") if j != i][:k]


def jaccard(lists):
    return np.array([[len(a & b) / len(a | b) for b in lists] for a in lists])


def test_scale_of_a_sample(views, near):
    for x, found in zip(views, near, strict=True):
        D = distances(x)
        J = jaccard([{i, *nearest(x, i, K - 1)} for i in range(N)])
        for i in range(N):
            np.testing.assert_array_equal(found.idx[i], nearest(x, i, RANGE))
            linked = [j for j in np.flatnonzero(J[i] > 0) if j != i]
            bound = np.sort(J[i, linked])[:K][-1]
            far = np.sort([D[i, j] for j in linked if J[i, j] <= bound])[::-1][:K]
            delta = D[i, found.idx[i, 0]]
            assert found.nearest[i] == pytest.approx(delta)
            assert found.width[i] == pytest.approx(np.mean(far) - delta)


def test_weights_of_the_views(views, near):
    weights = weigh_views(near, K)
    for i in range(N):
        scores = []
        for v, x in enumerate(views):
            theta = []
            for other in views:
                gap = np.linalg.norm(x[i] - x[nearest(other, i, K - 1)].mean(axis=0))
                far = max(gap - near[v].nearest[i], 0)
                theta.append(np.exp(-far / near[v].width[i]))
            own = theta.pop(v)
            scores.append(min(own / (max(theta) + 1e-4), 200))
        expected = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(weights[i], expected, rtol=1e-7)


def test_joint_neighbours(views, near):
    weights = weigh_views(near, K)
    idx = joint_neighbors(near, weights, K)
    for i in range(N):
        candidates = sorted({j for x in views for j in nearest(x, i, RANGE)})
        total = np.zeros(len(candidates))
        for v, x in enumerate(views):
            far = np.maximum(distances(x)[i, candidates] - near[v].nearest[i], 0)
            total += weights[i, v] * np.exp(-far / near[v].width[i])
        expected = np.array(candidates)[np.argsort(-total, kind="stable")[:K]]
        np.testing.assert_array_equal(idx[i], expected)


def test_jaccard_links(near):
    idx = near[0].idx[:, :K]
    J = jaccard([set(row) for row in idx])
    np.fill_diagonal(J, 0)
    W = shared_neighbor_graph(idx, 0.2).toarray()
    np.testing.assert_array_equal(W, W.T)
    kept = (J >= 0.2).any(axis=1)
    inside = np.ix_(kept, kept)
    np.testing.assert_allclose(W[inside], np.where(J >= 0.2, J, 0)[inside])
    np.testing.assert_allclose(W[~kept], J[~kept])


def test_one_view_has_all_the_weight(near):
    np.testing.assert_allclose(weigh_views(near[:1], K), 1)


def test_duplicates_and_two_samples():
    x = np.repeat(np.eye(3), 8, axis=0)
    view = neighbors_in_view(x, 5, 10)
    assert (view.width > 0).all()
    assert (view.nearest == 0).all()
    idx = joint_neighbors([view, view], weigh_views([view, view], 5), 5)
    assert (idx // 8 == np.arange(24)[:, None] // 8).all()
    two = neighbors_in_view(np.eye(2), 1, 1)
    np.testing.assert_array_equal(two.idx, [[1], [0]])
