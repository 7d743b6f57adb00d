import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets, methods
from mvgraph.baselines.mvsc import MVSC, anchor_graph, weigh_graphs
from mvgraph.metrics import scores


def test_planted_clusters_are_found():
    X, truth = planted(90, centres="axes")
    model = MVSC(n_clusters=3, n_anchors=30, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.graph_.shape == (90, 30)
    assert model.view_weights_.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)
    assert set(model.anchor_labels_) <= {-1, 0, 1, 2}


def test_same_seed_same_labels():
    X, _ = planted(90, centres="axes")
    a, b = (MVSC(n_clusters=4, random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(a.labels_, b.labels_)


def test_graph_is_that_of_the_formula():
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=(20, 3)), rng.normal(size=(8, 3))
    D = np.array([[((p - q) ** 2).sum() for q in a] for p in x])
    Z = np.zeros((20, 8))
    for i in range(20):
        near = np.argsort(D[i])[:4]
        Z[i, near] = np.exp(-D[i, near] / (2 * D.mean() ** 2))
        Z[i] /= Z[i].sum()
    Z /= np.sqrt(np.maximum(Z.sum(axis=0), 1e-12))
    np.testing.assert_allclose(anchor_graph(x, a, 4).toarray(), Z, atol=1e-14)


def test_far_samples_do_not_underflow():
    x = np.concatenate([np.zeros((50, 1)), [[40.0]]])
    Z = anchor_graph(x, np.array([[0.0], [0.001], [0.002]]), 2)
    assert np.isfinite(Z.data).all()
    assert (np.asarray(Z.sum(axis=1)) > 0).all()


def test_exponent_one_keeps_equal_weights():
    X, _ = planted(90, centres="axes")
    model = MVSC(n_clusters=3, exponent=1, random_state=0).fit(X)
    np.testing.assert_allclose(model.view_weights_, 0.5)


def test_as_many_clusters_as_samples():
    X = [np.arange(5.0)[:, None]]
    assert MVSC(n_clusters=5, random_state=0).fit(X).labels_.max() <= 4


@pytest.mark.parametrize("bad", [{"n_anchors": 2}, {"exponent": 0}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        MVSC(n_clusters=3, **bad).fit(planted(90, centres="axes")[0])


@pytest.mark.shared
def test_published_fit_from_its_anchors(shared_dir):
    data = datasets.load(shared_dir / "data/msrc_v5.mat")
    stored = np.load(shared_dir / "fixtures/baseB/mvsc_MSRC.npz")
    ends = np.cumsum(stored["dims"])[:-1]
    points = np.split(stored["anchors_concat"], ends, axis=1)
    graphs = [
        anchor_graph(x, a, int(stored["r"]))
        for x, a in zip(data.views.arrays, points, strict=True)
    ]
    for v, graph in enumerate(graphs):
        np.testing.assert_allclose(graph.toarray(), stored["Zv"][:, :, v], atol=1e-12)
    cut, history = weigh_graphs(graphs, 7, float(stored["wr"]), 50)
    np.testing.assert_allclose(cut.alpha, stored["alpha"], atol=1e-12)
    objectives = [entry["objective"] for entry in history]
    np.testing.assert_allclose(objectives, stored["obj"], rtol=1e-12)
    F, E = np.vstack([cut.U, cut.V]), stored["embedding_points_then_anchors"]
    np.testing.assert_allclose(F @ F.T, E @ E.T, atol=1e-8)


@pytest.mark.slow
@pytest.mark.shared
def test_mean_of_twenty_runs_on_msrc(shared_dir):
    data = datasets.load(shared_dir / "data/msrc_v5.mat")
    make = methods.get("mvsc").make
    runs = [
        scores(data.labels, make(7, s, "paper", data.name).fit_predict(data.views))
        for s in range(20)
    ]
    assert np.mean([r["acc"] for r in runs]) == pytest.approx(0.788, abs=0.03)
    assert np.mean([r["nmi"] for r in runs]) == pytest.approx(0.713, abs=0.03)


def test_sparse_views_give_what_dense_ones_give():
    X, _ = planted(90, centres="axes")
    X = [np.round(np.abs(x)) for x in X]
    dense = MVSC(n_clusters=3, scaling="none", random_state=0).fit(X)
    sparse = MVSC(n_clusters=3, scaling="none", random_state=0)
    sparse.fit([sp.csr_matrix(x) for x in X])
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == 1
