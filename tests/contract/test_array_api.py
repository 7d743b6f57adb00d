"""MGL in other libraries than NumPy: same numbers, same labels."""

import pickle
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

from data import planted
from mvgraph import MGL, AnchorFilter, GraphConsensus, as_views
from mvgraph.graphs.bipartite import anchor_graph
from mvgraph.mgl import steps
from mvgraph.mgl.fft_samples import take_rows
from mvgraph.mgl.problem import Problem, objective
from mvgraph.ops.arrays import device_of, is_non_numpy, to_numpy
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.linalg.spectral import bipartite_embedding
from mvgraph.ops.proximal.simplex import project_simplex
from mvgraph.ops.proximal.tensor import BASES, make_basis, shrink_tensor
from mvgraph.ops.proximal.threshold import shrink_power
from pairs import slow

LIBRARIES = ["array_api_strict", "torch", "torch-cuda", "cupy"]


@cache
def maker(name):
    """Return a function that moves a NumPy array into a library, or why not."""
    pytest.importorskip("array_api_compat")
    xp = pytest.importorskip(name.split("-")[0])
    if name == "torch-cuda":
        if not xp.cuda.is_available():
            pytest.skip("torch sees no GPU")
        return lambda a: xp.asarray(a, device="cuda")
    if name == "cupy" and not xp.cuda.is_available():
        pytest.skip("CuPy sees no GPU")
    return xp.asarray


@pytest.fixture(params=LIBRARIES)
def put(request):
    return maker(request.param)


def same(ours, expected, atol=1e-10):
    assert is_non_numpy(ours)
    np.testing.assert_allclose(to_numpy(ours), expected, atol=atol)


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_shrink_power(put, p):
    x = np.random.default_rng(0).random((5, 4)) * 3
    same(shrink_power(put(x), 0.3, p), shrink_power(x, 0.3, p))
    same(shrink_power(put(x), 0.0, p), x)


def test_project_simplex(put):
    rng = np.random.default_rng(0)
    for scale in (1e-8, 1.0, 1e6):
        X = rng.normal(size=(40, 9)) * scale
        same(project_simplex(put(X)), project_simplex(X), atol=1e-9)
    same(project_simplex(put(np.ones((2, 4)))), np.full((2, 4), 0.25))


def test_squared_distances(put):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    same(squared_distances(put(A), put(B)), squared_distances(A, B))


@pytest.mark.parametrize("K", [2, 6])
def test_bipartite_embedding(put, K):
    Z = np.random.default_rng(0).random((20, 6))
    Z[:, 2] = 0
    ours, expected = bipartite_embedding(put(Z), K), bipartite_embedding(Z, K)
    known = min(K, 5)  # the sixth singular value is zero: its vectors are arbitrary
    same(ours.P[:, :known], expected.P[:, :known])
    same(ours.Q[:, :known], expected.Q[:, :known])
    same(ours.dq, expected.dq)
    np.testing.assert_allclose(ours.s, expected.s, atol=1e-7)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("N", [10, 11])
def test_shrink_tensor(put, name, N):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, N, 6))
    basis = make_basis(name, X.shape)
    J, norm = shrink_tensor(X, 0.3, 0.5, basis)
    ours, our_norm = shrink_tensor(put(X), 0.3, 0.5, basis)
    same(ours, J)
    assert our_norm == pytest.approx(norm)


@pytest.mark.parametrize("name", BASES)
def test_steps(put, name):
    views, _ = planted(noise=5.0)  # connected: eigenvectors of one sign only
    D = np.stack([squared_distances(x, x[:20]) for x in views])
    D /= D.mean()
    graphs = [anchor_graph(d, 5) for d in D]
    alpha = float(np.mean([g.alpha.mean() for g in graphs]))
    made = Problem(3, 5, 0.05, 0.5, 1e-3, 1.1, 0.1, 15, name, alpha=alpha)
    there = put(D)
    s = steps.start(made, D, graphs)
    t = steps.start(made, there, graphs, device_of(there))
    for _ in range(15):
        s, t = (steps.step(made, x) for x in (s, t))
    J = take_rows(s.J, slice(None))
    for ours, expected in ((t.Z, s.Z), (t.Y, s.Y), (t.J, J), (t.Zbar, s.Zbar)):
        same(ours, expected, atol=1e-6)
    ours, expected = objective(made, t.c), objective(made, s.c)
    for key, value in expected.items():
        assert ours[key] == pytest.approx(value, rel=1e-5, abs=1e-9), key


@pytest.mark.parametrize("basis", [BASES[0], *slow(*BASES[1:])])
def test_fit_gives_the_labels_of_numpy_and_numpy_attributes(put, basis, monkeypatch):
    views, _ = planted(noise=2.0)
    seen = []
    project = steps.update_graphs
    monkeypatch.setattr(
        steps, "update_graphs", lambda *a: seen.append(a[0]) or project(*a)
    )
    expected = MGL(3, basis=basis, random_state=0).fit(views)
    assert not any(is_non_numpy(a) for a in seen)
    seen.clear()
    moved = [put(x) for x in views]
    model = MGL(3, basis=basis, random_state=0).fit(moved)
    assert all(is_non_numpy(a) for a in seen)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert len(model.history_) == len(expected.history_)
    assert sp.issparse(model.graph_)
    assert abs(model.graph_ - expected.graph_).max() < 1e-6
    for name in ("labels_", "embedding_", "view_weights_", "anchor_labels_"):
        assert type(getattr(model, name)) is np.ndarray, name
    np.testing.assert_array_equal(model.predict(moved), model.predict(views))
    pickle.loads(pickle.dumps(model))


def test_float32_and_integers(put):
    views, _ = planted()
    moved = [put(views[0].astype(np.float32)), put((10 * views[1]).astype(np.int64))]
    X = [views[0].astype(np.float32), (10 * views[1]).astype(np.int64)]
    ours, expected = (MGL(3, random_state=0).fit(a) for a in (moved, X))
    np.testing.assert_array_equal(ours.labels_, expected.labels_)


def test_other_estimators_copy_foreign_arrays(put):
    views, _ = planted()
    moved = dict(zip("ab", [put(x) for x in views], strict=True))
    assert all(type(x) is np.ndarray for x in as_views(moved).arrays)
    for estimator in (GraphConsensus, AnchorFilter):
        ours = estimator(3, random_state=0).fit(moved).labels_
        expected = estimator(3, random_state=0).fit(views).labels_
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.slow
def test_numpy_arrays_need_no_other_package():
    code = (
        "import sys, numpy as np; from mvgraph import MGL;"
        "x = np.random.default_rng(0).normal(size=(40, 3));"
        "MGL(2, max_iter=2).fit([x, x + 1]);"
        "sys.exit('array_api_compat' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_without_the_extra_the_error_names_it(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ImportError, match=r"mvgraph\[gpu\]"):
        MGL(2).fit([torch.ones((4, 2))])
