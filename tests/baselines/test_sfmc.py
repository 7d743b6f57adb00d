import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import naive
from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.sfmc import SFMC, structured_fusion
from mvgraph.graphs import partition
from mvgraph.ops.affinity.structured import structured_graph

MSRC = "data/msrc_v5.mat"
#: 090 is left out: there noise of 1e-9 in the weights moves the stored labels.
RATES = ["010", "020", "030", "040", "050", "060", "070", "080", "100"]
#: The published solver of the weights stops early here, at a point that hangs on
#: rounding; with the stored weights the graph and its labels are as stored.
STALLED = {"030", "070"}


def fixture(shared_dir, name):
    return np.load(shared_dir / "fixtures" / "baseA" / name)


def graphs_of(views, rate, scaling="max"):
    model = SFMC(n_clusters=7, n_anchors=rate, scaling=scaling)
    rows, graphs = model._graphs(views)
    return rows, graphs


def test_planted_clusters_are_found():
    X, truth = planted(90)
    model = SFMC(n_clusters=3).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.n_iter_ == len(model.history_) == 10
    assert model.view_weights_.min() >= 0
    assert model.view_weights_.sum() == pytest.approx(1)
    assert (model.graph_.data > 0).all()
    assert model.graph_.shape == (90, 45)
    owner = model.labels_[model.anchor_rows_]
    np.testing.assert_array_equal(model.anchor_labels_, owner)


def test_rows_may_be_permuted_to_the_last_bit():
    X, _ = planted(90)
    rows = np.random.default_rng(1).permutation(90)
    a, b = SFMC(n_clusters=3).fit(X), SFMC(n_clusters=3).fit([x[rows] for x in X])
    assert adjusted_rand_score(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.view_weights_, b.view_weights_)
    np.testing.assert_array_equal(np.sort(rows[b.anchor_rows_]), a.anchor_rows_)
    columns = np.argsort(rows[b.anchor_rows_])
    assert (a.graph_[rows] != b.graph_[:, columns]).nnz == 0


def test_components_other_than_k_give_a_warning():
    noise = np.random.default_rng(0).normal(size=(40, 4))
    X = [np.repeat(np.eye(4) * 50, 10, axis=0) + noise]
    with pytest.warns(ConvergenceWarning, match="4 components, not n_clusters=2"):
        model = SFMC(n_clusters=2, n_neighbors=2).fit(X)
    assert model.n_components_ == len(set(model.labels_)) == 4


@pytest.mark.parametrize("n_anchors", [2, 91])
def test_too_few_or_too_many_anchors_are_refused(n_anchors):
    with pytest.raises(ValueError, match="n_anchors"):
        SFMC(n_clusters=3, n_anchors=n_anchors).fit(planted(90)[0])


def test_sparse_views_give_what_dense_ones_give():
    X, _ = planted(90)
    X = [np.round(np.abs(x)) for x in X]
    dense = SFMC(n_clusters=3, scaling="max").fit(X)
    sparse = SFMC(n_clusters=3, scaling="max").fit([sp.csr_matrix(x) for x in X])
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


def test_many_views_with_one_useless():
    X, truth = planted(90)
    noise = np.random.default_rng(3).normal(size=(90, 5))
    model = SFMC(n_clusters=3).fit([*X * 5, noise, np.ones((90, 2))])
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.view_weights_.shape == (12,)


@pytest.mark.shared
@pytest.mark.parametrize("rate", RATES)
def test_published_fits_of_msrc(shared_dir, rate):
    views = datasets.load(shared_dir / MSRC).views
    stored = fixture(shared_dir, f"msrc_sfmc_max_r{rate}.npz")
    rows, graphs = graphs_of(views, float(stored["anchor_rate"]))
    if rate in STALLED:
        mixed = sum(a * B for a, B in zip(stored["alpha"], graphs, strict=True))
        P = structured_graph(mixed, 7)
    else:
        P, alpha, _ = structured_fusion(
            graphs, 7, 10, solve=naive.accelerated_simplex_qp
        )
        np.testing.assert_allclose(alpha, stored["alpha"], atol=1e-7)
    count, labels, _ = partition.components(P.graph)
    assert count == stored["n_found"] == 7
    assert adjusted_rand_score(stored["labels"], labels) == 1
    if rate == "050":
        np.testing.assert_array_equal(rows, stored["anchors0"])
        for B, expected in zip(graphs, stored["G_views"], strict=True):
            np.testing.assert_allclose(B.toarray(), expected, atol=1e-10)
        # the stored weights are those of an early stop: 3e-8 is what they carry
        np.testing.assert_allclose(P.graph.toarray(), stored["P"], atol=1e-7)


