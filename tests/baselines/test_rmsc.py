"""RMSC: stored graphs, feasibility, optimality."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph import datasets
from mvgraph.baselines.rmsc import RMSC
from mvgraph.ops.affinity.similarity import (
    gaussian_kernel,
    symmetrise_chain,
    transition_matrix,
)


@pytest.mark.shared
@pytest.mark.parametrize("weight", [0.005, 0.05])
def test_symmetrised_chain_is_as_stored(shared_dir, weight):
    name = f"rmsc_lam{weight}_MSRC.npz"
    stored = np.load(shared_dir / "fixtures" / "baseB" / name)
    views = datasets.load(shared_dir / "data" / "msrc_v5.mat").views
    model = RMSC(7, error_weight=weight, scaling="none", random_state=0).fit(views)
    P = symmetrise_chain(model.graph_)
    np.testing.assert_allclose(P, stored["P_symmetrised"], atol=1e-9)


def test_planted_clusters_and_a_feasible_chain():
    X, truth = planted()
    model = RMSC(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert model.graph_.min() >= 0
    np.testing.assert_allclose(model.graph_.sum(axis=1), 1)
    assert model.history_[-1]["residual"] < 1e-7
    assert model.n_iter_ == len(model.history_)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)


def test_a_slow_schedule_reaches_the_optimum():
    X, _ = planted(12)
    model = RMSC(3, error_weight=0.2, eta=1.02, max_iter=1500, scaling="none").fit(X)
    chains = [transition_matrix(gaussian_kernel(x)) for x in X]

    def cost(P):
        errors = sum(np.abs(C - P).sum() for C in chains)
        return np.linalg.norm(P, "nuc") + 0.2 * errors

    best, rng = cost(model.graph_), np.random.default_rng(0)
    for step in (1e-1, 1e-2, 1e-3):
        others = [*chains, np.full((12, 12), 1 / 12)]
        others += [transition_matrix(rng.random((12, 12))) for _ in range(20)]
        for other in others:
            P = (1 - step) * model.graph_ + step * other
            assert cost(P) >= best - 1e-5 * step


def test_views_that_agree_leave_no_error():
    X, _ = planted()
    one = RMSC(3, error_weight=10.0, scaling="none").fit([X[0]])
    chain = transition_matrix(gaussian_kernel(X[0]))
    np.testing.assert_allclose(one.graph_, chain, atol=1e-6)


@pytest.mark.parametrize("bad", [{"error_weight": 0}, {"mu": 0}, {"eta": 1.0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        RMSC(3, **bad).fit(planted()[0])
