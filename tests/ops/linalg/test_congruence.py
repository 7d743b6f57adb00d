"""The product S M S' against dense products."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.ops.linalg.congruence import congruence


@pytest.mark.parametrize("n", [1, 5, 64, 130])
def test_equals_dense_products(n):
    rng = np.random.default_rng(n)
    S = rng.random((n, n)) * (rng.random((n, n)) < 0.1)  # some rows are empty
    M = rng.normal(size=(n, n))
    M = M + M.T
    Z = congruence(sp.csr_matrix(S), M)
    np.testing.assert_allclose(Z, S @ M @ S.T, atol=1e-12)
    np.testing.assert_array_equal(Z, Z.T)
    np.testing.assert_array_equal(congruence(sp.csr_matrix(S), M, out=M), Z)
    np.testing.assert_array_equal(M, Z)
