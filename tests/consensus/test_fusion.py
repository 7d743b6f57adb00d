import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari
from sklearn.metrics import normalized_mutual_info_score as nmi

from mvgraph.consensus import fusion
from mvgraph.consensus.view_selection import linked_views


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
    w = fusion.agreement_weights(parts, np.zeros(12, dtype=int), 4)
    np.testing.assert_allclose(w.sum(), 1)
    assert w[:8].min() > 100 * w[8:].max()
    good, _ = pool(good=60, bad=0)
    family = np.repeat([0, 1], [40, 20])
    w = fusion.agreement_weights(good, family, 4)
    assert 0.7 < w[family == 0].sum() / w[family == 1].sum() < 1.4


@pytest.mark.parametrize("seed", range(5))
def test_the_consensus_beats_every_base_partition(seed):
    parts, y = pool(seed)
    result = fusion.fuse(parts, np.zeros(12, dtype=int), 4, np.random.default_rng(0))
    assert ari(y, result.labels) > max(ari(y, p) for p in parts)
    assert result.embedding.shape == (200, 4)


def test_relabelling_and_order_of_partitions_do_not_matter():
    parts, _ = pool()
    families = np.arange(12) % 2
    rng = np.random.default_rng(1)
    order = rng.permutation(12)
    moved = np.stack([rng.permutation(4)[p] for p in parts[order]])
    a = fusion.fuse(parts, families, 4, np.random.default_rng(0))
    b = fusion.fuse(moved, families[order], 4, np.random.default_rng(0))
    assert ari(a.labels, b.labels) == 1
    np.testing.assert_allclose(a.weights[order], b.weights)


def test_vote_is_a_fixed_point_of_the_majority():
    parts, y = pool(bad=0)
    labels = fusion.vote(parts, np.full(8, 1 / 8), 4, parts[0])
    assert ari(y, labels) > 0.95


def test_no_vote_that_leaves_a_cluster_empty(monkeypatch):
    parts, _ = pool()
    monkeypatch.setattr(fusion, "VOTE_MARGIN", -np.inf)
    families = np.zeros(12, dtype=int)
    rule = fusion.fuse(parts, families, 4, np.random.default_rng(0)).rule
    assert rule == "vote"
    monkeypatch.setattr(fusion, "vote", lambda parts, w, K, labels: labels % 3)
    rule = fusion.fuse(parts, families, 4, np.random.default_rng(0)).rule
    assert rule == "cut"


def test_shared_information_is_the_mean_nmi():
    parts, y = pool()
    w = np.random.default_rng(0).dirichlet(np.ones(12))
    expected = sum(a * nmi(y, p) for a, p in zip(w, parts, strict=True))
    np.testing.assert_allclose(fusion.shared_information(y, parts, w, 4), expected)


def test_links_between_views():
    rng = np.random.default_rng(0)
    y, z = rng.integers(0, 4, (2, 200))
    own = [
        np.stack([noisy(t, 4, 0.4, rng) for _ in range(3)])
        for t in (y, y, z, rng.integers(0, 4, 200))
    ]
    linked, scores = linked_views(own, 4, np.random.default_rng(0))
    np.testing.assert_array_equal(linked, [True, True, False, False])
    np.testing.assert_array_equal(scores, scores.T)
    assert linked_views(own[:1], 4, rng)[0].all()
    assert linked_views([own[0], own[2]], 4, rng)[0].all()
    assert linked_views([*own[2:], own[2][:, ::-1]], 4, rng)[0].all()
