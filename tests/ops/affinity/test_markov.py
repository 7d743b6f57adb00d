"""Markov chains: laws."""

import numpy as np
import pytest

from mvgraph.ops.affinity.markov import (
    stationary_distribution,
    symmetrise_chain,
    transition_matrix,
)


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
