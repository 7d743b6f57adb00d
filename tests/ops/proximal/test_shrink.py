import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvgraph.ops.proximal.shrink import shrink_power


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
