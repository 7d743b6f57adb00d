"""Extreme eigenpairs of sparse matrices: against the dense solver."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.ops.affinity.neighbors import neighbor_graph, symmetrise
from mvgraph.ops.linalg.laplacian import (
    bottom_eigenpairs,
    laplacian,
    leading_eigenpairs,
    normalise,
    top_eigenpairs,
)


def graph(n, seed=0, d=3):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return symmetrise(neighbor_graph(X, 6))


def check(A, k, values, vectors, expected):
    np.testing.assert_allclose(values, expected, atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


@pytest.mark.parametrize("n", [50, 700])
def test_bottom_equals_the_dense_solver(n):
    A = laplacian(graph(n))
    check(A, 8, *bottom_eigenpairs(A, 8), np.linalg.eigvalsh(A.toarray())[:8])


@pytest.mark.parametrize("sizes", [(40, 30), (400, 20, 350)])
def test_every_component_has_its_zero(sizes):
    A = laplacian(sp.block_diag([graph(n, n) for n in sizes], format="csr"))
    values, vectors = bottom_eigenpairs(A, 5)
    check(A, 5, values, vectors, np.linalg.eigvalsh(A.toarray())[:5])
    assert (abs(values) < 1e-12).sum() == len(sizes)


def test_large_components_come_first():
    A = laplacian(sp.block_diag([graph(n, n) for n in (30, 60, 40)], format="csr"))
    vectors = bottom_eigenpairs(A, 2)[1]
    assert not vectors[:30].any()


def test_double_eigenvalues_of_a_ring():
    n = 500
    ring = sp.diags([1.0, 1, 1, 1], [1, -1, n - 1, 1 - n], (n, n), format="csr")
    A = laplacian(ring)
    check(A, 7, *bottom_eigenpairs(A, 7), np.linalg.eigvalsh(A.toarray())[:7])


def test_nearly_cut_graphs():
    """Links that have almost vanished give zeros of full multiplicity."""
    A = sp.block_diag([graph(n, n) for n in (400, 350)]).tolil()
    A[5, 500] = A[500, 5] = 1e-15
    A[9, 600] = A[600, 9] = 1e-12
    A = laplacian(A.tocsr())
    check(A, 4, *bottom_eigenpairs(A, 4), np.linalg.eigvalsh(A.toarray())[:4])


def test_negative_weights():
    A = laplacian((graph(600) - 0.3 * graph(600, 1)).tocsr())
    expected = np.linalg.eigvalsh(A.toarray())[:5]
    assert expected[0] < -0.01
    check(A, 5, *bottom_eigenpairs(A, 5), expected)


@pytest.mark.parametrize("n", [50, 700])
def test_leading_are_the_singular_vectors(n):
    S = normalise(graph(n))
    values, vectors = leading_eigenpairs(S, 6)
    expected = np.linalg.svd(S.toarray(), compute_uv=False)[:6]
    check(S, 6, values, vectors, np.sign(values) * expected)


def test_fewer_samples_than_pairs():
    values, vectors = bottom_eigenpairs(laplacian(graph(4)), 9)
    assert values.shape == (4,)
    assert vectors.shape == (4, 4)


def test_normalised_rows_without_weight_stay_zero():
    S = sp.csr_matrix(np.array([[0, 4.0, 0], [4, 0, 0], [0, 0, 0]]))
    assert normalise(S).toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("bound", [1.0, 2.0])
def test_top_of_parts_that_hang_together_by_weak_links(bound):
    """Lanczos gives up where many eigenvalues lie close to 1."""
    parts = [graph(60, seed) for seed in range(12)]
    A = sp.block_diag(parts).tolil()
    for i in range(11):
        A[60 * i, 60 * (i + 1)] = A[60 * (i + 1), 60 * i] = 1e-6
    A = normalise(A.tocsr())
    pairs = top_eigenpairs(A, 9, bound, max_restarts=1)
    check(A, 9, *pairs, np.linalg.eigvalsh(A.toarray())[:-10:-1])


@pytest.mark.parametrize("n", range(4, 16))
def test_equal_eigenvalues_are_all_found(n):
    """All rows are linked alike; for a few n, LAPACK finds some of the pairs only."""
    for weight in (0.1, 1 / 3, 1 / n, 1 / (n - 1)):
        block = np.full((n, n), weight) - weight * np.eye(n)
        A = sp.csr_matrix(np.kron(np.eye(2), block))
        expected = np.linalg.eigvalsh(A.toarray())[::-1]
        for k in range(1, n):
            check(A, k, *top_eigenpairs(A, k, 1.0), expected[:k])
