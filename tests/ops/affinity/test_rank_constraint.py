"""Row updates and the rank controller: against loops, and their laws."""

import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.ops.affinity import rank_constraint as rank
from mvgraph.ops.affinity.neighbors import neighbor_graph


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return neighbor_graph(rng.normal(size=(25, 3)), 5), rng.normal(size=(25, 2))


def test_rows_on_the_pattern_equal_the_loops(problem):
    A, F = problem
    S = rank.nearest_rows_on_pattern(A, F, 0.4, 1.5).toarray()
    expected = naive.nearest_rows(A.toarray(), F, 0.4, 1.5, support=True)
    np.testing.assert_allclose(S, expected, atol=1e-12)
    assert not S[A.toarray() == 0].any()


def test_rows_on_all_columns_equal_the_loops(problem):
    A, F = problem
    S = rank.nearest_rows(A, F, 0.4).toarray()
    expected = naive.nearest_rows(A.toarray(), F, 0.4, 1.0, support=False)
    np.testing.assert_allclose(S, expected, atol=1e-12)


def test_update_leaves_its_input_alone(problem):
    A, F = problem
    before = A.copy()
    rank.nearest_rows_on_pattern(A, F * 9, 1.0)
    assert abs(A - before).max() == 0
    assert A.nnz == before.nnz


@pytest.mark.parametrize(
    ("values", "rank_gap"),
    [([0, 0, 0.1], 0), ([0, 0.1, 0.2], -1), ([0, 0, 0], 1), ([0, 1e-11, 0.3], 0)],
)
def test_compare_zeros(values, rank_gap):
    assert rank.compare_zeros(np.array(values, dtype=float), 2) == rank_gap


def test_as_many_clusters_as_samples_is_never_too_many():
    assert rank.compare_zeros(np.zeros(3), 3) == 0


def test_weights_of_rounding_size_do_not_link():
    S = sp.csr_matrix([[0.5, 0.5, 0], [0.5, 0.5, 1e-17], [0, 1e-17, 1.0]])
    assert rank.component_labels(S)[0] == 2
    assert rank.component_labels(sp.csr_matrix((4, 4)))[0] == 4


@pytest.mark.parametrize("mirrored", [False, True])
def test_controller_steers_and_restores(mirrored):
    one = sp.csr_matrix(np.ones((6, 6)) - np.eye(6))
    pairs = sp.block_diag([np.ones((2, 2))] * 3, format="csr")
    start = rank.start_cut(one, 2, 1.0)
    few = rank.rank_step(start, lambda F, w: one, mirrored=mirrored)
    assert (few.rank_gap, few.weight) == (-1, 0.5 if mirrored else 2)
    many = rank.rank_step(few, lambda F, w: pairs, mirrored=mirrored)
    assert (many.rank_gap, many.weight) == (1, 1.0)
    assert many.F is few.F
