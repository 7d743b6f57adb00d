import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph.ops.proximal.simplex import (
    optimality_gaps,
    project_simplex,
    simplex_qp,
    simplex_qps,
)

rows = arrays(
    float, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=st.floats(-50, 50)
)


@given(rows)
def test_feasible_and_as_the_naive_search(X):
    Z = project_simplex(X)
    assert (Z >= 0).all()
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-12)
    expected = [naive.project_simplex(x) for x in X]
    np.testing.assert_allclose(Z, expected, atol=1e-9)


@given(rows)
def test_idempotent(X):
    Z = project_simplex(X)
    np.testing.assert_allclose(project_simplex(Z), Z, atol=1e-12)


@given(rows, st.integers(0, 1000))
def test_not_farther_apart_than_before(X, seed):
    other = X + np.random.default_rng(seed).normal(size=X.shape)
    moved = np.linalg.norm(project_simplex(X) - project_simplex(other), axis=1)
    assert (moved <= np.linalg.norm(X - other, axis=1) + 1e-9).all()


@given(rows, st.floats(-1e6, 1e6))
def test_a_constant_added_to_a_row_changes_nothing(X, shift):
    np.testing.assert_allclose(
        project_simplex(X + shift), project_simplex(X), atol=1e-6
    )


def test_exact_zeros_and_ties():
    Z = project_simplex(np.array([[5.0, 0, 0], [1.0, 1.0, -9.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_array_equal(Z[:2], [[1, 0, 0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(Z[2], 1 / 3)


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e15, 1e300])
def test_extreme_scales_stay_feasible(scale):
    X = np.random.default_rng(0).normal(size=(20, 30)) * scale
    Z = project_simplex(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-9)


def test_read_only_and_non_contiguous_input():
    X = np.random.default_rng(0).normal(size=(6, 10))[:, ::2]
    X.flags.writeable = False
    np.testing.assert_allclose(project_simplex(X), project_simplex(X.copy()))


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
