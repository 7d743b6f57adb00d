"""Clusters that are combinations of the values of columns, and such as are not."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import read_columns
from mvgraph.inspection.values import columns_behind

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
