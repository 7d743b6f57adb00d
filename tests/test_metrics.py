import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics as sk

import naive
from mvgraph import metrics

PAPER = ["acc", "nmi", "purity", "precision", "recall", "f_score", "ari"]
KEYS = [*PAPER, "ami", "balanced_accuracy"]

# Up to 5 classes and clusters: naive.accuracy tries every matching.
labellings = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30
).map(lambda pairs: tuple(list(side) for side in zip(*pairs, strict=True)))


def test_hand_made():
    # class 0: 3 in cluster a, 1 in b; class 1: 2 in b
    y, c = [0, 0, 0, 0, 1, 1], list("aaabbb")
    # pairs: a has 3 (all tp), b has 3 (1 tp), classes have 6 + 1
    assert metrics.pair_counts(y, c) == (4, 2, 3, 6)
    got = metrics.scores(y, c)
    assert list(got) == KEYS
    assert all(type(value) is float for value in got.values())
    assert got["acc"] == got["purity"] == 5 / 6
    assert got["precision"] == 4 / 6
    assert got["recall"] == 4 / 7
    assert got["f_score"] == 8 / 13
    assert got["ari"] == 2 * (4 * 6 - 3 * 2) / (7 * 9 + 6 * 8)


def test_rectangular_tables():
    # 3 clusters, 2 classes: the surplus cluster counts as error, purity forgives it
    assert metrics.accuracy([0, 0, 1, 1], [0, 1, 2, 2]) == 3 / 4
    assert metrics.purity([0, 0, 1, 1], [0, 1, 2, 2]) == 1.0
    assert metrics.accuracy([0, 1, 2, 2], [0, 0, 1, 1]) == 3 / 4
    assert metrics.purity([0, 1, 2, 2], [0, 0, 1, 1]) == 3 / 4


@pytest.mark.parametrize(
    ("y", "c", "expected"),
    [
        ([0], [5], [1] * 9),
        ([0, 0, 0], [1, 1, 1], [1] * 9),
        ([0, 1, 2], [2, 1, 0], [1] * 9),  # all singletons
        ([0, 0, 1, 1], [3, 3, 3, 3], [1 / 2, 0, 1 / 2, 1 / 3, 1, 1 / 2, 0, 0, 1 / 2]),
        ([3, 3, 3, 3], [0, 0, 1, 1], [1 / 2, 0, 1, 1, 1 / 3, 1 / 2, 0, 0, 1 / 2]),
        ([0, 0], [0, 1], [1 / 2, 0, 1, 1, 0, 0, 0, 0, 1 / 2]),
    ],
)
def test_degenerate_cases_are_defined(y, c, expected):
    assert list(metrics.scores(y, c).values()) == expected


@given(labellings)
def test_agrees_with_loops(pair):
    y, c = pair
    assert metrics.pair_counts(y, c) == naive.pair_counts(y, c)
    assert metrics.accuracy(y, c) == naive.accuracy(y, c)
    assert metrics.purity(y, c) == naive.purity(y, c)
    balanced = metrics.balanced_accuracy(y, c)
    assert balanced == pytest.approx(naive.accuracy(y, c, balanced=True), abs=1e-12)
    shared, h_true, h_pred = naive.mutual_information(y, c)
    if h_true and h_pred:
        assert metrics.nmi(y, c) == pytest.approx(shared / max(h_true, h_pred))


@given(labellings)
def test_agrees_with_scikit_learn(pair):
    y, c = pair
    assert metrics.ari(y, c) == pytest.approx(sk.adjusted_rand_score(y, c), abs=1e-12)
    # scikit-learn divides nearly 0 by nearly 0 where both are single samples
    if len(set(y)) < len(y) or len(set(c)) < len(c):
        expected = sk.adjusted_mutual_info_score(y, c)
        assert metrics.ami(y, c) == pytest.approx(expected, abs=1e-9)
    (tn, fp), (fn, tp) = sk.pair_confusion_matrix(y, c) // 2
    assert metrics.pair_counts(y, c) == (tp, fp, fn, tn)
    if len(set(y)) > 1 and len(set(c)) > 1:
        for mean in ("max", "min", "arithmetic", "geometric"):
            expected = sk.normalized_mutual_info_score(y, c, average_method=mean)
            # scikit-learn clips tiny values; both lose digits when I is nearly 0
            assert metrics.nmi(y, c, mean) == pytest.approx(expected, abs=1e-10)


