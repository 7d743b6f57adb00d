"""Colours of points by any column."""

import numpy as np
import pytest

from mvgraph.display._points import as_groups, colours_of


@pytest.mark.parametrize("k", [1, 3, 12, 13, 60])
@pytest.mark.parametrize("palette", [None, "tab20", "viridis"])
def test_groups_have_colours_of_their_own(k, palette):
    colours = colours_of(list(range(k)), palette)
    assert len(colours) == k
    if palette == "viridis" or k <= 12:
        assert len(set(colours)) == k


def test_a_number_keeps_its_colour_where_others_are_missing():
    whole = colours_of([str(i) for i in range(9)], None)
    assert colours_of(["2", "7 B cells"], None) == [whole[2], whole[7]]


def test_groups_of_any_column():
    pandas = pytest.importorskip("pandas")
    column = pandas.Categorical(["b", None, "a"], categories=["b", "a", "c"])
    for values in (column, pandas.Series(column)):
        codes, names = as_groups(values)
        assert codes.tolist() == [0, -1, 1]
        assert names == ["b", "a", "c"]
    codes, names = as_groups(np.array(["y", None, "x"], object))
    assert (codes.tolist(), names) == ([1, -1, 0], ["x", "y"])
    many = [str(i) for i in range(12)]
    assert as_groups(many[::-1])[1] == many
    assert as_groups([1.5, 2]) is None
    assert as_groups(np.array([True, False]))[1] == [False, True]
