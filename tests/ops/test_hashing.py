import numpy as np
import scipy.sparse as sp

from mvgraph.ops.hashing import sum_hash


def test_equal_rows_have_equal_hashes_whatever_holds_them():
    X = np.random.default_rng(0).integers(-3, 4, size=(50, 6)).astype(np.float32)
    a = sum_hash(X, 1)
    np.testing.assert_array_equal(a, sum_hash(X.astype(np.float64), 1))
    np.testing.assert_array_equal(a, sum_hash(sp.csr_matrix(X), 1))
    np.testing.assert_array_equal(a, sum_hash(np.asfortranarray(X), 1))
    np.testing.assert_array_equal(a[::-1], sum_hash(X[::-1], 1))


def test_different_rows_and_seeds_differ():
    X = np.random.default_rng(0).normal(size=(5000, 2))
    assert len(np.unique(sum_hash(X, 0))) == 5000
    assert (sum_hash(X, 0) != sum_hash(X, 1)).all()
    swapped = X[:, ::-1]
    assert (sum_hash(X, 0) != sum_hash(swapped, 0)).all()


def test_negative_zero_is_zero():
    assert sum_hash(np.array([[0.0, 1.0]]), 0) == sum_hash(np.array([[-0.0, 1.0]]), 0)
