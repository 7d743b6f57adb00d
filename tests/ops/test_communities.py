"""Leiden communities and their merges."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from mvgraph.ops.communities import join_singles, leiden, leiden_at_least
from mvgraph.ops.kernels.communities import join_nodes
from mvgraph.ops.merges import merge_communities
from naive import set_partitions


def random_graph(n, density=0.3, seed=0):
    W = sp.random(n, n, density, random_state=seed, format="csr")
    W = W + W.T
    W.setdiag(0)
    W.eliminate_zeros()
    return W.tocsr()


def planted_graph(sizes, inside=0.5, outside=0.02, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    A = rng.random((len(y), len(y))) < np.where(y[:, None] == y, inside, outside)
    A = np.triu(A, 1).astype(float)
    return sp.csr_matrix(A + A.T), y


def quality(W, labels, resolution=1.0):
    W = W.toarray()
    d = W.sum(axis=1)
    same = labels[:, None] == labels
    return float(((W - resolution * np.outer(d, d) / d.sum()) * same).sum())


def test_best_partition_of_small_graphs():
    near = 0
    for seed in range(20):
        W = random_graph(7, 0.4, seed)
        if W.nnz == 0:
            continue
        best = max(quality(W, np.array(p)) for p in set_partitions(7))
        found = quality(W, leiden(W, np.random.default_rng(0)))
        assert found <= best + 1e-9
        near += found > best - 1e-9
    assert near >= 15  # a greedy method: mostly the optimum


@pytest.mark.parametrize("resolution", [0.5, 1.0, 3.0])
def test_no_move_of_a_single_node_improves(resolution):
    W = random_graph(60, 0.1)
    labels = leiden(W, np.random.default_rng(0), resolution)
    most = quality(W, labels, resolution)
    for i in range(60):
        for c in range(labels.max() + 2):
            moved = labels.copy()
            moved[i] = c
            assert quality(W, moved, resolution) <= most + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_communities_are_connected(seed):
    W = random_graph(200, 0.015, seed)
    labels = leiden(W, np.random.default_rng(seed))
    for c in range(labels.max() + 1):
        rows = np.flatnonzero(labels == c)
        assert connected_components(W[rows][:, rows])[0] == 1


def test_planted_communities_and_isolated_nodes():
    W, y = planted_graph([40, 30, 20, 5])
    W = sp.block_diag([W, sp.csr_matrix((2, 2))], format="csr")
    labels = leiden(W, np.random.default_rng(0))
    assert len(np.unique(labels)) == labels.max() + 1 == 6
    for c in range(4):
        assert len(np.unique(labels[:95][y == c])) == 1


def test_the_same_seed_and_any_scale_of_weights():
    W = random_graph(150, 0.05)
    a = leiden(W, np.random.default_rng(1))
    np.testing.assert_array_equal(a, leiden(W, np.random.default_rng(1)))
    np.testing.assert_array_equal(a, leiden(W * 1024, np.random.default_rng(1)))


@pytest.mark.parametrize("k", [1, 4, 30, 95])
def test_at_least_so_many(k):
    W, _ = planted_graph([40, 30, 20, 5])
    assert leiden_at_least(W, k, np.random.default_rng(0)).max() + 1 >= k


def test_merges_are_nested_and_end_in_one():
    W, y = planted_graph([40, 30, 20, 10])
    tree = merge_communities(W, leiden(W, np.random.default_rng(0), 20.0))
    C = tree.n_leaves_
    assert C > 8
    assert sorted(tree.children_.ravel()) == list(range(2 * C - 2))
    assert (np.diff(tree.distances_) >= 0).all()
    finer = tree.cut(C)
    np.testing.assert_array_equal(finer, tree.labels)
    for k in range(C - 1, 0, -1):
        coarser = tree.cut(k)
        assert len(np.unique(coarser)) == k
        for c in range(finer.max() + 1):  # every finer cluster lies in a coarser one
            assert len(np.unique(coarser[finer == c])) == 1
        finer = coarser
    for c in range(4):
        assert len(np.unique(tree.cut(4)[y == c])) == 1


def test_merges_take_the_densest_pair():
    W = random_graph(30, 0.4).toarray()
    labels = np.arange(30) % 6
    tree = merge_communities(sp.csr_matrix(W), labels)
    groups = {c: np.flatnonzero(labels == c) for c in range(6)}
    for step, (a, b) in enumerate(tree.children_):

        def density(p, q, groups=groups):
            degrees = W[groups[p]].sum() * W[groups[q]].sum()
            return W[np.ix_(groups[p], groups[q])].sum() / degrees

        pairs = [(p, q) for p in groups for q in groups if p < q]
        assert density(a, b) == pytest.approx(max(density(p, q) for p, q in pairs))
        groups[6 + step] = np.concatenate([groups.pop(a), groups.pop(b)])


def test_merges_inside_groups_come_first():
    W, y = planted_graph([30, 30, 30], inside=0.3, outside=0.2)
    leaves = np.unique(y * 4 + np.arange(90) % 4, return_inverse=True)[1]
    tree = merge_communities(W, leaves, within=y)
    labels = tree.cut(3)
    assert all(len(np.unique(labels[y == c])) == 1 for c in range(3))


def test_a_single_node_joins_what_it_is_linked_to_most():
    W = np.zeros((7, 7))
    W[0, 1] = W[2, 3] = W[4, 5] = 1
    W[6, [0, 2, 4]] = [0.2, 0.5, 0.3]
    W = sp.csr_matrix(W + W.T)
    labels = np.array([0, 0, 1, 1, 2, 2, 3])
    joined = join_singles(W, labels, 2)
    assert adjusted_rand_score(joined, [0, 0, 1, 1, 2, 2, 1]) == 1
    # nothing is joined where as many communities are wanted
    np.testing.assert_array_equal(join_singles(W, labels, 4), labels)


@pytest.mark.parametrize("seed", range(3))
def test_singles_join_and_nothing_else_changes(seed):
    rng = np.random.default_rng(seed)
    W = sp.random(60, 60, 0.1, random_state=seed, format="csr")
    W = (W + W.T).tocsr()
    labels = np.unique(rng.integers(0, 40, 60), return_inverse=True)[1]
    alone = np.bincount(labels)[labels] == 1
    joined = join_singles(W, labels, 5)
    kept = adjusted_rand_score(joined[~alone], labels[~alone])
    assert kept == 1
    assert 5 <= joined.max() + 1 <= labels.max() + 1


@pytest.mark.parametrize("count", [1, 7, 60])
def test_links_of_joined_nodes_are_the_sums_of_theirs(count):
    W = random_graph(60)
    part = np.arange(60) % count
    H = sp.csr_matrix((np.ones(60), (np.arange(60), part)))
    indptr, indices, data = join_nodes(W.indptr, W.indices, W.data, part, count)
    found = sp.csr_matrix((data, indices, indptr), shape=(count, count))
    np.testing.assert_array_equal(found.toarray(), (H.T @ W @ H).toarray())
    assert found.has_sorted_indices
