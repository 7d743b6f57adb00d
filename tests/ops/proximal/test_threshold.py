"""Soft thresholds: each solves its problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvgraph.ops.proximal.threshold import (
    shrink_columns,
    shrink_entries,
    shrink_power,
    shrink_singular_values,
)

RNG = np.random.default_rng(0)


@given(x=st.floats(-5, 5), tau=st.floats(0, 3))
def test_shrinking_an_entry_beats_a_grid(x, tau):
    grid = np.linspace(-6, 6, 2401)
    s = shrink_entries(np.array([x]), tau)

    def cost(s):
        return tau * abs(s) + (s - x) ** 2 / 2

    assert cost(s).min() <= cost(grid).min() + 1e-12


@pytest.mark.parametrize("shape", [(4, 6), (3, 4, 6)])
def test_columns_get_shorter_by_tau_and_keep_their_direction(shape):
    X = RNG.normal(size=shape)
    X[..., 2] *= 0.01
    X[..., 4] = 0
    S = shrink_columns(X, 0.5)
    for j in range(6):
        length = np.linalg.norm(X[..., j])
        expected = X[..., j] * max(length - 0.5, 0) / max(length, 1e-300)
        np.testing.assert_allclose(S[..., j], expected, atol=1e-14)
    assert not S[..., [2, 4]].any()


@pytest.mark.parametrize("shape", [(7, 5), (5, 7), (6, 6)])
@pytest.mark.parametrize("tau", [0.0, 1e-9, 0.3, 1.0, 100.0])
def test_singular_values_get_smaller_by_tau(shape, tau):
    X = RNG.normal(size=shape)
    before = np.linalg.svd(X, compute_uv=False)
    Q, norm = shrink_singular_values(X, tau)
    after = np.maximum(before - tau, 0)
    np.testing.assert_allclose(np.linalg.svd(Q, compute_uv=False), after, atol=1e-12)
    assert norm == pytest.approx(after.sum(), abs=1e-12)
    U, _, Vt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(Q, (U * after) @ Vt, atol=1e-12)


def test_nothing_survives_of_zero():
    Q, norm = shrink_singular_values(np.zeros((3, 4)), 0.0)
    assert norm == 0
    assert not Q.any()


def cost(s, x, tau, p):
    return tau * np.power(s, p) * (s > 0) + (s - x) ** 2 / 2


@given(st.floats(0, 5), st.floats(0.01, 2), st.floats(0.1, 1))
def test_beats_a_grid(x, tau, p):
    grid = np.linspace(0, 6, 6001)
    s = shrink_power(np.array([x]), tau, p)
    assert cost(s, x, tau, p)[0] <= cost(grid, x, tau, p).min() + 1e-9


@given(st.floats(0, 5), st.floats(0, 2), st.floats(0.1, 1))
def test_shrinks_towards_zero(x, tau, p):
    s = shrink_power(np.array([x]), tau, p)[0]
    assert 0 <= s <= x


def test_power_one_is_soft_thresholding():
    x = np.array([0.0, 0.5, 2.0])
    np.testing.assert_array_equal(shrink_power(x, 0.7, 1), [0, 0, 1.3])


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_no_weight_changes_nothing(p):
    x = np.array([0.0, 0.3, 4.0])
    np.testing.assert_array_equal(shrink_power(x, 0.0, p), x)


def test_keeps_shape_and_input():
    x = np.ones((2, 3))
    assert shrink_power(x, 0.1, 0.5).shape == (2, 3)
    assert (x == 1).all()
