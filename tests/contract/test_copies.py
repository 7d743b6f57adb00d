"""Data with few distinct rows, and numbers that no float can hold."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import AnchorFilter, GraphConsensus

OWN = [GraphConsensus, AnchorFilter]
POINTS = np.array([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]])


@pytest.mark.parametrize("copies", [60, pytest.param(40_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", OWN)
def test_as_many_clusters_as_distinct_rows(method, copies):
    truth = np.repeat([0, 1, 2], copies)
    labels = method(3, random_state=0).fit([POINTS[truth], POINTS[truth] + 1]).labels_
    np.testing.assert_array_equal(labels, truth)


@pytest.mark.parametrize("method", OWN)
def test_equal_rows_are_one_cluster(method):
    with pytest.warns(UserWarning, match="No division stands out"):
        model = method("auto", random_state=0).fit([np.ones((300, 3))])
    assert model.n_clusters_ == 1
    with pytest.warns(UserWarning, match="There is 1 distinct sample"):
        method(4, random_state=0).fit([np.ones((300, 3))])


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("kind", [np.array, pd.DataFrame])
def test_whole_numbers_beyond_floats_are_a_sentence(digits, kind):
    cells = np.array([[1, 2], [3, 4]] * 20, dtype=object)
    cells[3, 1] = -(10**digits)
    with pytest.raises(ValueError, match=r"whole number .*beyond what float64"):
        GraphConsensus(2).fit([kind(cells)])
