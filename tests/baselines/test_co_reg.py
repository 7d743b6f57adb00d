"""Co-reg: stored embeddings, a rising objective, views in any order."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines import co_reg
from mvgraph.baselines.co_reg import CoReg, State
from mvgraph.ops.affinity.similarity import gaussian_kernel, normalise_similarity
from mvgraph.ops.linalg.eigen import leading_eigenvectors

VARIANTS = ("pairwise", "centroid")


@pytest.mark.shared
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("coupling", [0.01, 0.5])
def test_projectors_of_ten_sweeps_are_as_stored(shared_dir, variant, coupling):
    name = f"coreg_{variant}_lam{coupling}_MSRC.npz"
    stored = np.load(shared_dir / "fixtures" / "baseB" / name)
    views = datasets.load(shared_dir / "data" / "msrc_v5.mat").views
    kernels = [gaussian_kernel(x) for x in views.arrays]
    for x, k, sigma in zip(views.arrays, kernels, stored["sigma"], strict=True):
        d = np.linalg.norm(x[0] - x[1])
        assert k[0, 1] == pytest.approx(np.exp(-(d**2) / (2 * sigma**2)), rel=1e-9)
    A = [normalise_similarity(k) for k in kernels]
    U = [leading_eigenvectors(a, 7)[1] for a in A]
    state = State(U, U[0], 0.0, 0.0)
    for _ in range(int(stored["numiter"])):
        state = co_reg._SWEEPS[variant](A, coupling, state)
    for v, u in enumerate(state.U):
        expected = stored["U"][:, :, v]
        np.testing.assert_allclose(u @ u.T, expected @ expected.T, atol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_planted_clusters_and_a_rising_objective(variant):
    X, truth = planted(dims=(3, 4, 5))
    model = CoReg(3, variant=variant, tol=0, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    rises = np.diff([h["objective"] for h in model.history_])
    assert (rises > -1e-12).all()
    assert model.n_iter_ == 10
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_embedding_is_optimal_given_the_others(variant):
    X, _ = planted(dims=(3, 4, 5))
    A = [normalise_similarity(gaussian_kernel(x)) for x in X]
    U = [leading_eigenvectors(a, 3)[1] for a in A]
    sweep = partial(co_reg._SWEEPS[variant], A, 0.3)
    state = State(U, U[0], -np.inf, np.inf)
    while abs(state.residual) > 1e-14:
        state = sweep(state)
    for v, u in enumerate(state.U):
        others = [w @ w.T for i, w in enumerate(state.U) if i != v]
        if variant == "centroid":
            others = [state.centroid @ state.centroid.T]
        best = np.linalg.eigh(A[v] + 0.3 * sum(others))[1][:, -3:]
        np.testing.assert_allclose(u @ u.T, best @ best.T, atol=1e-6)


def test_one_view_is_plain_spectral_clustering():
    X, truth = planted(dims=(3, 4, 5))
    model = CoReg(3, random_state=0).fit(X[:1])
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.embedding_.shape == (60, 3)


@pytest.mark.parametrize(
    "bad", [{"variant": "both"}, {"coupling": -1}, {"max_iter": 0}]
)
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        CoReg(3, **bad).fit(planted(dims=(3, 4, 5))[0])