@given(labellings, st.permutations(range(5)), st.permutations("abcde"))
def test_relabelling_changes_nothing(pair, classes, clusters):
    y, c = pair
    renamed = metrics.scores([classes[i] for i in y], [clusters[i] for i in c])
    # sums run over the table in another order: rounding only
    assert renamed == pytest.approx(metrics.scores(y, c), abs=1e-12)


@given(labellings, st.randoms(use_true_random=False))
def test_order_of_samples_is_irrelevant(pair, random):
    rows = list(zip(*pair, strict=True))
    random.shuffle(rows)
    y, c = zip(*rows, strict=True)
    assert metrics.scores(y, c) == metrics.scores(*pair)


@given(labellings)
def test_bounds(pair):
    got = metrics.scores(*pair)
    assert all(0 <= got[key] <= 1 for key in KEYS if key not in ("ari", "ami"))
    assert all(-1 <= got[key] <= 1 for key in ("ari", "ami"))
    assert got["acc"] <= got["purity"]


def test_identical_labels_score_one():
    y = np.random.default_rng(0).integers(7, size=100)
    # 1e-12: the entropies are sums of logarithms
    assert list(metrics.scores(y, y + 3).values()) == pytest.approx([1] * 9, abs=1e-12)


def test_counts_do_not_overflow():
    half = 100_000  # its square is above 2^32
    y = np.repeat([0, 1], half)
    assert metrics.pair_counts(y, y) == (half * (half - 1), 0, 0, half * half)
    assert metrics.ari(y.astype(np.uint8), y) == 1.0


def test_strings_objects_and_mixed_kinds():
    y = np.array(["cat", "dog", "cat"], dtype=object)
    assert metrics.accuracy(y, [1, 0, 1]) == 1.0
    assert metrics.accuracy(["cat", "dog", "cat"], [True, False, True]) == 1.0


def test_whole_numbers_are_one_class_whatever_their_type():
    mixed = np.array([1, 1.0, np.int8(1), 2, 2.0], dtype=object)
    for labels in (mixed, [1, 1.0, True, 2, 2.0]):
        table = metrics.contingency(labels, [7, 7, 7, 8, 8]).toarray()
        assert table.tolist() == [[3, 0], [0, 2]]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1))
def test_accuracy_is_that_of_the_dense_assignment(pairs):
    y, c = zip(*pairs, strict=True)
    dense = np.zeros((41, 41), int)
    np.add.at(dense, (y, c), 1)
    best = dense[linear_sum_assignment(dense, maximize=True)].sum()
    assert metrics.accuracy(y, c) == best / len(pairs)


def test_many_clusters_need_memory_by_samples_not_by_table():
    n = 20_000
    singletons, random = np.arange(n), np.random.default_rng(0).integers(n, size=n)
    tracemalloc.start()
    got = metrics.scores(singletons, random)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert got["acc"] == len(np.unique(random)) / n
    assert peak < 500 * n  # a dense table of eight bytes takes 160,000 * n


def test_there_is_one_list_of_scores():
    y, c = [0, 0, 1, 2], [0, 1, 2, 0]
    assert list(metrics.SCORES) == list(metrics.scores(y, c)) == KEYS
    for name, score in metrics.SCORES.items():
        value = score.of(metrics.contingency(y, c))
        assert score.least <= value <= 1
        assert value == metrics.scores(y, c)[name]


@pytest.mark.parametrize(
    ("y", "c", "message"),
    [
        (
            [1, "1"],
            [0, 1],
            "labels_true has both text and numbers, '1' at position 1 and 1 at pos",
        ),
        ([0, 1], np.array(["a", 2], object), "labels_pred has both text and numbers"),
        (["a", np.nan], [0, 1], "labels_true contains a missing value"),
        ([0, 1], [0, 1, 1], "labels_true has 2 entries but labels_pred has 3"),
        ([[0], [1]], [0, 1], r"labels_true has shape \(2, 1\)"),
        ([0, 1], 3, r"labels_pred has shape \(\)"),
        ([0.0, np.nan], [0, 1], "labels_true contains a missing value .* position 1"),
        ([0, 1], ["a", None], "labels_pred contains a missing value .* position 1"),
        ([], [], "are empty"),
    ],
)
def test_bad_input(y, c, message):
    with pytest.raises(ValueError, match=message):
        metrics.scores(y, c)


def test_unknown_normalization():
    with pytest.raises(ValueError, match="normalization='sqrt' is unknown; use one of"):
        metrics.nmi([0, 1], [0, 1], "sqrt")
