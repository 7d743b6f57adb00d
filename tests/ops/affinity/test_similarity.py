"""Spectral embedding of similarities: against dense solvers and loops."""

import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.ops.affinity.similarity import (
    gaussian_kernel,
    joined_neighbor_graph,
    normalise_similarity,
    random_walk_embedding,
    spectral_embedding,
    stationary_distribution,
    symmetrise_chain,
    transition_matrix,
)

RNG = np.random.default_rng(0)


def blocks(sizes):
    """A graph with one connected block for every size."""
    parts = []
    for n in sizes:
        W = sp.random(n, n, 0.2, random_state=RNG).toarray()
        parts.append(W + W.T + 0.01)
    return sp.block_diag(parts, format="csr")


@pytest.mark.parametrize("kinds", [(np.asarray,) * 2, (sp.csr_matrix, np.asarray)])
def test_neighbour_graph_equals_the_loops(kinds):
    views = [RNG.normal(size=(15, d)) for d in (2, 3)]
    W = joined_neighbor_graph([f(v) for f, v in zip(kinds, views, strict=True)], 4)
    np.testing.assert_array_equal(W.toarray(), naive.joined_neighbor_graph(views, 4))


@pytest.mark.parametrize("sizes", [(120,), (60, 40, 50)])
def test_embedding_spans_the_leading_eigenvectors(sizes):
    W = blocks(sizes)
    U, count = spectral_embedding(W, 4)
    assert count == len(sizes)
    A = normalise_similarity(W.toarray())
    V = np.linalg.eigh(A)[1][:, -4:]
    np.testing.assert_allclose(U @ U.T, V @ V.T, atol=1e-7)
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-8)


def test_more_components_than_clusters_have_a_column_each():
    W = blocks((20, 30, 25))
    U, count = spectral_embedding(W, 2)
    assert count == U.shape[1] == 3
    assert ((U != 0).sum(axis=1) == 1).all()


@pytest.mark.parametrize("n", [150, 700])  # a dense solver and iteration
def test_random_walk_embedding_holds_eigenvectors_of_the_walk(n):
    W = blocks((n,)).toarray()
    U = random_walk_embedding(W, 3)
    PU = (W @ U) / W.sum(axis=1)[:, None]
    w = np.einsum("ij,ij->j", U, PU)
    np.testing.assert_allclose(PU, U * w, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)


def test_a_sample_without_similarity():
    W = np.ones((4, 4))
    W[3] = W[:, 3] = 0
    assert not normalise_similarity(np.asarray(W))[3].any()
    assert not random_walk_embedding(W, 2)[3].any()


@pytest.mark.parametrize("n", [2, 9, 10])
def test_kernel_equals_the_loops(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    K = gaussian_kernel(X)
    np.testing.assert_allclose(K, naive.gaussian_kernel(X)[0], rtol=1e-12)
    assert (np.diag(K) == 1).all()


def test_scale_free_sparse_and_float32():
    X = np.random.default_rng(0).poisson(1.0, size=(20, 6)).astype(np.float64)
    K = gaussian_kernel(X)
    np.testing.assert_allclose(gaussian_kernel(X * 1e6), K, rtol=1e-9)
    np.testing.assert_allclose(gaussian_kernel(sp.csr_matrix(X)), K, rtol=1e-12)
    single = gaussian_kernel(X.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, K, rtol=1e-12)


def test_duplicates_do_not_divide_by_zero():
    X = np.zeros((9, 2))
    assert (gaussian_kernel(X) == 1).all()
    X[0] = 3  # the median distance is 0
    K = gaussian_kernel(X)
    assert K[0, 1] < K[1, 2] == 1


@pytest.fixture
def chain():
    return transition_matrix(np.random.default_rng(0).random((12, 12)))


def test_rows_sum_to_one_and_a_lonely_sample_stays():
    W = np.random.default_rng(0).random((5, 5))
    W[2] = 0
    P = transition_matrix(W)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert P[2].tolist() == [0, 0, 1, 0, 0]


def test_distribution_is_stationary(chain):
    pi = stationary_distribution(chain)
    np.testing.assert_allclose(pi @ chain, pi, atol=1e-15)
    assert pi.min() > 0
    assert pi.sum() == pytest.approx(1)


def test_of_a_symmetric_walk_it_is_the_degree():
    W = np.random.default_rng(0).random((12, 12))
    W += W.T
    degree = W.sum(axis=1)
    pi = stationary_distribution(transition_matrix(W))
    np.testing.assert_allclose(pi, degree / degree.sum(), rtol=1e-10)
    root = np.sqrt(degree)
    S = symmetrise_chain(transition_matrix(W))
    np.testing.assert_allclose(S, W / root / root[:, None], rtol=1e-9)


def test_symmetrised_chain_keeps_eigenvalue_one(chain):
    S = symmetrise_chain(chain)
    np.testing.assert_array_equal(S, S.T)
    w, U = np.linalg.eigh(S)
    assert w[-1] == pytest.approx(1)
    assert w[0] >= -1
    root = np.sqrt(stationary_distribution(chain))
    np.testing.assert_allclose(np.abs(U[:, -1]), root, atol=1e-10)


@pytest.mark.parametrize("P", [np.zeros((4, 4)), -np.ones((4, 4))])
def test_no_chain_gives_the_uniform_distribution(P):
    assert stationary_distribution(P).tolist() == [0.25] * 4
