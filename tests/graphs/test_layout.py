"""Laws of the map of the samples: it shows what the graph holds, and no more."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from data import cite_seq, neighbour_agreement
from mvgraph import GraphConsensus, Views
from mvgraph.graphs.layout import layout_2d
from mvgraph.graphs.samples import graph_of, sample_graph


def shared_by_links(links, y):
    links = links.tocoo()
    return (y[links.row] == y[links.col]).mean()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_map_agrees_with_the_labels(seed):
    views, y = cite_seq(1500, seed)
    model = GraphConsensus(8, random_state=0).fit(views)
    assert adjusted_rand_score(y, model.labels_) > 0.97
    points = layout_2d(graph_of(model, views))
    assert neighbour_agreement(points, model.labels_) >= 0.95
    assert neighbour_agreement(points, y) >= 0.95


@pytest.mark.slow
def test_many_small_clusters_are_not_joined():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 10)
    views = [2.5 * rng.normal(size=(40, d))[y] for d in (20, 30)]
    views = [x + rng.normal(size=x.shape) for x in views]
    model = GraphConsensus(40, random_state=0).fit(views)
    points = layout_2d(graph_of(model, views))
    assert neighbour_agreement(points, model.labels_, 5) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("widths", [(10, 20), (50, 50)])
def test_noise_is_a_cloud(widths):
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(1000, d)) for d in widths]
    model = GraphConsensus(5, random_state=0).fit(views)
    graph = graph_of(model, views)
    points = layout_2d(graph)
    shared = neighbour_agreement(points, model.labels_, 15)
    assert shared <= shared_by_links(graph.links, model.labels_) + 0.05
    # one cloud: nobody is far from the others
    gap = NearestNeighbors(n_neighbors=5).fit(points).kneighbors()[0][:, -1]
    assert gap.max() < 0.15 * np.ptp(points, axis=0).max()


@pytest.mark.slow
def test_the_order_of_rows_does_not_matter_and_the_seed_does():
    views, _ = cite_seq(200)
    rows = np.random.default_rng(0).permutation(200)
    points = layout_2d(sample_graph(Views(views)))
    turned = layout_2d(sample_graph(Views([x[rows] for x in views])))
    np.testing.assert_array_equal(points[rows], turned)
    other = layout_2d(sample_graph(Views(views)), random_state=1)
    assert (other != points).any()


@pytest.mark.slow
@pytest.mark.parametrize("x", [np.ones((1, 2)), np.eye(2), np.ones((40, 3))])
def test_few_or_equal_samples_have_finite_places_in_the_middle(x):
    points = layout_2d(sample_graph(Views([x])))
    assert points.shape == (len(x), 2)
    assert np.isfinite(points).all()
    np.testing.assert_allclose(points.max(axis=0), -points.min(axis=0), atol=1e-5)
