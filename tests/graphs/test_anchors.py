import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import Views, as_views, datasets
from mvgraph.graphs import anchors
from mvgraph.graphs.anchors import (
    RULES,
    das_rows,
    default_n_anchors,
    select_anchors,
    vda_rows,
)
from mvgraph.views.scaling import fit_scaling, scale_views


def views(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return Views([rng.random((n, 3)), rng.random((n, 5))])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("m", [1, 7, 40])
def test_as_many_anchors_as_asked_in_every_view(rule, m):
    found = select_anchors(views(), rule, m, np.random.default_rng(0))
    assert [p.shape for p in found.points] == [
        (found.n_anchors, 3),
        (found.n_anchors, 5),
    ]
    assert 1 <= found.n_anchors <= m
    if rule in ("kmeans", "random"):
        assert found.n_anchors == m


def test_kmeans_anchors_are_means_of_the_same_cells_in_every_view():
    v = views()
    doubled = Views([v.arrays[0], v.arrays[0] * 2])
    points = select_anchors(doubled, "kmeans", 6, np.random.default_rng(0)).points
    np.testing.assert_allclose(points[1], 2 * points[0])


def test_das_by_hand():
    """Scores 1, .5, .25: after the first pick s (1 - s) makes .5 the largest."""
    v = Views([np.array([[0.0], [4.0], [2.0], [1.0]])])
    np.testing.assert_array_equal(das_rows(v, 2), [1, 2])


def test_vda_picks_spread_scores():
    rows = vda_rows(views(), 10)
    assert len(rows) == 10
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("rule", RULES)
def test_duplicates_constants_and_zeros_do_no_harm(rule):
    for x in (np.ones((9, 2)), np.zeros((9, 2)), np.repeat(np.eye(3), 3, axis=0)):
        anchors = select_anchors(Views([x]), rule, 5, np.random.default_rng(0))
        assert np.isfinite(anchors.points[0]).all()


@pytest.mark.parametrize("rule", RULES)
def test_sparse_views(rule):
    x = sp.random(30, 12, density=0.3, random_state=0, format="csr")
    anchors = select_anchors(Views([x]), rule, 5, np.random.default_rng(0))
    assert isinstance(anchors.points[0], np.ndarray)


@pytest.mark.parametrize(
    ("n", "k", "m"), [(210, 7, 105), (2000, 10, 300), (1600, 100, 300), (10, 8, 10)]
)
def test_default_number(n, k, m):
    assert default_n_anchors(n, k) == m


def test_unknown_rule():
    with pytest.raises(ValueError, match="anchors must be one of"):
        select_anchors(views(), "grid", 3, np.random.default_rng(0))


@pytest.mark.shared
def test_das_equals_the_recorded_anchors_to_the_last_pick(shared_dir):
    data = datasets.load(shared_dir / "data" / "msrc_v5.mat").views
    scaled = scale_views(data, [fit_scaling(x, "max") for x in data.arrays])
    recorded = np.load(shared_dir / "fixtures/baseA/msrc_sfmc_max_r050.npz")["anchors0"]
    np.testing.assert_array_equal(das_rows(scaled, 105), recorded)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "fixture", "m"),
    [("handwritten4", "hw_sfmc_max_05", 1000), ("mnist4", "mnist4_sfmc_max_05", 2000)],
)
def test_das_on_the_larger_sets(shared_dir, name, fixture, m):
    data = datasets.load(shared_dir / "data" / f"{name}.mat").views
    scaled = scale_views(data, [fit_scaling(x, "max") for x in data.arrays])
    recorded = np.load(shared_dir / f"fixtures/baseA/{fixture}.npz")["anchors0"]
    np.testing.assert_array_equal(das_rows(scaled, m), recorded)


def far_samples():
    """Two blobs and three single samples far from everything."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 20])
    return as_views([np.concatenate([x, [[500, 0], [0, 500], [-500, -500]]])])


def test_cells_of_few_samples_make_no_anchors():
    views = far_samples()
    every = anchors.kmeans_anchors(views, 8, np.random.default_rng(1))
    some = anchors.kmeans_anchors(views, 8, np.random.default_rng(1), min_share=0.5)
    assert abs(every.points[0]).max() > 400
    assert abs(some.points[0]).max() < 30
    kept = {tuple(p) for p in every.points[0]}
    assert {tuple(p) for p in some.points[0]} < kept


@pytest.mark.parametrize("at_least", [1, 5, 8])
def test_so_many_cells_remain_at_least(at_least):
    found = anchors.kmeans_anchors(
        far_samples(), 8, np.random.default_rng(1), min_share=1e9, at_least=at_least
    )
    assert found.n_anchors >= at_least
