import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph.ops.distance import nearest_columns, squared_distances


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
