"""Clusters that are combinations of the values of columns, and such as are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mvgraph import AnchorFilter, GraphConsensus, read_columns
from mvgraph.levels.values import MOST_NAMES, columns_behind, columns_in_words

N = 400
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "city": RNG.choice(["Rome", "Oslo", "Bonn"], N),
        "flag": RNG.random(N) > 0.5,
        "stage": RNG.integers(4, size=N),
        "rare": RNG.random(N) < 0.02,
        "price": RNG.normal(size=N).round(3),
    }
)


def labels_of(columns):
    return (
        FRAME.groupby(columns).ngroup().to_numpy()
        if columns
        else RNG.integers(6, size=N)
    )


@pytest.mark.parametrize("spoiled", [0.0, 0.02, 0.5])
@pytest.mark.parametrize(
    "columns", [["city"], ["flag"], ["city", "flag"], ["city", "flag", "stage"], []]
)
def test_the_columns_are_named_that_the_clusters_are_combinations_of(columns, spoiled):
    views = read_columns(FRAME, column="city")
    labels = labels_of(columns)
    wrong = RNG.random(N) < spoiled
    labels[wrong] = RNG.permutation(labels[wrong])
    found = columns_behind(3 * labels + 1, views)  # numbers of clusters may be any
    assert found == ([] if spoiled > 0.1 else columns)


def test_clusters_within_a_value_and_columns_without_names_are_not_that():
    views = read_columns(FRAME, column="city")
    halves = 2 * labels_of(["city"]) + (FRAME["price"] > 0)
    assert columns_behind(halves.to_numpy(), views) == []
    assert (
        columns_behind(labels_of(["flag"]), views.replace(views.arrays, [None])) == []
    )
    assert columns_behind(np.zeros(N, dtype=int), views) == []


@pytest.mark.parametrize("method", [GraphConsensus, AnchorFilter])
def test_a_fit_that_finds_the_number_warns_of_it(method):
    views = read_columns(FRAME[["city", "flag", "price"]], column="city")
    with pytest.warns(UserWarning, match="combinations of the columns 'city', 'flag'"):
        method(random_state=0).fit(views)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        method(6, random_state=0).fit(views)


def test_few_of_many_columns_are_named():
    names = [f"c{i}" for i in range(MOST_NAMES + 3)]
    assert columns_in_words(names[:MOST_NAMES]).count("'c") == MOST_NAMES
    assert f"'c{MOST_NAMES - 1}' and 3 others" in columns_in_words(names)
