import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph.ops.proximal.simplex import project_simplex

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
