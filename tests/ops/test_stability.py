"""The population stability index, its law under chance, and the chi-square test."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from mvgraph.ops.stability import CHANCE, stability


@pytest.mark.parametrize("sizes", [(300, 200), (5000, 800)])
def test_index_and_test_are_those_of_the_books(sizes):
    rng = np.random.default_rng(0)
    old, new = (rng.multinomial(n, rng.dirichlet(np.ones(5) * 9)) for n in sizes)
    found = stability(old, new, 1)
    p, q = old / old.sum(), new / new.sum()
    np.testing.assert_allclose(found.psi, ((q - p) * np.log(q / p)).sum())
    test = chi2_contingency(np.stack([old, new]), correction=False)
    np.testing.assert_allclose(found.pvalue, test.pvalue)


def test_chance_passes_its_bound_as_often_as_stated():
    rng = np.random.default_rng(1)
    shares = np.full(10, 0.1)
    old, new = (rng.multinomial(n, shares, size=20_000) for n in (2000, 500))
    found = stability(old, new, 1)
    assert 0.5 * CHANCE < found.at_least(0).mean() < 1.5 * CHANCE


def test_empty_bins_and_no_rows_are_finite():
    for old, new in ([[0, 5], [5, 0]], [[0, 0], [3, 1]], [[2, 2], [0, 0]]):
        found = stability(np.array(old), np.array(new), 3)
        assert np.isfinite([found.psi, found.pvalue]).all()
        assert not found.at_least(0)  # of so few nothing can be said
