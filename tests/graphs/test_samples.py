"""Laws of the graph of the samples."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import Views
from mvgraph.graphs.samples import nearest_by_cells, sample_graph


def blobs(seed, n=120, d=4, k=3, gap=8.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return gap * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)), y


def inside(links, y):
    links = links.tocoo()
    return links.data[y[links.row] == y[links.col]].sum() / links.data.sum()


@pytest.mark.parametrize("n", [1, 2, 3, 40])
@pytest.mark.parametrize("k", [1, 15])
def test_links_are_symmetric_positive_and_at_most_one(n, k):
    links = sample_graph(Views([blobs(0, n)[0]]), n_neighbors=k).links
    assert links.shape == (n, n)
    assert (links != links.T).nnz == 0
    assert not links.diagonal().any()
    assert (links.data > 0).all()
    if n > 1:
        assert (links.max(axis=1).toarray() == 1).all()  # nobody is left alone
        assert links.nnz <= 2 * k * n


def test_the_order_of_rows_and_views_changes_no_bit():
    views, rng = [blobs(s)[0] for s in (1, 2, 3)], np.random.default_rng(4)
    weights, rows = np.array([0.5, 0.3, 0.2]), rng.permutation(120)
    one = sample_graph(Views(views), weights)
    turned = Views([views[v][rows] for v in (2, 0, 1)])
    other = sample_graph(turned, weights[[2, 0, 1]])
    assert (one.links[rows][:, rows] != other.links).nnz == 0
    np.testing.assert_array_equal(one.features[rows], other.features)


def test_a_copy_of_a_view_and_a_view_without_weight_change_nothing():
    (a, _), (b, _) = blobs(1), blobs(2)
    one = sample_graph(Views([a, b])).links
    assert (sample_graph(Views([a, b, a])).links != one).nnz == 0
    noise = np.random.default_rng(0).normal(size=(120, 9))
    weighed = sample_graph(Views([a, noise, b]), np.array([0.5, 0, 0.5])).links
    assert abs(weighed - one).max() < 1e-3


def test_types_that_only_both_views_tell_apart_are_not_linked():
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=400)
    views = [9.0 * rng.normal(size=(2, 10))[of] for of in (y % 2, y // 2)]
    views = [x + rng.normal(size=x.shape) for x in views]
    assert inside(sample_graph(Views(views)).links, y) > 0.99


def test_samples_that_lack_a_view_are_near_their_kind_not_near_each_other():
    (a, y), rng = blobs(5, n=200, gap=4.0), np.random.default_rng(0)
    b = a @ rng.normal(size=(4, 6)) + rng.normal(size=(200, 6))
    lacks = rng.random(200) < 0.3
    b[lacks] = np.nan
    links = sample_graph(Views([a, b])).links
    assert inside(links, y) > 0.95
    assert inside(links[lacks][:, :], lacks.astype(int)) < 0.6  # .58 by chance


@pytest.mark.parametrize("kind", ["constant", "copies", "sparse"])
def test_degenerate_views_are_linked_within_bounds(kind):
    x = {
        "constant": np.ones((30, 2)),
        "copies": np.repeat(blobs(0, 3)[0], 20, axis=0),
        "sparse": sp.random(60, 500, 0.05, format="csr", random_state=0),
    }[kind]
    found = sample_graph(Views([x]))
    assert np.isfinite(found.features).all()
    assert np.isfinite(found.links.data).all()
    assert (found.links.max(axis=1).toarray() == 1).all()


def test_cells_find_what_a_search_among_all_rows_finds():
    X = blobs(0, n=3000, d=8, k=20, gap=2.0)[0].astype(np.float32)
    exact = nearest_by_cells(X, 10)
    D = ((X[:50, None] - X[None]) ** 2).sum(axis=2)
    D[np.arange(50), np.arange(50)] = np.inf
    np.testing.assert_array_equal(exact.indices[:50], np.argsort(D, axis=1)[:, :10])
    found = nearest_by_cells(X, 10, cell_rows=50, searched_rows=1000)
    assert (found.indices[:, :, None] == exact.indices[:, None]).sum() > 0.97 * 30_000
    assert (found.indices != np.arange(3000)[:, None]).all()
