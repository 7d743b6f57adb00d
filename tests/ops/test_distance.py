import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph.ops.distance import nearest_columns, nearest_of_others, squared_distances


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_distances_as_the_loops(convert):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    D = squared_distances(convert(A), B)
    np.testing.assert_allclose(D, naive.squared_distances(A, B), atol=1e-12)
    assert isinstance(D, np.ndarray)


def test_never_negative():
    A = np.random.default_rng(0).normal(size=(50, 3)) + 1e4
    assert (squared_distances(A, A) >= 0).all()


@given(
    arrays(float, (3, 8), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0])),
    st.integers(1, 8),
)
def test_nearest_breaks_ties_by_index(D, k):
    idx, val = nearest_columns(D, k)
    for row, found, values in zip(D, idx, val, strict=True):
        assert list(found) == naive.nearest(row, k)
        assert list(values) == sorted(row)[:k]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 12, 13, 48, 49])
@pytest.mark.parametrize("m", [49, 63, 64, 67, 255, 256, 301])
def test_smallest_of_long_rows_with_ties_and_infinities(m, k, dtype):
    rng = np.random.default_rng(m + k)
    D = rng.integers(0, 9, size=(9, m)).astype(dtype)
    D[3:6] = rng.random((3, m))
    D[6:][rng.random((3, m)) < 0.9] = np.inf
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    idx, val = nearest_columns(D, k)
    np.testing.assert_array_equal(idx, order)
    np.testing.assert_array_equal(val, np.take_along_axis(D, order, axis=1))


@pytest.mark.parametrize("m", [20, 70, 300])
def test_where_the_sum_of_all_matrices_but_one_is_smallest(m):
    rng = np.random.default_rng(m)
    D = 2.0 * rng.integers(0, 9, size=(3, 5, m))
    present = rng.random((3, 5)) < 0.8
    nearest, idx, own = nearest_of_others(D, np.full(3, 2.0), present, 10)
    D = D / 2 * present[:, :, None]
    np.testing.assert_array_equal(nearest, D.sum(axis=0).argmin(axis=1))
    for v, others in enumerate(D.sum(axis=0) - D):
        order = np.argsort(others, axis=1, kind="stable")[:, :10]
        np.testing.assert_array_equal(idx[v], order)
        np.testing.assert_array_equal(own[v], np.take_along_axis(D[v], order, axis=1))
