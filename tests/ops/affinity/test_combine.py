"""Affine combinations of columns: optimality."""

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.affinity.combine import combine_columns


def make(seed, shape=(30, 12)):
    return sp.random(*shape, 0.4, format="csr", random_state=seed)


def test_no_other_affine_combination_is_nearer():
    A, parts = make(0), [make(s) for s in (1, 2, 3)]
    W = combine_columns(A, parts)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    dense = np.stack([S.toarray() for S in parts])
    cost = ((A.toarray() - np.einsum("jv,vij->ij", W, dense)) ** 2).sum(axis=0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        step = rng.normal(size=W.shape) * rng.choice([1e-3, 1e-1, 1])
        other = W + step - step.mean(axis=1, keepdims=True)
        gap = A.toarray() - np.einsum("jv,vij->ij", other, dense)
        assert ((gap**2).sum(axis=0) >= cost - 1e-12).all()


def test_equal_parts_weigh_the_same():
    A, S = make(0), make(1)
    np.testing.assert_allclose(combine_columns(A, [S, S]), 0.5, atol=1e-6)
    np.testing.assert_allclose(combine_columns(A, [A, A, A]), 1 / 3)
