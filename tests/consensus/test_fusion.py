import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score as ari

from mvgraph.consensus import fusion
from mvgraph.consensus.fusion import linkage_labels
from mvgraph.graphs.dependence import dependence, linked_views


def fresh_rng():
    return np.random.default_rng(0)


def noisy(y, k, share, rng):
    out = y.copy()
    wrong = rng.random(len(y)) < share
    out[wrong] = rng.integers(0, k, wrong.sum())
    return rng.permutation(k)[out]


def pool(seed=0, n=200, k=4, good=8, bad=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    parts = [noisy(y, k, 0.2, rng) for _ in range(good)]
    parts += [rng.integers(0, k, n) for _ in range(bad)]
    return np.stack(parts), y


def fuse(parts, families, k, inside=lambda labels: 1.0):
    return fusion.fuse(parts, families, np.ones(len(parts)), inside, k, fresh_rng())


def test_agreement_is_the_adjusted_rand_index():
    parts, _ = pool()
    A = fusion.agreement(parts, 4)
    for i in range(12):
        for j in range(12):
            np.testing.assert_allclose(A[i, j], ari(parts[i], parts[j]), atol=1e-12)


def test_agreement_with_empty_clusters_and_one_cluster():
    parts = np.array([[0, 0, 1, 1], [0, 0, 0, 0], [3, 3, 1, 1]])
    A = fusion.agreement(parts, 4)
    assert A[0, 2] == 1
    assert A[0, 1] == 0
    assert np.isfinite(A).all()


def test_weights_favour_those_that_agree_and_balance_families():
    parts, _ = pool()
    w = fusion.agreement_weights(parts, np.zeros(12, dtype=int), np.ones(12), 4)
    np.testing.assert_allclose(w.sum(), 1)
    assert w[:8].min() > 100 * w[8:].max()
    good, _ = pool(good=60, bad=0)
    family = np.repeat([0, 1], [40, 20])
    w = fusion.agreement_weights(good, family, np.ones(60), 4)
    assert 0.7 < w[family == 0].sum() / w[family == 1].sum() < 1.4
    doubled = fusion.agreement_weights(good, family, 1.0 + family, 4)
    np.testing.assert_allclose(doubled / doubled[0], w / w[0] * (1 + family))


@pytest.mark.parametrize("seed", range(5))
def test_the_consensus_beats_every_base_partition(seed):
    parts, y = pool(seed)
    result = fuse(parts, np.zeros(12, dtype=int), 4)
    assert ari(y, result.labels) > max(ari(y, p) for p in parts)
    assert result.embedding.shape == (200, 4)


def test_relabelling_and_order_of_partitions_do_not_matter():
    parts, _ = pool()
    families = np.arange(12) % 2
    rng = np.random.default_rng(1)
    order = rng.permutation(12)
    moved = np.stack([rng.permutation(4)[p] for p in parts[order]])
    a = fuse(parts, families, 4)
    b = fuse(moved, families[order], 4)
    assert ari(a.labels, b.labels) == 1
    np.testing.assert_allclose(a.weights[order], b.weights)


def test_vote_is_a_fixed_point_of_the_majority():
    parts, y = pool(bad=0)
    labels = fusion.vote(parts, np.full(8, 1 / 8), 4, parts[0])
    assert ari(y, labels) > 0.95


def test_a_candidate_that_leaves_a_cluster_empty_is_not_taken(monkeypatch):
    parts, _ = pool()
    families = np.zeros(12, dtype=int)
    monkeypatch.setattr(fusion, "vote", lambda parts, w, K, labels, _: labels % 3)
    monkeypatch.setattr(
        fusion, "linkage_labels", lambda parts, w, K, least: parts[0] % 2
    )
    found = fuse(parts, families, 4)
    assert found.rule == "cut"
    assert len(np.unique(found.labels)) == 4


def test_the_consensus_is_the_candidate_of_largest_agreement():
    parts, _ = pool(seed=3)
    found = fuse(parts, np.zeros(12, dtype=int), 4)
    w = fusion.agreement_weights(parts, np.zeros(12, dtype=int), np.ones(12), 4)
    mean = w @ [ari(found.labels, p) for p in parts]
    assert found.agreement == pytest.approx(mean)
    for other in (linkage_labels(parts, w, 4), fusion.cut(parts, w, 4, fresh_rng())[0]):
        assert mean >= w @ [ari(other, p) for p in parts] - 1e-12


def test_of_candidates_that_agree_alike_links_choose():
    parts, _ = pool(seed=3)
    families = np.zeros(12, dtype=int)
    w = fusion.agreement_weights(parts, families, np.ones(12), 4)
    other = linkage_labels(parts, w, 4, 3)
    linked = fuse(
        parts, families, 4, lambda p: np.array([ari(x, other) == 1 for x in p])
    )
    assert ari(linked.labels, other) == 1
    assert ari(fuse(parts, families, 4).labels, other) < 1


def test_a_candidate_with_a_tiny_cluster_is_not_taken(monkeypatch):
    parts, _ = pool(bad=0)
    tiny = np.where(np.arange(200) < 2, 3, parts[0] % 3)
    parts[:6] = tiny  # agrees best with the partitions
    cut, U = fusion.cut(parts[6:], np.full(2, 0.5), 4, fresh_rng())
    assert np.bincount(cut).min() > 2
    monkeypatch.setattr(fusion, "cut", lambda *_: (cut, U))
    monkeypatch.setattr(fusion, "linkage_labels", lambda *_: tiny)
    monkeypatch.setattr(fusion, "vote", lambda parts, w, K, labels, _: labels)
    found = fuse(parts, np.zeros(8, dtype=int), 4)
    np.testing.assert_array_equal(found.labels, cut)


def test_linkage_is_average_linkage_of_the_co_association():
    parts, _ = pool(seed=1, n=60)
    w = np.random.default_rng(0).dirichlet(np.ones(12))
    different = parts[:, :, None] != parts[:, None, :]
    apart = np.einsum("b,bij->ij", w, different)
    tree = linkage(squareform(apart, checks=False), "average")
    for k in (2, 4, 7):
        expected = fcluster(tree, k, "maxclust")
        assert ari(expected, linkage_labels(parts, w, k)) == 1


@pytest.mark.parametrize("least", [2, 5, 9])
def test_linkage_counts_clusters_that_are_large_enough(least):
    parts, _ = pool(seed=1, n=120, bad=0)
    alone = np.arange(4)  # samples that no partition has together with others
    parts[:, alone] = np.arange(8)[:, None] * 7 % 4
    w = np.full(8, 1 / 8)
    labels = linkage_labels(parts, w, 4, least)
    sizes = np.bincount(labels)
    assert len(sizes) == 4
    assert sizes.min() >= least
    np.testing.assert_array_equal(
        linkage_labels(parts, w, 4, 200), linkage_labels(parts, w, 4)
    )


def test_samples_settle_where_their_neighbours_are():
    labels = np.repeat([0, 1], [30, 10])
    W = np.kron(np.eye(2), np.ones((20, 20))) - np.eye(40)
    settled = fusion.settled(labels, [sp.csr_matrix(W)])
    np.testing.assert_array_equal(settled, labels)  # half of the neighbours: they stay
    labels = np.repeat([0, 1], [22, 18])
    settled = fusion.settled(labels, [sp.csr_matrix(W)] * 2)
    np.testing.assert_array_equal(settled, np.repeat([0, 1], 20))
    few = np.repeat([0, 1], [38, 2])
    np.testing.assert_array_equal(fusion.settled(few, [sp.csr_matrix(W)]), few)


def test_linkage_does_not_prefer_equal_sizes():
    y = np.repeat([0, 1], [300, 6])
    rng = np.random.default_rng(0)
    right = [y] * 5
    halves = [np.where(rng.random(306) < 0.5, 0, 1) for _ in range(4)]
    parts = np.stack([*right, *halves])
    found = fuse(parts, np.zeros(9, dtype=int), 2)
    assert ari(y, found.labels) == 1


@pytest.mark.parametrize(("n", "r", "c"), [(60, 3, 3), (100, 4, 5), (300, 8, 2)])
def test_dependence_has_mean_zero_and_deviation_one_under_shuffling(n, r, c):
    rng = np.random.default_rng(0)
    a = rng.choice(r, n, p=rng.dirichlet(np.full(r, 2.0)))
    b = rng.choice(c, n, p=rng.dirichlet(np.full(c, 2.0)))
    z = [dependence(a, rng.permutation(b)) for _ in range(3000)]
    assert abs(np.mean(z)) < 0.08
    assert abs(np.std(z) - 1) < 0.08
    assert dependence(a, a) > 10
    assert dependence(a, np.zeros_like(a)) == 0


def test_links_between_views():
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, 4, (2, 200))
    own = [noisy(t, 4, 0.4, rng) for t in (y, y, z, rng.integers(0, 4, 200))]
    linked, scores = linked_views(own)
    np.testing.assert_array_equal(linked, [True, True, False, False])
    np.testing.assert_array_equal(scores, scores.T)
    assert linked_views(own[:1])[0].all()
    assert linked_views([own[0], own[2]])[0].all()
    assert linked_views([*own[2:], own[2][::-1]])[0].all()


def test_every_pair_of_up_to_a_hundred_views_is_compared():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 100)
    own = [noisy(y, 3, 0.2, rng) for _ in range(8)]
    linked, scores = linked_views(own, max_partners=3)
    assert linked.all()
    assert (np.count_nonzero(scores, axis=1) == 6).all()  # three after, three before
    assert (np.count_nonzero(linked_views(own)[1], axis=1) == 7).all()
