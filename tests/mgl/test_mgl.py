import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import MGL, Views, datasets, methods, metrics
from mvgraph.graphs.anchors import das_rows
from mvgraph.graphs.bipartite import anchor_graph
from mvgraph.mgl import dense as steps
from mvgraph.mgl.problem import Problem, finished
from mvgraph.ops.distance import squared_distances
from mvgraph.views.scaling import fit_scaling, scale_views


def problem(transform="identity", tensor_weight=0.05, p=1.0, seed=0):
    rng = np.random.default_rng(seed)
    views, _ = planted(seed=seed)
    D = np.stack([squared_distances(x, x[rng.permutation(60)[:20]]) for x in views])
    D /= D.mean()
    graphs = [anchor_graph(d, 5) for d in D]
    alpha = float(np.mean([g.alpha.mean() for g in graphs]))
    made = Problem(3, alpha, tensor_weight, p, 1.1, 0.1)
    return made, steps.start(made, D, graphs, 1e-3)


@pytest.mark.parametrize("transform", ["identity", "graph", "fft-samples"])
def test_rows_stay_on_the_simplex_and_residuals_fall(transform):
    made, s = problem(transform)
    primal = []
    for _ in range(120):
        s = steps.step(made, transform, s)
        assert (s.Z >= 0).all()
        np.testing.assert_allclose(s.Z.sum(axis=2), 1, atol=1e-9)
        np.testing.assert_allclose(s.Zbar, s.Z.mean(axis=0), atol=1e-12)
        primal.append(s.c.primal)
        if finished(s.c):
            break
    assert primal[-1] < 0.3 * max(primal)
    assert finished(s.c)


def test_the_graph_step_minimises_its_problem():
    """No feasible point near Z costs less in eq. 23 (with its own g, J, Y, F)."""
    made, s = problem(tensor_weight=0.2)
    for _ in range(30):
        s = steps.step(made, "identity", s)
    s = steps.update_tensor(made, "identity", s)
    rng = np.random.default_rng(0)
    g, Y, F, beta, mu = s.c.g.copy(), s.Y.copy(), s.F, s.c.beta, s.c.mu
    scale_p = 1 / np.sqrt(F.dp)[:, None]
    scale_q = np.where(F.dq > 0, 1 / np.sqrt(np.maximum(F.dq, 1e-300)), 0)[:, None]
    dF = squared_distances(F.P * scale_p, F.Q * scale_q)
    sigma = s.D / g[:, None, None] - mu * (s.J - Y / mu) + beta / 2 * dF

    def cost(Z):
        return ((mu / 2 + made.alpha) * Z**2 + sigma * Z).sum()

    s = steps.update_graphs_and_multiplier(made, s)
    np.testing.assert_allclose(s.Y, Y + mu * (s.Z - s.J), atol=1e-12)
    for _ in range(50):
        other = rng.dirichlet(np.full(20, 0.2), size=(2, 60))
        mixed = s.Z + 0.1 * (other - s.Z)
        assert cost(s.Z) <= cost(mixed) + 1e-9


def test_permuting_anchors_changes_nothing():
    made, s = problem()
    order = np.random.default_rng(0).permutation(20)
    D = s.D[:, :, order]
    t = steps.start(made, D, [anchor_graph(d, 5) for d in D], s.c.mu)
    for _ in range(40):
        s, t = (steps.step(made, "identity", x) for x in (s, t))
    np.testing.assert_allclose(t.Z, s.Z[:, :, order], atol=1e-7)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_the_scale_of_a_view_does_not_matter(scale):
    views, y = planted()
    model = MGL(3, scaling="none", random_state=0).fit([views[0] * scale, views[1]])
    assert ari(y, model.labels_) == 1


def test_finds_planted_clusters_and_fills_every_attribute():
    views, y = planted()
    model = MGL(3, random_state=0).fit(views)
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
    model = MGL(3, random_state=0).fit(views)
    rows, columns = model.graph_.nonzero()
    np.testing.assert_array_equal(model.anchor_labels_[columns], model.labels_[rows])


def test_too_few_steps_warn_and_cut_the_same_graph():
    views, y = planted()
    with pytest.warns(ConvergenceWarning, match="components, not n_clusters=3"):
        model = MGL(3, basis="identity", random_state=0, max_iter=2).fit(views)
    assert model.partition_ == "spectral"
    assert model.n_components_ != 3
    assert ari(y, model.labels_) == 1


def test_the_steps_of_the_paper_are_recorded():
    views, y = planted()
    model = MGL(3, basis="identity", random_state=0).fit(views)
    assert ari(y, model.labels_) == 1
    assert model.n_iter_ == len(model.history_)
    assert set(model.history_[0]) == {
        "objective",
        "primal_residual",
        "dual_residual",
        "beta",
        "mu",
        "n_components",
        "seconds",
    }