@pytest.mark.shared
def test_published_graph_from_the_published_weights(shared_dir):
    stored = fixture(shared_dir, "msrc_sfmc_max_r050.npz")
    graphs = [sp.csr_matrix(B) for B in stored["G_views"]]
    mixed = sum(a * B for a, B in zip(stored["alpha"], graphs, strict=True))
    P = structured_graph(mixed, 7).graph.toarray()
    np.testing.assert_allclose(P, stored["P"], atol=1e-10)


@pytest.mark.shared
@pytest.mark.parametrize("scaling", ["none", "minmax", "unit", "zscore"])
def test_published_fits_of_msrc_under_other_scalings(shared_dir, scaling):
    # rowz is left out: there the feature sums are constant and the anchors rounding
    views = datasets.load(shared_dir / MSRC).views
    stored = fixture(shared_dir, f"msrc_sfmc_{scaling}_r050.npz")
    X = [PLAIN[scaling](x) for x in views.arrays]  # the anchors hang on the last bit
    _, graphs = graphs_of(type(views)(X), 0.5, "none")
    P, _, _ = structured_fusion(graphs, 7, 10, solve=naive.accelerated_simplex_qp)
    labels = partition.components(P.graph)[1]
    assert adjusted_rand_score(stored["labels"], labels) == 1


PLAIN = {
    "none": lambda x: x,
    "minmax": lambda x: (x - x.min(axis=0)) / span(x),
    "unit": lambda x: x / np.sqrt(np.cumsum(x**2, axis=1)[:, -1:]),
    "zscore": lambda x: (x - x.mean(axis=0)) / deviation(x),
}


def span(x):
    return np.where(np.ptp(x, axis=0) > 0, np.ptp(x, axis=0), np.inf)


def deviation(x):
    return np.where(np.ptp(x, axis=0) > 0, x.std(axis=0, ddof=1), np.inf)


@pytest.mark.shared
def test_preset_paper_repeats_the_published_row(shared_dir):
    data = datasets.load(shared_dir / MSRC)
    stored = fixture(shared_dir, "msrc_sfmc_max_r050.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = methods.get("sfmc").make(7, 0, "paper", data.name).fit(data.views)
    assert adjusted_rand_score(stored["labels"], model.labels_) == 1


@pytest.mark.slow
@pytest.mark.shared
def test_handwritten4(shared_dir):
    data = datasets.load(shared_dir / "data/handwritten4.mat")
    stored = fixture(shared_dir, "hw_sfmc_max_05.npz")
    model = SFMC(n_clusters=10, scaling="max").fit(data.views)
    np.testing.assert_array_equal(model.anchor_rows_, stored["anchors0"])
    assert adjusted_rand_score(stored["labels"], model.labels_) == 1


@pytest.mark.slow
@pytest.mark.shared
def test_mnist4(shared_dir):
    data = datasets.load(shared_dir / "data/mnist4.mat")
    stored = fixture(shared_dir, "mnist4_sfmc_max_05.npz")
    rows, graphs = SFMC(n_clusters=4, scaling="max")._graphs(data.views)
    np.testing.assert_array_equal(rows, stored["anchors0"])
    P, _, _ = structured_fusion(graphs, 4, 10, solve=naive.accelerated_simplex_qp)
    labels = partition.components(P.graph)[1]
    assert adjusted_rand_score(stored["labels"], labels) == 1
