import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import naive
from mvgraph.graphs import partition
from mvgraph.ops.affinity import structured
from mvgraph.ops.affinity.structured import structured_graph
from mvgraph.ops.distance import squared_distances_at
from mvgraph.ops.linalg.gram_eigen import leading_pairs
from mvgraph.ops.proximal.simplex import project_segments, simplex_qp


def random_graph(n, m, links, seed):
    rng = np.random.default_rng(seed)
    A = np.zeros((n, m))
    for i in range(n):
        A[i, rng.choice(m, links, replace=False)] = rng.dirichlet(np.ones(links))
    return A


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 14))
def test_simplex_qp_is_optimal(seed, v, rank):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(rank, v)) * 10.0 ** rng.integers(-3, 4)
    Q, s = B.T @ B, 2 * B.T @ rng.normal(size=rank) * 10.0 ** rng.integers(-2, 3)
    a = simplex_qp(Q, s)
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1, abs=1e-12)
    slope = 2 * Q @ a - s  # optimal: no corner lies below the tangent plane
    assert a @ slope - slope.min() <= 1e-11 * max(np.abs(Q).max(), np.abs(s).max(), 1)


def test_simplex_qp_is_never_above_the_published_solver():
    rng = np.random.default_rng(0)
    for _ in range(20):
        B = rng.random((50, 5))
        Q, s = B.T @ B, 2 * B.T @ rng.random(50)
        a, b = simplex_qp(Q, s), naive.accelerated_simplex_qp(Q, s)
        assert a @ Q @ a - s @ a <= b @ Q @ b - s @ b + 1e-12
        np.testing.assert_allclose(a, b, atol=1e-2)


def test_project_segments_projects_each_and_skips_empty_ones():
    x = np.random.default_rng(0).normal(size=9)
    z = project_segments(x, np.array([0, 4, 4, 9]))
    np.testing.assert_allclose(z[:4], naive.project_simplex(x[:4]), atol=1e-14)
    np.testing.assert_allclose(z[4:], naive.project_simplex(x[4:]), atol=1e-14)


def test_one_update_is_that_of_loops():
    A = random_graph(12, 6, 3, 0)
    rng = np.random.default_rng(1)
    U, V = rng.normal(size=(12, 2)), rng.normal(size=(6, 2))
    csr = sp.csr_matrix(A)
    pattern = structured._pattern(csr)
    H = csr.data - 0.2 * squared_distances_at(U, V, pattern.rows, pattern.columns)
    csr.data = structured._project_both(H, pattern)
    np.testing.assert_allclose(
        csr.toarray(), naive.structured_step(A, U, V, 0.4), atol=1e-14
    )


@pytest.mark.parametrize("K", [2, 3, 5])
def test_structured_graph_has_k_components_on_the_pattern(K):
    A = random_graph(80, 30, 4, K)
    result = structured_graph(A, K)
    P = result.graph.toarray()
    assert result.rank_gap == 0
    assert partition.components(result.graph)[0] == K
    assert P.min() >= 0
    assert (A[P > 0] > 0).all()
    assert (P.sum(axis=1) >= 0.5 - 1e-12).all()


def test_a_graph_of_k_components_is_returned_as_it_is():
    A = np.kron(np.eye(3), np.full((4, 2), 0.5))
    result = structured_graph(A, 3)
    assert result.n_iter == 0
    np.testing.assert_array_equal(result.graph.toarray(), A)
    assert structured_graph(A, 2).rank_gap == 1


@pytest.mark.parametrize("blocks", [1, 5])
def test_leading_pairs_by_blocks_are_those_of_the_dense_solver(blocks):
    n, m = 1400 // blocks, 700 // blocks
    A = sp.block_diag([random_graph(n, m, 3, s) for s in range(blocks)]).tocsr()
    d = np.asarray(A.sum(axis=0)).ravel()
    T = (A @ sp.diags(1 / np.sqrt(np.where(d > 0, d, 1)))).tocsr()
    K = 3
    values, V = np.linalg.eigh((T.T @ T).toarray())
    values, V = values[: -K - 2 : -1], V[:, : -K - 1 : -1]
    W, others, block = leading_pairs(T, K)
    assert block is not None
    np.testing.assert_allclose(others, values, atol=1e-12)
    if blocks == 1:  # with five equal eigenvalues any three vectors of theirs will do
        np.testing.assert_allclose(W @ W.T, V @ V.T, atol=1e-8)
    again = leading_pairs(T, K, block)
    np.testing.assert_allclose(again[1], values, atol=1e-12)
