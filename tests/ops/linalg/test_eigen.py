"""Leading eigenvectors: against the dense solver."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.ops.linalg.eigen import leading_eigenvectors

RNG = np.random.default_rng(0)
both_solvers = pytest.mark.parametrize("N", [200, 700])  # dense and iterated


def symmetric(values):
    N = len(values)
    Q = np.linalg.qr(RNG.normal(size=(N, N)))[0]
    return (Q * values) @ Q.T, Q


def projector(U):
    return U @ U.T


@both_solvers
@pytest.mark.parametrize("by_magnitude", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_leading_pairs(N, by_magnitude, kind):
    values = np.concatenate([[3, 2, 1.5, -2.5, -1], 0.5 * RNG.uniform(-1, 1, N - 5)])
    A, Q = symmetric(values)
    w, U = leading_eigenvectors(kind(A), 3, by_magnitude=by_magnitude)
    where = [0, 3, 1] if by_magnitude else [0, 1, 2]
    np.testing.assert_allclose(w, values[where], atol=1e-10)
    np.testing.assert_allclose(projector(U), projector(Q[:, where]), atol=1e-9)


@both_solvers
def test_repeated_eigenvalues(N):
    values = np.concatenate([np.ones(4), np.linspace(0, 0.9, N - 4)])
    A, Q = symmetric(values)
    w, U = leading_eigenvectors(A, 4)
    np.testing.assert_allclose(w, 1, atol=1e-10)
    np.testing.assert_allclose(projector(U), projector(Q[:, :4]), atol=1e-9)


@both_solvers
def test_low_rank_terms_and_starts(N):
    A, _ = symmetric(np.linspace(-1, 1, N))
    W = np.linalg.qr(RNG.normal(size=(N, 2)))[0]
    w, U = leading_eigenvectors(A, 2, low_rank=(W, 5.0), start=W)
    expected, V = np.linalg.eigh(A + 5 * projector(W))
    np.testing.assert_allclose(w, expected[:-3:-1], rtol=1e-10)
    np.testing.assert_allclose(projector(U), projector(V[:, -2:]), atol=1e-9)


@both_solvers
def test_matrices_of_low_rank_and_zero(N):
    x = RNG.normal(size=(N, 1))
    w, U = leading_eigenvectors(x @ x.T, 3)
    np.testing.assert_allclose(w, [(x.T @ x).item(), 0, 0], atol=1e-9)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-12)
    U = leading_eigenvectors(np.zeros((N, N)), 3)[1]
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-12)
