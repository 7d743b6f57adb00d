"""Colours of points by any column."""

import numpy as np
import pytest

from mvgraph import compare_labels, metrics
from mvgraph.display._points import as_groups, colours_of
from mvgraph.inspection.groups import coded


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


def holes():
    """Yield the same words, of which the first is missing, in columns of every kind."""
    pandas = pytest.importorskip("pandas")
    words = ["x", "y", "x", "z"]
    for mark in (None, np.nan, pandas.NA):
        yield pandas.Series([mark, *words], dtype=object)
        yield pandas.Series([mark, *words], dtype="string")
        yield pandas.Series([mark, *words], dtype="category")
        yield pandas.Series([mark, *words], dtype="string").astype("category")


def test_a_missing_cell_is_missing_whatever_marks_it():
    for column in holes():
        codes, names = as_groups(column)
        assert ([*codes], [*names]) == ([-1, 0, 1, 0, 2], ["x", "y", "z"])
        codes, names = coded(np.asarray(column))
        assert ([*codes], names) == ([-1, 0, 1, 0, 2], ["x", "y", "z"])
        found = compare_labels(column, [0, 0, 1, 0, 2])
        assert (found.counts.sum(), found.ari) == (4, 1)
        with pytest.raises(ValueError, match=r"missing value .* at position 0"):
            metrics.ari(column, [0, 0, 1, 0, 2])


def test_a_missing_number_is_missing_whatever_marks_it():
    pandas = pytest.importorskip("pandas")
    for kind in ("Int64", "Float64", "float", "object"):
        column = pandas.Series([pandas.NA if kind != "float" else np.nan, 3, 4, 3])
        found = compare_labels(column.astype(kind), [0, 0, 1, 0])
        assert (found.counts.sum(), found.ari) == (3, 1)
