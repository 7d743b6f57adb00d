"""Many quadratic programmes with one matrix: optimal, and as solved one by one."""

import numpy as np
import pytest

import naive
from mvgraph.ops.proximal.simplex_qp import simplex_qp, simplex_qps


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
