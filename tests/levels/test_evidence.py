"""Cuts of trees, clusters found again, and the choice that follows."""

import numpy as np
import pytest

from mvgraph.levels.choice import near, probabilities, span, stand_out
from mvgraph.levels.draws import Tree
from mvgraph.levels.evidence import Evidence, chance, numbers_up_to, refound
from mvgraph.levels.valleys import Valleys
from mvgraph.ops.merges import Merges, merge_communities


def tree(labels, seed=0, rows=None):
    """Return a tree over given leaves, merged in a random order."""
    import scipy.sparse as sp

    rng = np.random.default_rng(seed)
    n = len(labels)
    W = sp.random(n, n, 0.3, "csr", random_state=rng)
    merges = merge_communities((W + W.T).tocsr(), np.asarray(labels))
    return Tree(np.arange(n) if rows is None else rows, merges)


def test_cuts_of_leaves_are_the_cuts_of_the_tree():
    labels = np.random.default_rng(1).permutation(np.arange(60) % 12)
    grown = tree(labels)
    numbers = np.array([1, 2, 3, 5, 8, 12])
    for k, cut in zip(numbers, grown.cuts(numbers), strict=True):
        assert len(np.unique(cut)) == k
        pairs = np.stack([cut[labels], grown.merges.cut(int(k))])
        assert len(np.unique(pairs, axis=1).T) == k  # the same partition


def test_the_same_tree_is_found_again_and_another_is_not():
    labels = np.arange(80) % 10
    numbers = np.array([2, 5, 10])
    same = [tree(labels) for _ in range(3)]
    assert refound(same, numbers, 80) == pytest.approx(1)
    rng = np.random.default_rng(0)
    other = [tree(rng.permutation(labels), seed) for seed in range(3)]
    assert (refound(other, numbers, 80) < 0.7).all()


def test_clusters_are_compared_by_the_rows_of_both_draws():
    rng, numbers, n = np.random.default_rng(2), np.array([2, 3, 7]), 60
    trees = [
        tree(rng.permutation(np.arange(50) % 9), s, np.sort(rng.permutation(n)[:50]))
        for s in range(2)
    ]
    for number, found in zip(numbers, refound(trees, numbers, n), strict=True):
        clusters = [
            [set(t.rows[t.merges.cut(number) == c]) for c in range(number)]
            for t in trees
        ]
        both = set(trees[0].rows) & set(trees[1].rows)
        a, b = ([c & both for c in own] for own in clusters)
        J = np.array([[len(x & y) / max(len(x | y), 1) for y in b] for x in a])
        expected = (J.max(axis=1).mean() + J.max(axis=0).mean()) / 2
        assert found == pytest.approx(expected)


def test_rows_that_one_draw_lacks_say_nothing():
    labels, numbers = np.arange(80) % 4, np.array([4])
    kept = np.arange(10, 80)
    leaves = Merges(labels, np.zeros((3, 2), int), np.zeros(3))
    whole = Tree(np.arange(80), leaves)
    part = Tree(kept, leaves._replace(labels=labels[kept]))
    assert refound([whole, part], numbers, 80) == pytest.approx(1)


@pytest.mark.parametrize("n", [6, 40, 300, 5000])
def test_numbers_rise_and_chance_is_a_share(n):
    numbers = numbers_up_to(n)
    assert numbers[0] == 2
    assert (np.diff(numbers) > 0).all()
    assert numbers[-1] <= max(n // 3, 2)
    assert ((chance(numbers, n) >= 0) & (chance(numbers, n) < 1)).all()


def evidence(peaks, count=7.0):
    numbers = numbers_up_to(1000)
    stability = np.full(len(numbers), 0.4)
    for k, height in peaks.items():
        stability[numbers == k] = height
    flat = np.full(len(numbers), 0.4)
    return Evidence(
        numbers,
        stability,
        {("joint", 20): count},
        1000,
        Valleys(flat, flat, flat, flat),
    )


def test_a_clear_coarse_division_does_not_hide_a_fine_one_that_is_counted():
    found = evidence({2: 1.0, 10: 0.92}, count=10)
    p = probabilities(found)
    assert found.numbers[p.argmax()] == 10
    assert p.sum() == pytest.approx(1)
    low, high = span(found.numbers, p, 10)
    assert low <= 10 <= high


def test_levels_hold_probability_of_their_own():
    k = np.arange(2, 31)
    p = np.full(len(k), 1e-4)
    p[k == 4], p[k == 5], p[k == 20] = 0.4, 0.2, 0.39
    found = stand_out(k, p / p.sum())
    assert list(found) == [4, 20]
    assert sum(found.values()) <= 1 + 1e-12


def test_near_is_one_or_a_tenth():
    assert near(np.array([3, 4, 5, 6]), 4).tolist() == [True, True, True, False]
    assert near(np.array([88, 90, 110, 112]), 100).tolist() == [
        False,
        True,
        True,
        False,
    ]
