"""Batched programmes on the simplex: feasible, optimal, equal to the slow solver."""

import numpy as np
import pytest

from mvgraph.ops.proximal.simplex_qp import simplex_qp, simplex_qp_rows


def problem(n, m, d, alpha, seed=0):
    rng = np.random.default_rng(seed)
    H, X = rng.normal(size=(m, d)), 2 * rng.normal(size=(n, d))
    return H @ H.T + alpha * np.eye(m), 2 * X @ H.T


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 1.0, 1e3])
@pytest.mark.parametrize(("m", "d"), [(1, 3), (4, 3), (12, 30), (40, 5)])
def test_rows_are_the_minima(m, d, alpha):
    Q, S = problem(30, m, d, alpha)
    Z, residual = simplex_qp_rows(Q, S)
    assert (Z >= 0).all()
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-9)
    assert residual.max() < 1e-9
    for z, s in zip(Z, S, strict=True):
        slope = 2 * Q @ z - s
        unit = max(abs(Q).max(), abs(s).max())
        assert slope.min() >= z @ slope - 1e-8 * unit
        np.testing.assert_allclose(slope[z > 0], z @ slope, atol=1e-8 * unit)


def test_rows_are_those_of_the_slow_solver():
    Q, S = problem(40, 9, 20, 0.5)
    slow = np.array([simplex_qp(Q, s) for s in S])
    np.testing.assert_allclose(simplex_qp_rows(Q, S)[0], slow, atol=1e-10)


def test_equal_anchors_share_their_weight():
    H = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    Z, residual = simplex_qp_rows(H @ H.T + 0.1 * np.eye(3), np.zeros((5, 3)))
    np.testing.assert_allclose(Z[:, 0], Z[:, 1])
    assert residual.max() < 1e-12


def test_a_heavy_penalty_gives_equal_weights():
    Q, S = problem(10, 6, 4, 1e9)
    np.testing.assert_allclose(simplex_qp_rows(Q, S)[0], 1 / 6, atol=1e-6)
