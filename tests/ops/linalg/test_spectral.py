import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import naive
from mvgraph.ops.linalg.spectral import (
    bipartite_embedding,
    compare_components,
    fix_signs,
    transfer_cut,
)


def graph(seed=0, n=12, m=6):
    rng = np.random.default_rng(seed)
    Z = rng.random((n, m)) * (rng.random((n, m)) < 0.5)
    Z[:, 0] += 0.1
    return Z / Z.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_solves_the_trace_problem_of_the_whole_laplacian(convert):
    """tr(F' L F) equals the sum of the K smallest eigenvalues of the N + M graph."""
    Z = graph()
    B = np.block([[np.zeros((12, 12)), Z], [Z.T, np.zeros((6, 6))]])
    scale = 1 / np.sqrt(B.sum(axis=1))
    L = np.eye(18) - scale[:, None] * B * scale
    e = bipartite_embedding(convert(Z), 3)
    F = np.vstack([e.P, e.Q])
    np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-10)
    smallest = np.linalg.eigvalsh(L)[:3].sum()
    np.testing.assert_allclose(np.trace(F.T @ L @ F), smallest, atol=1e-10)
    np.testing.assert_allclose(3 - e.s[:3].sum(), smallest, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_rank_test_counts_components(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=3)
    Z = np.zeros((sizes.sum() * 2, sizes.sum()))
    row = column = 0
    for size in sizes:
        Z[row : row + 2 * size, column : column + size] = rng.random((2 * size, size))
        row, column = row + 2 * size, column + size
    Z /= Z.sum(axis=1, keepdims=True)
    assert len(set(naive.components(Z))) == 3
    answers = [compare_components(bipartite_embedding(Z, K).s, K) for K in (2, 3, 4)]
    assert answers == [1, 0, -1]


def test_unused_anchor_has_no_embedding():
    Z = np.hstack([graph(), np.zeros((12, 1))])
    e = bipartite_embedding(Z, 2)
    assert np.isfinite(e.P).all()
    np.testing.assert_allclose(e.Q[-1], 0, atol=1e-12)


def test_signs_do_not_depend_on_the_solver():
    U = np.random.default_rng(0).normal(size=(7, 3))
    np.testing.assert_array_equal(fix_signs(U), fix_signs(-U))


@pytest.mark.parametrize("dense_max", [0, 1200])
@pytest.mark.parametrize("shape", [(40, 9), (9, 40)])
def test_transfer_cut_is_that_of_the_dense_problem(dense_max, shape):
    rng = np.random.default_rng(0)
    B = rng.random(shape) * (rng.random(shape) < 0.6) + 1e-3
    W = B.T @ np.diag(1 / B.sum(axis=1)) @ B
    root = np.diag(W.sum(axis=1) ** -0.5)
    R = root @ scipy.linalg.eigh(root @ W @ root)[1][:, ::-1][:, :4]
    E = np.diag(1 / B.sum(axis=1)) @ B @ R
    E /= np.linalg.norm(E, axis=1, keepdims=True)
    found = transfer_cut(sp.csr_matrix(B), 4, dense_max=dense_max)
    np.testing.assert_allclose(found @ found.T, E @ E.T, atol=1e-6)


def test_fewer_columns_than_clusters_give_as_many_vectors():
    assert transfer_cut(sp.csr_matrix(np.eye(3)[[0, 1, 2, 2]]), 5).shape == (4, 3)
