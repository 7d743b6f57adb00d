"""Gaussian kernels: against loops, and their laws."""

import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.ops.affinity.gaussian import gaussian_kernel


@pytest.mark.parametrize("n", [2, 9, 10])
def test_kernel_equals_the_loops(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    K, sigma = gaussian_kernel(X)
    expected, expected_sigma = naive.gaussian_kernel(X)
    np.testing.assert_allclose(K, expected, rtol=1e-12)
    assert sigma == pytest.approx(expected_sigma, rel=1e-12)
    assert (np.diag(K) == 1).all()


def test_scale_free_sparse_and_float32():
    X = np.random.default_rng(0).poisson(1.0, size=(20, 6)).astype(np.float64)
    K = gaussian_kernel(X)[0]
    np.testing.assert_allclose(gaussian_kernel(X * 1e6)[0], K, rtol=1e-9)
    np.testing.assert_allclose(gaussian_kernel(sp.csr_matrix(X))[0], K, rtol=1e-12)
    single = gaussian_kernel(X.astype(np.float32))[0]
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, K, rtol=1e-12)


def test_duplicates_do_not_divide_by_zero():
    X = np.zeros((9, 2))
    assert (gaussian_kernel(X)[0] == 1).all()
    X[0] = 3  # the median distance is 0
    K, sigma = gaussian_kernel(X)
    assert sigma > 0
    assert K[0, 1] < K[1, 2] == 1
