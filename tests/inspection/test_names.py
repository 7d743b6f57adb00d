"""Laws of names: the right words first, no two alike, the same for any order."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import explain, read_columns
from mvgraph.inspection.names import cluster_names

TOPICS = {
    "sport": ["goal", "match", "team", "referee"],
    "politics": ["vote", "minister", "party", "tax"],
    "music": ["song", "album", "band", "chart"],
}
COMMON = ["the", "of", "and", "to", "in", "said"]


def texts(seed=0, n=150):
    """Word counts: every text has mostly common words, and some of its topic."""
    rng = np.random.default_rng(seed)
    words = [*COMMON, *(word for topic in TOPICS.values() for word in topic)]
    rates = np.zeros((3, len(words)))
    rates[:, : len(COMMON)] = 8
    for k, topic in enumerate(TOPICS.values()):
        rates[k, [words.index(w) for w in topic]] = [1.6, 1.4, 1.2, 1.0]
    y = rng.integers(3, size=n)
    return pd.DataFrame(rng.poisson(rates[y]), columns=words), y


def markers(seed=0, k=4, n=400, d=12):
    """Feature 2 c is high in cluster c, feature 2 c + 1 is low."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    x = rng.normal(size=(n, d))
    for c in range(k):
        x[y == c, 2 * c] += 4
        x[y == c, 2 * c + 1] -= 3
    return pd.DataFrame(x, columns=[f"CD{j}" for j in range(d)]), y


@pytest.mark.parametrize("seed", range(3))
def test_texts_are_named_by_the_words_of_their_topic(seed):
    X, y = texts(seed)
    found = explain({"text": X}, y, counts=["text"]).names_
    for name, topic in zip(found, TOPICS.values(), strict=True):
        assert len(name.split(", ")) == 3
        assert set(name.split(", ")) < set(topic)


@pytest.mark.parametrize("seed", range(3))
def test_made_markers_come_first_and_high_before_low(seed):
    X, y = markers(seed)
    why = explain({"prot": X}, y)
    assert why.names_ == tuple(f"high CD{2 * c}, low CD{2 * c + 1}" for c in range(4))


@pytest.mark.parametrize("n_features", [0, 1, 5, None])
def test_names_depend_neither_on_what_is_listed_nor_on_the_order(n_features):
    X, y = markers()
    whole = explain({"prot": X}, y).names_
    rows = np.random.default_rng(0).permutation(len(y))
    some = explain(
        {"prot": X.iloc[rows]}, y[rows], n_features=n_features, n_keywords=0, test=None
    )
    assert some.names_ == whole


def test_a_view_stands_before_a_name_that_two_views_have_and_before_numbers():
    X, y = markers()
    other = np.random.default_rng(1).normal(size=(len(y), 3))
    other = pd.DataFrame(other, columns=["CD0", "a", "b"])
    first = explain({"prot": X, "rna": other}, y).names_[0]
    assert first == "high prot CD0, low CD1"
    numbers = explain({"prot": X.to_numpy(), "rna": other}, y).names_[0]
    assert numbers == "high prot feature 0, low prot feature 1"
    assert explain([X.to_numpy()], y).names_[0] == "high feature 0, low feature 1"


def test_a_category_is_there_or_not():
    rows = [{"cluster": 0, "view": "t", "feature": 1, "name": "city=Paris"}]
    assert cluster_names([0], [rows[0] | {"difference": 2.0}], []) == ["city=Paris"]
    found = cluster_names([0], [rows[0] | {"difference": -2.0}], [])
    assert found == ["not city=Paris"]


def test_a_date_is_late_or_early_and_a_phase_is_named_by_its_days_and_months():
    days = pd.date_range("2020-12-28", periods=4 * 365)
    views = read_columns(pd.DataFrame({"signup": days}))
    x, features = views.arrays[0], views.feature_names[0]
    for values, feature in zip(x.T, features, strict=True):
        row = {"cluster": 0, "view": "t", "feature": 0, "name": feature}
        for difference, at in ((1.0, values.argmax()), (-1.0, values.argmin())):
            (said,) = cluster_names([0], [row | {"difference": difference}], [])
            day = days[at]
            late = "late signup" if difference > 0 else "early signup"
            assert "sine" not in said
            assert said == late or day.day_name() in said or day.month_name() in said


@pytest.mark.parametrize("k", [2, 30])
@pytest.mark.parametrize("labels", ["numbers", "words"])
def test_no_two_names_are_alike_on_noise(k, labels):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.arange(300) % k
    y = np.array([f"g{c}" for c in y]) if labels == "words" else y
    found = explain([x], y).names_
    assert len(set(found)) == k
    if k == 2:  # small clusters differ by chance
        assert found == tuple(f"cluster {c}" for c in np.unique(y))


def test_more_features_tell_clusters_apart_before_numbers_do():
    def rows(cluster, *names):
        return [
            {"cluster": cluster, "view": "v", "feature": f"#{j}", "name": name,
             "difference": 2.0 - j / 10}
            for j, name in enumerate(names)
        ]  # fmt: skip

    table = (
        rows(0, "a", "b", "c") + rows(1, "a", "b", "d") + rows(2, "a") + rows(3, "a")
    )
    assert cluster_names([0, 1, 2, 3], table, []) == [
        "high a, high b, high c", "high a, high b, high d", "high a (2)", "high a (3)",
    ]  # fmt: skip


@pytest.mark.parametrize("k", [2, 100])
def test_text_of_an_explanation_has_at_most_twenty_lines(k):
    rng = np.random.default_rng(0)
    views = {"a": rng.normal(size=(300, 40)), "b": rng.normal(size=(300, 40))}
    lines = repr(explain(views, np.arange(300) % k)).splitlines()
    assert len(lines) <= 20
    assert "a, b" in lines[0]
    assert max(map(len, lines)) < 200


def test_a_single_cluster_has_a_name():
    X, _ = texts()
    one = np.zeros(len(X), dtype=int)
    assert len(explain({"text": X}, one, counts=["text"]).names_[0].split(", ")) == 3
    assert explain([markers()[0].to_numpy()], np.zeros(400)).names_ == ("cluster 0",)


def test_columns_of_text_are_named_by_words():
    from mvgraph.baselines.kmeans_concat import KMeansConcat
    from mvgraph.inspection.names import name_clusters

    counts, y = texts()
    body = [" ".join(np.repeat(counts.columns, row)) for row in counts.to_numpy()]
    frame = pd.DataFrame({"body": body, "price": 9.0 * y})
    views = read_columns(frame, kinds={"body": "text"})
    model = KMeansConcat(3, random_state=0).fit(views)
    name_clusters(model, views)
    found = {frozenset(name.split(", ")) for name in model.cluster_names_}
    topics = [set(topic) for topic in TOPICS.values()]
    assert all(any(name < topic for topic in topics) for name in found)
    assert len(found) == 3


def test_features_follow_where_words_are_few():
    word = {"cluster": 0, "view": "t", "feature": 0, "name": "team", "weight": 1.0}
    table = [
        {"cluster": 0, "view": "t", "feature": 0, "name": "team", "difference": 3.0},
        {"cluster": 0, "view": "x", "feature": 1, "name": "age", "difference": -2.0},
    ]
    assert cluster_names([0], table, [word]) == ["team, low age"]
