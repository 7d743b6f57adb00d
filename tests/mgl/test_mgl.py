import sys
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import MGL, datasets, methods, metrics
from mvgraph.graphs.anchors import das_rows
from mvgraph.graphs.bipartite import anchor_graph
from mvgraph.mgl import steps
from mvgraph.mgl.problem import Problem, finished
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.proximal.tensor import BASES
from mvgraph.views.scaling import fit_scaling, scale_views


def problem(basis="fft-anchors", tensor_weight=0.05, p=1.0, seed=0):
    rng = np.random.default_rng(seed)
    views, _ = planted(seed=seed)
    D = np.stack([squared_distances(x, x[rng.permutation(60)[:20]]) for x in views])
    D /= D.mean()
    graphs = [anchor_graph(d, 5) for d in D]
    alpha = float(np.mean([g.alpha.mean() for g in graphs]))
    made = Problem(3, 5, tensor_weight, p, 1e-3, 1.1, 0.1, 120, basis, alpha=alpha)
    return made, steps.start(made, D, graphs)


@pytest.mark.parametrize("basis", BASES)
def test_rows_stay_on_the_simplex_and_residuals_fall(basis):
    made, s = problem(basis)
    primal = []
    for _ in range(made.max_iter):
        s = steps.step(made, s)
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
        s = steps.step(made, s)
    s = steps.update_tensor(made, s)
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
    for same in (MGL.paper(4), MGL.paper(4, dataset="MSRC-v5")):
        assert same.get_params() == MGL(4).get_params()


@cache
def usual():
    return MGL(3).fit(planted(noise=3.0)[0])


@pytest.mark.parametrize(
    "change",
    [
        {"n_clusters": 4},
        {"n_anchors": 20},
        {"anchors": "vda"},
        {"scaling": "zscore"},
        {"n_neighbors": 5},
        {"basis": "fft-anchors"},
        {"tensor_weight": 0.9},
        {"p": 0.9},
        {"mu": 1e-3},
        {"eta": 1.5},
        {"tol": 1e-3},
        {"max_iter": 3},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_parameter_acts(change):
    a, b = usual(), MGL(**{"n_clusters": 3} | change).fit(planted(noise=3.0)[0])
    assert a.graph_.shape != b.graph_.shape or (a.graph_ != b.graph_).nnz > 0


def test_the_seed_is_that_of_drawn_anchors():
    X, _ = planted()
    a, b = (MGL(3, anchors="random", random_state=s).fit(X) for s in (0, 1))
    assert (a.graph_ != b.graph_).nnz > 0


def test_the_published_form_says_where_its_anchors_come_from():
    with pytest.raises(
        ValueError, match=r"the 10 anchors that n_anchors=0\.5 gives for"
    ):
        MGL.paper(12).fit(np.arange(40.0).reshape(20, 2))


def components_of(s):
    from mvgraph.graphs.partition import components

    return components(s.Zbar)[1]


def test_too_few_steps_warn_and_cut_the_same_graph():
    views, y = planted()
    with pytest.warns(ConvergenceWarning, match="components, not n_clusters=3"):
        model = MGL(3, max_iter=2).fit(views)
    assert model.partition_ == "spectral"
    assert model.n_components_ != 3
    assert ari(y, model.labels_) == 1


def test_the_steps_of_the_paper_are_recorded():
    views, _ = planted()
    model = MGL(3).fit(views)
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


@pytest.mark.shared
def test_same_as_the_slow_reference(shared_dir, monkeypatch):
    """On MSRC-v5: same graph, same labels, both transforms."""
    monkeypatch.syspath_prepend(str(shared_dir / "reference"))
    import mgl_reference as reference

    sys.modules.pop("mgl_reference")
    data = datasets.load(shared_dir / "data" / "msrc_v5.mat")
    by_max, by_unit = (
        scale_views(data.views, [fit_scaling(x, r) for x in data.views.arrays])
        for r in ("max", "unit")
    )
    rows = das_rows(by_max, 105)
    for basis in BASES:
        D = np.stack([squared_distances(x, x[rows]) for x in by_unit.arrays])
        graphs = [anchor_graph(d, 10) for d in D]
        alpha = float(np.mean([g.alpha.mean() for g in graphs]))
        made = Problem(7, 10, 0.2, 0.1, 1e-5, 1.1, 0.0, 250, basis, alpha=alpha)
        s = steps.start(made, D, graphs)
        for iteration in range(250):
            s = s._replace(c=s.c._replace(converged=iteration >= 100))
            s = steps.step(made, s)
            if finished(s.c):
                break
        Z = reference.mgl(by_unit.arrays, 7, rows, 0.2, 0.1, basis, rank_from=101)
        np.testing.assert_allclose(s.Z, Z, atol=1e-5)
        assert ari(reference.components(Z.mean(0))[1], components_of(s)) == 1
