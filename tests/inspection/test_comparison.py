"""Two labelings: matched by sample, counted, put into words and pictures."""

import json
import re

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score

from data import planted
from mvgraph import GraphConsensus, compare_labels, metrics
from mvgraph.display import ComparisonDisplay
from mvgraph.inspection.comparison import matched


@pytest.fixture
def two():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, 300)
    b = np.where(rng.random(300) < 0.7, (a + 2) % 6, rng.integers(0, 9, 300))
    return a, b


def test_numbers_are_those_of_metrics(two):
    a, b = two
    found = compare_labels(a, b)
    assert found.ari == metrics.ari(a, b)
    assert np.isclose(found.ami, adjusted_mutual_info_score(a, b))
    assert found.agreement == metrics.accuracy(a, b)
    assert (found.counts == metrics.contingency(a, b).toarray()).all()


def test_renamed_and_shuffled_labels_are_the_same(two):
    pandas = pytest.importorskip("pandas")
    a, b = two
    ids = [f"s{i}" for i in range(300)]
    words = np.array(list("fedcba"))[a]
    order = np.random.default_rng(1).permutation(300)
    first = pandas.Series(a, ids)
    found = compare_labels(first, pandas.Series(words, ids).iloc[order])
    assert found.ari == found.ami == found.agreement == 1
    assert found.changes == [f"{i} of A is {'fedcba'[i]} of B." for i in range(6)]
    assert not found.notes
    # the other way round the table is turned, and the numbers are equal
    there, back = (compare_labels(*pair) for pair in ((a, b), (b, a)))
    assert (there.counts == back.counts.T).all()
    assert np.isclose(there.ari, back.ari)


def test_splits_and_merges_are_said():
    a = np.repeat([0, 1, 2, 3, 4], [10, 20, 5, 6, 12])
    b = np.repeat([0, 1, 7, 2, 3, 4, 5], [10, 12, 8, 11, 4, 4, 4])
    assert compare_labels(a, b, names=("old", "new")).changes == [
        "0 of old is 0 of new.",
        "1 of old splits into 1 (60 %), 7 (40 %) of new.",
        "4 of old splits into 3 (33 %), 4 (33 %), 5 (33 %) of new.",
        "2, 3 of old merge into 2 of new.",
    ]


def test_every_cluster_is_in_a_sentence():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 5, 60), rng.integers(0, 4, 60)
        b = np.where(rng.random(60) < rng.random(), a % 4, b)
        found = compare_labels(a, b, names=("a", "b"))
        subject = re.compile(r"([\d, ]+) of a (is|splits|merge|lies) ")
        heads = [m[1] for line in found.changes if (m := subject.match(line))]
        said = {int(group) for head in heads for group in head.split(", ")}
        assert said == set(found.groups[0]), found.changes


def test_samples_of_one_alone_are_counted_and_named():
    found = compare_labels({"a": 0, "b": 1, "c": 1}, {"b": 1, "c": 1, "d": 0, "e": -1})
    assert found.counts.tolist() == [[2]]
    assert found.notes == [
        "inner join: 2 of 5 samples kept; dropped 1 of labeling 'A' ('a'); "
        "dropped 2 of labeling 'B' ('d', 'e')"
    ]
    noise = compare_labels({"a": 0, "b": 1, "c": -1}, {"a": "x", "b": "y", "c": "y"})
    assert noise.notes == ["1 sample in no cluster of A; left out"]
    assert noise.counts.sum() == 2


@pytest.mark.parametrize(
    ("a", "b", "match"),
    [
        ({"a": 0}, {"b": 0}, "'A' has no id in common .* 'a'; theirs: 'b'"),
        ({"a": 0, "b": 1}, {"A": 0, "b": 1}, "upper and lower case"),
        ({"3": 0, "x": 1}, {"3.0": 0, "x": 1}, "the way a number is written"),
        ([0, 1], [0, 1, 1], "A has 2 labels and B has 3, and A does not name"),
        ([0, 1], {"a": 0}, "A has 2 labels and B has 1, and A does not name"),
        ([-1, -1], [0, 1], "all are negative"),
        ([[0], [1]], [0, 1], "one label per sample"),
        ([0, -1], [-1, 0], "No sample is in a cluster of both"),
        (GraphConsensus(), [0, 1], "GraphConsensus is not fitted"),
    ],
)
def test_what_cannot_be_matched_is_refused(a, b, match):
    with pytest.raises(ValueError, match=match):
        compare_labels(a, b)


def test_names_that_differ_in_case_are_matched_on_request():
    a, b = {"a ": 0, "b": 1}, {"A": 5, "B": 3}
    assert compare_labels(a, b, normalise_ids=True).ari == 1


@pytest.mark.slow
def test_models_are_compared_by_the_names_of_their_samples():
    pandas = pytest.importorskip("pandas")
    views, _ = planted(60)
    frames = [pandas.DataFrame(x, [f"s{i}" for i in range(60)]) for x in views]
    for frame in frames:
        frame.columns = [f"c{i}" for i in range(frame.shape[1])]
    one = GraphConsensus(3, random_state=0).fit(frames)
    other = GraphConsensus(2, random_state=0).fit([f.iloc[10:] for f in frames])
    found = compare_labels(one, other)
    assert found.counts.sum() == 50
    assert "dropped 10 of labeling 'A' ('s0', 's1', 's2', ...)" in found.notes[0]
    assert any("merge" in change for change in found.changes)


def test_matching_has_the_most_samples(two):
    a, b = two
    counts = compare_labels(a, b).counts
    partner = matched(counts)
    chosen = partner[partner >= 0]
    assert len(set(chosen)) == len(chosen)
    total = counts[np.flatnonzero(partner >= 0), chosen].sum()
    assert total == round(metrics.accuracy(a, b) * len(a))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "m"), [(1, 1), (1, 4), (3, 9), (60, 50)])
def test_pictures_show_every_sample(k, m):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, k, 500), rng.integers(0, m, 500)
    display = compare_labels(a, b, names=("x" * 99, "$b$_")).display()
    again = ComparisonDisplay.from_data(json.loads(json.dumps(display.data())))
    assert again == display
    from matplotlib.figure import Figure

    display.plot(Figure(layout="constrained").subplots(1, 2))
    table, names, colours = display._drawn()
    assert table.sum() == 500
    assert table.shape == (len(names[0]), len(names[1])) <= (40, 40)
    # a matched pair has one colour
    for row, column in enumerate(display.partner):
        if column >= 0 and max(k, m) <= 40:
            name = [names[0].index(str(row)), names[1].index(str(column))]
            assert colours[0][name[0]] == colours[1][name[1]]
    right = display.axes_[1]
    bands = [p for p in right.patches if hasattr(p, "mvgraph_words")]
    assert len(bands) == (table > 0).sum() + sum(map(len, names))
    display.figure_.draw_without_rendering()