@pytest.mark.parametrize("transform", ["neighbors", "identity", "graph", "views"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_and_views_in_any_order(transform, seed):
    views, _ = planted(noise=4.0)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(60)
    a = MGL(3, basis=transform, random_state=seed).fit(views)
    b = MGL(3, basis=transform, random_state=seed).fit([views[1][rows], views[0][rows]])
    assert ari(a.labels_[rows], b.labels_) == 1
    np.testing.assert_array_equal(a.view_weights_[::-1], b.view_weights_)
    np.testing.assert_array_equal(
        np.asarray(a.graph_.todense())[rows], np.asarray(b.graph_.todense())
    )


def test_the_published_form_reads_the_order():
    """Sorted by class it is perfect, shuffled it is not: the effect is real."""
    views, y = planted(120, 4, dims=(5, 7), spread=1, noise=1.2, rows="sorted")
    rows = np.random.default_rng(0).permutation(120)
    settings = {"n_clusters": 4, "random_state": 0}
    sorted_ = MGL.paper(**settings).fit(views).labels_
    shuffled = MGL.paper(**settings).fit([x[rows] for x in views]).labels_
    acc = metrics.accuracy
    assert acc(y, sorted_) > acc(y[rows], shuffled) + 0.1


@pytest.mark.parametrize("dataset", ["unknown", "", "msrc"])
def test_published_settings_are_of_published_sets(dataset):
    with pytest.raises(ValueError, match="known: msrc_v5, handwritten4, mnist4, or No"):
        MGL.paper(3, dataset=dataset)


@pytest.mark.parametrize("dataset", ["mnist4", "MNIST4", "mnist4__rows"])
def test_published_settings_by_name_or_file(dataset):
    assert MGL.paper(4, dataset=dataset).n_anchors == 0.1
    build = methods.get("mgl").make
    assert build(4, 0, "paper", dataset).n_anchors == 0.1
    assert build(4, 0, "paper", "mine").n_anchors == MGL.paper(4).n_anchors == 0.5
    assert MGL.paper(4, dataset="MSRC-v5").get_params() == MGL.paper(4).get_params()


def test_the_published_form_says_where_its_anchors_come_from():
    with pytest.raises(
        ValueError, match=r"the 10 anchors that n_anchors=0\.5 gives for"
    ):
        MGL.paper(12).fit(np.arange(40.0).reshape(20, 2))


@pytest.mark.parametrize("convert", [sp.csr_matrix, np.float32, np.asfortranarray])
def test_what_holds_the_numbers_does_not_matter(convert):
    views, y = planted()
    labels = MGL(3, random_state=0).fit([convert(x) for x in views]).labels_
    assert ari(y, labels) == 1


def test_same_seed_same_labels_and_threads_do_not_matter(monkeypatch):
    views, _ = planted(noise=4.0)
    first = MGL(3, random_state=1).fit(views)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    second = MGL(3, random_state=1).fit(views)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    assert (first.graph_ != second.graph_).nnz == 0


@pytest.mark.parametrize("n_views", [1, 2, 5, 12])
def test_any_number_of_views(n_views):
    views, y = planted()
    model = MGL(3, random_state=0).fit([views[0] + v for v in range(n_views)])
    assert ari(y, model.labels_) > 0.9
    assert len(model.view_weights_) == n_views


def test_thin_views_duplicates_and_constants():
    views, y = planted()
    extra = [np.ones((60, 2)), views[0][:, :1], np.repeat(views[0][:3], 20, axis=0)]
    model = MGL(3, random_state=0).fit([views[0], views[1], *extra[:2]])
    assert ari(y, model.labels_) == 1
    assert np.isfinite(MGL(3, random_state=0).fit(extra).embedding_).all()


@pytest.mark.shared
def test_same_as_the_slow_reference(shared_dir, monkeypatch):
    """The published form on MSRC-v5: same graph, same labels, all three transforms."""
    monkeypatch.syspath_prepend(str(shared_dir / "reference"))
    import mgl_reference as reference

    sys.modules.pop("mgl_reference")
    data = datasets.load(shared_dir / "data" / "msrc_v5.mat")
    by_max, by_unit = (
        scale_views(data.views, [fit_scaling(x, r) for x in data.views.arrays])
        for r in ("max", "unit")
    )
    rows = das_rows(by_max, 105)
    for transform in ("fft-samples", "fft-anchors", "identity"):
        D = np.stack([squared_distances(x, x[rows]) for x in by_unit.arrays])
        graphs = [anchor_graph(d, 10) for d in D]
        alpha = float(np.mean([g.alpha.mean() for g in graphs]))
        made = Problem(7, alpha, 0.2, 0.1, 1.1, 0.0)
        s = steps.start(made, D, graphs, 1e-5)
        for iteration in range(250):
            s = s._replace(c=s.c._replace(converged=iteration >= 100))
            s = steps.step(made, transform, s)
            if finished(s.c):
                break
        Z = reference.mgl(by_unit.arrays, 7, rows, 0.2, 0.1, transform, rank_from=101)
        np.testing.assert_allclose(s.Z, Z, atol=1e-5)
        assert ari(reference.components(Z.mean(0))[1], components_of(s)) == 1


def components_of(s):
    from mvgraph.graphs.partition import components

    return components(s.Zbar)[1]


def test_views_object_and_names():
    views, y = planted()
    model = MGL(3, random_state=0).fit(Views(views, names=["a", "b"]))
    assert ari(y, model.labels_) == 1
    np.testing.assert_array_equal(
        model.labels_,
        MGL(3, random_state=0).fit(dict(zip("ab", views, strict=True))).labels_,
    )


@pytest.mark.parametrize(("N", "K"), [(12, 6), (18, 6), (20, 10), (30, 10)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clear_clusters_of_two_or_three_samples(N, K, seed):
    X, truth = planted(N, K, dims=(6, 8), seed=seed, spread=8, noise=0.5, rows="sorted")
    labels = MGL(K, random_state=seed).fit(X).labels_
    assert ari(truth, labels) == 1
