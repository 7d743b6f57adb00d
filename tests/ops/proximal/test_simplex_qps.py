"""Many quadratic programmes with one matrix: optimal, and as solved one by one."""

import numpy as np
import pytest

import naive
from mvgraph.ops.proximal.simplex_qp import optimality_gaps, simplex_qp, simplex_qps


def problem(n, m, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, m + 2))
    return A @ A.T / m + 1e-3 * np.eye(m), spread * rng.normal(size=(n, m))


@pytest.mark.parametrize("m", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e4])
def test_solutions_are_optimal(m, spread):
    H, B = problem(60, m, m, spread)
    Z = simplex_qps(H, B)
    np.testing.assert_allclose(Z.sum(axis=1), 1)
    assert (Z >= 0).all()
    gradient = (Z @ H - B) / (1 + np.abs(B).max())
    level = np.sum(Z * gradient, axis=1, keepdims=True)  # its mean over the support
    assert np.abs(np.where(Z > 0, gradient - level, 0)).max() < 1e-9
    assert (gradient - level).min() > -1e-9


def test_solutions_are_those_of_single_programmes():
    H, B = problem(50, 6)
    one_by_one = [simplex_qp(H, 2 * b) for b in B]
    np.testing.assert_allclose(simplex_qps(H, B), one_by_one, atol=1e-10)


def test_the_start_does_not_matter_and_is_kept():
    H, B = problem(50, 6)
    Z = simplex_qps(H, B)
    start = np.random.default_rng(1).dirichlet(np.ones(6) / 3, 50)
    before = start.copy()
    np.testing.assert_allclose(simplex_qps(H, B, start), Z, atol=1e-12)
    np.testing.assert_allclose(simplex_qps(H, B, Z), Z, atol=1e-12)
    np.testing.assert_array_equal(start, before)


def test_identity_is_the_projection():
    _, B = problem(50, 6)
    expected = [naive.project_simplex(b) for b in B]
    np.testing.assert_allclose(simplex_qps(np.eye(6), B), expected, atol=1e-12)


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 1.0, 1e3])
@pytest.mark.parametrize(("m", "d"), [(1, 3), (4, 3), (12, 30), (40, 5)])
def test_the_gap_certifies_solutions_and_nothing_else(m, d, alpha):
    rng = np.random.default_rng(0)
    A, X = rng.normal(size=(m, d)), 2 * rng.normal(size=(30, d))
    H, B = A @ A.T + alpha * np.eye(m), X @ A.T
    assert optimality_gaps(H, B, simplex_qps(H, B)).max() < 1e-9
    other = rng.dirichlet(np.ones(m), 30)
    worse = optimality_gaps(H, B, other)
    assert (worse > 1e-6).all() or m == 1


def test_equal_anchors_share_their_weight():
    A = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    Z = simplex_qps(A @ A.T + 0.1 * np.eye(3), np.zeros((5, 3)))
    np.testing.assert_allclose(Z[:, 0], Z[:, 1])


def test_a_heavy_penalty_gives_equal_weights():
    H, B = problem(10, 6)
    np.testing.assert_allclose(simplex_qps(H + 1e9 * np.eye(6), B), 1 / 6, atol=1e-6)
