import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph.ops.linalg.fused import fused_embedding
from mvgraph.ops.proximal.exclusive import shrink_exclusive

columns = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)),
                 elements=st.floats(-5, 5))  # fmt: skip


@given(columns, st.floats(0, 20))
def test_as_the_naive_search(X, weight):
    expected = [naive.shrink_exclusive(x, weight) for x in X.T]
    np.testing.assert_allclose(shrink_exclusive(X, weight).T, expected, atol=1e-12)


@given(columns, st.floats(0.01, 20), st.integers(0, 10**6))
def test_nothing_near_is_better(X, weight, seed):
    def cost(o):
        return weight * np.abs(o).sum(axis=0) ** 2 + ((o - X) ** 2).sum(axis=0)

    best = shrink_exclusive(X, weight)
    noise = np.random.default_rng(seed).normal(size=X.shape)
    for size in (1e-3, 0.1, 1):
        assert (cost(best + size * noise) >= cost(best) - 1e-9).all()


def test_fused_embedding_is_that_of_full_matrices():
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(8), size=(3, 20))  # (V, N, M), rows sum to one
    C[0, :, 2] = 0  # an anchor that one view does not use
    C[0] /= C[0].sum(axis=1, keepdims=True)
    weights = np.array([1.0, 2.0, 0.5])
    F = fused_embedding(C, weights, 4)
    Z = sum(
        w * c / np.sqrt(c.sum(axis=0) + 1e-300) for w, c in zip(weights, C, strict=True)
    )
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    np.testing.assert_allclose(F.values, s[:5], rtol=1e-10)
    np.testing.assert_allclose(F.P @ F.P.T, U[:, :4] @ U[:, :4].T / 2, atol=1e-10)
    full = np.vstack([U[:, :4], Vt[:4].T]) / np.sqrt(2)
    for v, c in enumerate(C):
        A = np.block([[np.zeros((20, 20)), c], [c.T, np.zeros((8, 8))]])
        d = A.sum(axis=1)
        root = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
        # columns without samples count as isolated nodes: 1 on the diagonal of L
        L = np.eye(28) - root[:, None] * A * root
        assert F.traces[v] == pytest.approx(np.trace(full.T @ L @ full), abs=1e-9)
