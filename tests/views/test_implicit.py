"""Sparse views scaled without being formed, against the dense rules."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.shifted import Shifted
from mvgraph.views.implicit import join_implicit, scale_implicitly
from mvgraph.views.scaling import apply_steps, fit_scaling

RULES = ["zscore", "minmax", "rowz"]


def counts(n=40, d=15, seed=0):
    """Return sparse rows, among them a row of zeros, a constant and an empty column."""
    x = np.random.default_rng(seed).poisson(0.4, size=(n, d)).astype(float)
    x[3], x[:, 2], x[:, 5], x[:, 7] = 0, 0, 4, -x[:, 7]
    return x


def scaled(x, rule):
    return apply_steps(x, fit_scaling(x, rule))


@pytest.mark.parametrize("rule", RULES)
def test_sparse_views_are_scaled_as_dense_ones(rule):
    x = counts()
    implicit, expected = scale_implicitly(sp.csr_matrix(x), rule), scaled(x, rule)
    V, U = np.random.default_rng(1).normal(size=(2, 40, 3))
    V = V[:15]
    np.testing.assert_allclose(implicit.rows(slice(None)), expected, atol=1e-13)
    np.testing.assert_allclose(implicit.times(V), expected @ V, atol=1e-12)
    np.testing.assert_allclose(implicit.transposed_times(U), expected.T @ U, atol=1e-12)
    squares = np.square(expected).sum(axis=1)
    np.testing.assert_allclose(implicit.squared_norms(), squares, atol=1e-12)
    taken = implicit.take(np.array([4, 1])).rows(slice(None))
    np.testing.assert_allclose(taken, expected[[4, 1]], atol=1e-13)


@pytest.mark.parametrize("rule", RULES)
def test_a_sparse_view_stays_sparse(rule):
    x = abs(sp.random(50, 100_000, 1e-3, format="csr", random_state=0))
    implicit = scale_implicitly(x, rule)
    assert implicit.x.nnz <= x.nnz
    assert np.isfinite(implicit.squared_norms()).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_far_values_are_scaled_as_near_ones(rule, size):
    x = counts()
    near = scale_implicitly(sp.csr_matrix(x), rule).rows(slice(None))
    far = scale_implicitly(sp.csr_matrix(x * size), rule).rows(slice(None))
    np.testing.assert_allclose(far, near, atol=1e-10)


def test_joined_views_of_both_kinds_and_their_clusters():
    x, y = counts(), counts(seed=5)[:, :6] + 0.5
    parts = [scale_implicitly(sp.csr_matrix(x), "rowz"), scale_implicitly(y, "zscore")]
    joined = join_implicit(parts)
    expected = np.hstack([scaled(x, "rowz"), scaled(y, "zscore")])
    assert isinstance(joined, Shifted)
    np.testing.assert_allclose(joined.rows(slice(None)), expected, atol=1e-13)
    found = kmeans(joined, 4, np.random.default_rng(0), n_init=3)
    dense = kmeans(expected, 4, np.random.default_rng(0), n_init=3)
    np.testing.assert_array_equal(found.labels, dense.labels)
    np.testing.assert_allclose(found.centers, dense.centers, atol=1e-12)
    assert isinstance(join_implicit(parts[1:]), np.ndarray)
