"""Pairs of clusters are one to one, and every cluster has a story."""

import numpy as np
import pytest

from mvgraph.ops.matching import MOST, changes, overlap, pairs


def random_table(seed):
    rng = np.random.default_rng(seed)
    old, new = rng.integers(1, 6, size=2)
    n = int(rng.integers(20, 400))
    y = rng.integers(-1, old, size=n)
    z = np.where(rng.random(n) < 0.3, rng.integers(new, size=n), (y + 1) % new)
    return y, z, old, new


@pytest.mark.parametrize("seed", range(60))
def test_every_cluster_has_a_story(seed):
    y, z, n_old, n_new = random_table(seed)
    table = overlap(y, z, n_old, np.ones(n_new))
    assert table.sum() == len(y)
    same = pairs(table)
    assert len(set(same.values())) == len(same)
    sizes = (np.bincount(y[y >= 0], minlength=n_old), np.bincount(z, minlength=n_new))
    ids = (10 + np.arange(n_old), 20 + np.arange(n_new))
    found = changes(table, table, same, ids, (np.maximum(sizes[0], 1), sizes[1]))
    assert {c for one in found for c in one.before} == set(ids[0].tolist())
    assert {c for one in found for c in one.after} == set(ids[1].tolist())
    for one in found:
        n = {"split": (1, 2), "merged": (2, 1), "new": (0, 1), "gone": (1, 0)}
        least = n.get(one.kind, (1, 1))
        assert (min(len(one.before), 2), min(len(one.after), 2)) == least
    for i, j in same.items():
        share = max(table[i, j] / table[i].sum(), table[i, j] / table[:, j].sum())
        assert share >= MOST


def test_equal_clusterings_are_kept_under_any_numbers():
    y = np.random.default_rng(0).integers(5, size=200)
    new = np.array([3, 0, 4, 1, 2])
    table = overlap(y, new[y], 5, np.ones(5))
    assert pairs(table) == dict(enumerate(new.tolist()))
    sizes = np.bincount(y), np.bincount(new[y])
    kinds = {
        c.kind for c in changes(table, table, pairs(table), (np.arange(5),) * 2, sizes)
    }
    assert kinds == {"kept"}
