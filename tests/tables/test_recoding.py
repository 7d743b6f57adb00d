"""Rows encoded by one fit get the features of another, as if it had read them."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import monitor, read_columns
from mvgraph.baselines.kmeans_concat import KMeansConcat

WORDS = [2 * letter for letter in "abcdefghijkl"]


def table(seed, n, colours, shift=0.0, start="2024-01-01"):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return pd.DataFrame(
        {
            "price": 50 * y + rng.normal(size=n) + shift,
            "size": rng.choice(["S", "M", "L"], size=n),
            "colour": np.array(colours)[rng.integers(len(colours), size=n)],
            "since": pd.Timestamp(start)
            + pd.to_timedelta(rng.integers(300, size=n), "D"),
            "note": [" ".join(rng.choice(WORDS[6 * k : 6 * k + 6], 4)) for k in y],
        }
    )


KINDS = {"size": ["S", "M", "L"], "colour": "categorical", "note": "text"}


@pytest.mark.parametrize("swap", [False, True])
def test_features_are_those_that_the_other_fit_would_have_made(swap):
    frames = (
        table(0, 300, ["a", "b", "c"]),
        table(1, 200, ["a", "b", "d"], 9, "2025-02-03"),
    )
    old, new = frames[::-1] if swap else frames
    first, second = read_columns(old, kinds=KINDS), read_columns(new, kinds=KINDS)
    wanted = dict(zip(first.names, first.feature_names, strict=True))
    found = second.encoders.recoded(second, first.encoders, wanted)
    with pytest.warns(UserWarning, match="category that the fit did not have"):
        right = first.encoders.read(new)
    assert found.feature_names == right.feature_names == first.feature_names
    for got, want in zip(found.arrays, right.arrays, strict=True):
        dense = [x.toarray() if hasattr(x, "toarray") else x for x in (got, want)]
        np.testing.assert_allclose(*dense, atol=1e-9)


@pytest.mark.filterwarnings("ignore:like. these samples are not")  # a is rarer
def test_clusters_of_tables_without_names_keep_their_numbers():
    frames = [
        table(seed, 120, ["a", "b", "c", "d"][seed : seed + 3]) for seed in (0, 1)
    ]
    views = [read_columns(frame, kinds=KINDS) for frame in frames]
    old = KMeansConcat(2, random_state=0).fit(views[0])
    for seed in range(4):
        new = KMeansConcat(2, random_state=seed).fit(views[1], like=old)
        dear = [f["price"] > 25 for f in frames]
        assert set(new.labels_[dear[1]]) == set(old.labels_[dear[0]])
        assert [c.kind for c in new.changes_] == ["kept", "kept"]


def test_encoding_by_another_fit_moves_nothing():
    """Values that are equal up to rounding are in the same bin."""
    frames = [table(seed, 400, ["a", "b", "c"]) for seed in (0, 1)]
    first, second = (read_columns(frame, kinds=KINDS) for frame in frames)
    old = KMeansConcat(2, random_state=0).fit(first)
    assert monitor(old, frames[1]).verdict == "ok"
    assert [c.kind for c in KMeansConcat(2).fit(second, like=old).changes_] == [
        "kept",
        "kept",
    ]  # and nothing is warned of
