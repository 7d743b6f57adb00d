"""Coordinates that lose nothing."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.ops.linalg.subspace import joined_coordinates, principal_coordinates

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [3, 12, 30])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_gram_matrix_stays_and_features_are_orthogonal(d, kind):
    X = RNG.normal(size=(12, d))
    X[:, 0] = X[:, 1]
    R = principal_coordinates(kind(X))
    np.testing.assert_allclose(R.T @ R, X @ X.T, atol=1e-12)
    gram = R @ R.T
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-12)
    assert R.shape == (min(d - 1, 12), 12)


def test_a_view_of_zeros_keeps_one_coordinate():
    assert principal_coordinates(np.zeros((5, 3))).shape == (1, 5)


@pytest.mark.parametrize("dims", [(2, 3), (9, 9)])
def test_joined_coordinates(dims):
    c = joined_coordinates([RNG.normal(size=(12, d)) for d in dims])
    np.testing.assert_allclose(c.B.T @ c.B, np.eye(c.B.shape[1]), atol=1e-12)
    for R, power, T in zip(c.R, c.power, c.T, strict=True):
        np.testing.assert_allclose(T.T @ c.B.T, R, atol=1e-12)
        np.testing.assert_allclose(R @ R.T, np.diag(power.ravel()), atol=1e-12)
    S = np.vstack(c.R)
    np.testing.assert_allclose(
        c.B @ c.inverse @ c.B.T @ S.T, np.linalg.solve(S.T @ S + np.eye(12), S.T)
    )
