"""Principal components: formed Gram matrix and products with the rows agree."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from mvgraph.ops.linalg import principal
from mvgraph.ops.linalg.spectral import row_normalise


@pytest.mark.parametrize("shape", [(1100, 1050), (1050, 1100)])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_products_find_the_components_of_the_gram_matrix(monkeypatch, shape, convert):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) * 3
    x += 0.1 * rng.normal(size=shape) + 5
    x[np.abs(x) < 1] = 0
    centred = x - x.mean(axis=0)
    U, s, _ = scipy.sparse.linalg.svds(centred, 3, v0=np.ones(min(shape)))

    def refuse(*args):
        raise AssertionError("the Gram matrix was formed")

    monkeypatch.setattr(principal, "_formed_gram", refuse)
    found = principal.principal_components(convert(x), 3)
    scores = (U * s)[:, ::-1]
    scores *= np.sign((scores * found.scores).sum(axis=0))
    np.testing.assert_allclose(found.scores, scores, atol=1e-6 * s.max())
    coef = rng.normal(size=(3, 2))
    back = centred @ found.weights(coef)
    np.testing.assert_allclose(back, found.scores @ coef, atol=1e-6)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_many_rows_and_features(convert):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 1100)
    x = rng.normal(size=(4, 1200))[truth] * (rng.random((1100, 1200)) < 0.3)
    found = principal.principal_components(convert(x), 3)
    singular = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)[:3]
    np.testing.assert_allclose(
        np.linalg.norm(found.scores, axis=0), singular, rtol=1e-6
    )


@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
def test_sparse_rows_are_centred_without_being_formed(shape):
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape) * (rng.random(shape) < 0.3)
    x[3] = 0
    mean = x.mean(axis=0)
    rows = row_normalise(x - mean)
    found = principal.centred_unit_rows(sp.csr_matrix(x), mean)
    formed = found.x.toarray() - found.P @ found.Q.T
    np.testing.assert_allclose(formed, rows - rows.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        np.abs(principal.principal_scores(found, 4)),
        np.abs(principal.principal_scores(rows, 4)),
        atol=1e-8,
    )


def test_rows_equal_to_the_mean_have_no_length():
    x = sp.csr_matrix(np.full((5, 3), 0.1))
    found = principal.centred_unit_rows(x, np.full(3, 0.1))
    assert not found.x.toarray().any()
