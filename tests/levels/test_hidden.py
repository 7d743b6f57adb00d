"""Divisions inside clusters, groups of clusters, and views of two subjects."""

import numpy as np
import pytest

from mvgraph import ChooseK
from mvgraph.levels.hidden import (
    Division,
    _quantile,
    divided,
    flattest,
    groups_of,
    hidden_division,
    of_one_column,
)


def pair(seed, n, d, share, apart):
    """Return two normal clusters, so far apart, of which one has a share."""
    rng = np.random.default_rng(seed)
    far = rng.random(n) < share
    step = rng.normal(size=d)
    X = rng.normal(size=(n, d)) + apart * far[:, None] * step / np.linalg.norm(step)
    return X, far


@pytest.mark.parametrize("n", [8, 9, 10, 11, 230])
def test_quantiles_of_sorted_values_are_those_of_numpy(n):
    at = np.sort(np.random.default_rng(n).normal(size=n))
    for q in (0.25, 0.75):
        assert _quantile(at, q) == np.quantile(at, q)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_two_clusters_are_parted(share):
    X, far = pair(0, 500, 10, share, 6)
    parts = hidden_division(X)
    assert parts.is_clear
    assert max((parts.labels == far).mean(), (parts.labels != far).mean()) > 0.98


@pytest.mark.parametrize("share", [0.02, 0.1, 0.11, 0.5, 0.89, 0.9, 0.98])
def test_the_tail_of_a_large_part_may_lie_in_the_valley_before_a_small_one(share):
    labels = (np.arange(10000) < 10000 * share).astype(int)
    assert Division(labels, 0.49, 0.49, 0.89).is_clear
    assert Division(labels, 0.55, 0.4, 0.95).is_clear == (not 0.1 < share < 0.9)
    assert not Division(labels, 0.55, 0.4, 0.89).is_clear
    assert not Division(labels, 0.4, 0.61, 0.95).is_clear
    assert not Division(labels[::200], 0.3, 0.31, 0.95).is_clear  # of few


@pytest.mark.parametrize("law", ["normal", "uniform", "exponential", "standard_t"])
def test_one_group_is_not_parted(law):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        df = (3,) if law == "standard_t" else ()
        X = getattr(rng, law)(*df, size=(300, 8))
        parts = hidden_division(X)
        assert parts is None or not parts.is_clear


def test_the_values_of_a_column_of_few_are_no_division():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * 0.1
    X[:, 0] = rng.integers(2, size=300)
    labels = np.zeros(300, dtype=int)
    assert divided(labels, X, [rng.normal(size=(300, 2))])[0].max() == 1
    assert divided(labels, X, [X])[0].max() == 0


def test_groups_of_clusters_are_found_where_they_are_further_apart():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(6), 20)
    coarse = np.arange(6) // 3
    near, far = rng.normal(size=(6, 5)), rng.normal(size=(2, 5))
    for apart, found in ((10, True), (0, False)):
        centres = near + apart * far[coarse]
        groups = groups_of(labels, centres[labels])
        assert (groups is not None) is found
        if groups is not None:
            table = np.zeros((2, 2))
            np.add.at(table, (groups[0], coarse[labels]), 1)
            assert (table > 0).sum() == 2
            assert 0 < groups[1] < 1


def test_two_views_of_two_subjects_have_the_levels_of_each():
    rng = np.random.default_rng(0)
    views = [
        4 * rng.normal(size=(k, d))[rng.integers(k, size=300)]
        + rng.normal(size=(300, d))
        for k, d in ((3, 6), (4, 8))
    ]
    choice = ChooseK(random_state=0).fit(views)
    assert sorted(level.k for level in choice.levels_[:2]) == [3, 4]
    assert choice.confidence_ <= 0.5
    assert all(min(level.views) == 0 for level in choice.levels_[:2])


def test_components_keep_their_variances():
    rng = np.random.default_rng(0)
    truth = np.arange(120) % 4
    X = rng.normal(size=(4, 100))[truth] + rng.normal(size=(120, 100))
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert ChooseK(random_state=0).fit([U[:, :30] * s[:30]]).best_k_ == 4


def test_whitened_components_are_divided():
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.arange(160) % 4)
    X = 1.5 * rng.normal(size=(4, 100))[truth] + rng.normal(size=(160, 100))
    U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0][:, :30]
    choice = ChooseK(random_state=0).fit([U * np.sqrt(160)])
    assert choice.best_k_ == 4


@pytest.mark.parametrize("law", ["normal", "uniform", "exponential"])
def test_the_flattest_columns_of_one_group_are_not_divided(law):
    X = getattr(np.random.default_rng(0), law)(size=(150, 40))
    parts = hidden_division(X, flattest)
    assert parts is None or not parts.is_clear


def test_a_rare_value_of_one_column_is_no_division_and_a_rare_group_is():
    rng = np.random.default_rng(0)
    far = np.arange(400) < 20
    x = (rng.random((400, 30)) < 0.3).astype(float)
    word = np.column_stack([x, far])
    assert of_one_column(far.astype(int), [word])
    assert of_one_column(1 - far.astype(int), [word])
    rate = np.where(far[:, None], 0.7, 0.3)
    x = (rng.random((400, 30)) < rate).astype(float)
    assert not of_one_column(far.astype(int), [x])
