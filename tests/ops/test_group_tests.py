"""Tests of columns by group, against SciPy column by column."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from mvgraph.ops.group_tests import (
    group_means,
    mann_whitney,
    positive_shares,
    welch,
)

N, K = 60, 3
FORMS = {"dense": np.asarray, "csr": sp.csr_matrix, "csc": sp.csc_matrix}


def columns():
    """Counts with ties, normal values, both signs; constant ones come last."""
    rng = np.random.default_rng(0)
    x = rng.poisson(0.7, size=(N, 12)).astype(float)
    x[:, 0] = rng.normal(size=N)
    x[:, 1] = rng.integers(-2, 3, N)
    x[:20, 2] = 3
    x[:, 3] = np.abs(x[:, 0]) + 1  # no zeros, no ties
    x[:, 10], x[:, 11] = 2, 0
    return x, rng.integers(0, K, N)


@pytest.mark.parametrize("form", FORMS)
def test_mann_whitney_is_that_of_scipy(form):
    x, groups = columns()
    found = mann_whitney(FORMS[form](x), groups, K)
    for k in range(K):
        inside, outside = x[groups == k], x[groups != k]
        for j in range(x.shape[1]):
            two = (inside[:, j], outside[:, j])
            U, p = stats.mannwhitneyu(*two, method="asymptotic")
            np.testing.assert_allclose(found.pvalue[k, j], p, rtol=1e-12)
            middle = len(inside) * len(outside) / 2
            if abs(U - middle) > 0.5:
                assert np.sign(found.score[k, j]) == np.sign(U - middle)
    np.testing.assert_array_equal(found.score[:, 10:], 0)


@pytest.mark.parametrize("form", FORMS)
def test_welch_is_that_of_scipy(form):
    x, groups = columns()
    x[:, 5] += 1e6  # a large mean, small differences
    found = welch(FORMS[form](x), groups, K)
    for k in range(K):
        inside, outside = x[groups == k, :10], x[groups != k, :10]
        t, p = stats.ttest_ind(inside, outside, equal_var=False)
        np.testing.assert_allclose(found.score[k, :10], t, rtol=1e-8)
        np.testing.assert_allclose(found.pvalue[k, :10], p, rtol=1e-8)
    np.testing.assert_array_equal(found.pvalue[:, 10:], 1)


def test_blocks_of_columns_change_nothing():
    x, groups = columns()
    whole = welch(x, groups, K)
    by_column = welch(x, groups, K, block_values=1)
    np.testing.assert_array_equal(by_column.pvalue, whole.pvalue)


@pytest.mark.parametrize("test", [mann_whitney, welch])
@pytest.mark.parametrize("form", FORMS)
def test_nothing_to_compare_with_gives_one(test, form):
    x, _ = columns()
    one = test(FORMS[form](x), np.zeros(N, dtype=int), 2)
    np.testing.assert_array_equal(one.score, 0)
    np.testing.assert_array_equal(one.pvalue, 1)


def test_welch_of_two_constants_that_differ():
    x = np.repeat([[1.0], [0.0]], 5, axis=0)
    found = welch(x, np.repeat([0, 1], 5), 2)
    assert found.score.ravel().tolist() == [np.inf, -np.inf]
    assert found.pvalue.ravel().tolist() == [0, 0]


def test_welch_of_huge_values():
    x, groups = columns()
    np.testing.assert_allclose(
        welch(x * 1e250, groups, K).pvalue, welch(x, groups, K).pvalue, rtol=1e-9
    )


@pytest.mark.parametrize("form", FORMS)
def test_means_and_shares(form):
    x, groups = columns()
    means = group_means(FORMS[form](x), groups, K + 1)
    shares = positive_shares(FORMS[form](x), groups, K + 1)
    for k in range(K):
        np.testing.assert_allclose(means[k], x[groups == k].mean(axis=0), atol=1e-15)
        np.testing.assert_allclose(shares[k], (x[groups == k] > 0).mean(axis=0))
    assert (means[K] == 0).all()


def test_the_matrix_is_left_as_it_is():
    x = sp.csr_matrix(np.array([[1.0, 0], [0, 2]]))
    x.data[0] = 0  # an explicit zero
    before = x.copy()
    mann_whitney(x, np.array([0, 1]), 2)
    mann_whitney(x.tocsc(), np.array([0, 1]), 2)
    assert x.nnz == before.nnz
