"""Columns beside the views are matched by name, refused, or said to be by position."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mvgraph import as_views
from mvgraph.inspection.groups import groups_of_labels
from mvgraph.page.columns import columns_given
from mvgraph.pl._columns import _checked

N = 12
RNG = np.random.default_rng(0)
ORDER = RNG.permutation(N)
VALUES = 10 * np.arange(N)
#: Names of samples, and ways to write them in an index.
NAMES = {
    "words": [f"s{i}" for i in range(N)],
    "numbers": list(range(100, 100 + N)),
    "numbers as text": [str(100 + i) for i in range(N)],
    "moved rows": ORDER.tolist(),
    "fractions": [i + 0.25 for i in range(N)],
    "days": pd.date_range("2024-03-01", periods=N),
}
WRITTEN = {
    "alike": lambda names: pd.Index(names),
    "text": lambda names: pd.Index([str(x).removesuffix(" 00:00:00") for x in names]),
    "categories": lambda names: pd.CategoricalIndex(names),
    "floats": lambda names: pd.Index(names, dtype=float),
}


def views_of(names):
    frame = pd.DataFrame(RNG.normal(size=(N, 3)), index=names, columns=list("abc"))
    return as_views([frame])


def of_frame(views, values):
    return columns_given(values.to_frame("g"), views)["g"]


def of_mapping(views, values):
    return columns_given({"g": values}, views)["g"]


def of_labels(views, values):
    found = groups_of_labels(views, values.astype(str))
    return [int(found.names[code]) for code in found.codes]


def of_colour(views, values):
    return _checked(values, len(views), views.ids)


WAYS = [of_frame, of_mapping, of_labels, of_colour]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "written"),
    [
        (name, written)
        for name in NAMES
        for written in WRITTEN
        if written != "floats" or name in ("numbers", "moved rows", "fractions")
    ],
)
def test_an_index_in_any_order_is_matched_by_name(name, written, way):
    views, names = views_of(NAMES[name]), NAMES[name]
    index = WRITTEN[written](list(names))
    for rows in (np.arange(N), ORDER, ORDER[::-1]):
        found = way(views, pd.Series(VALUES, index=index).iloc[rows])
        np.testing.assert_array_equal(np.asarray(found), VALUES)
    more = pd.concat([pd.Series([5], index=index[:1].map(lambda x: "zz")),
                      pd.Series(VALUES, index=index)])  # fmt: skip
    np.testing.assert_array_equal(np.asarray(way(views, more)), VALUES)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("index", "words"),
    [
        ([f"S{i}" for i in range(N)], "differ in upper and lower case"),
        ([f"s{i} " for i in range(N)], "differ in blanks"),
        ([f"q{i}" for i in range(N)], "no id in common"),
        (ORDER, "no id in common"),
        (["s0", "s0", *NAMES["words"][2:]], "duplicated"),
        (["zz", *NAMES["words"][1:]], "1 sample of 12"),
    ],
)
def test_an_index_that_names_others_is_refused_and_not_taken_by_position(
    index, words, way
):
    values = pd.Series(VALUES, index=index)
    with pytest.raises(ValueError, match=words) as error:
        way(views_of(NAMES["words"]), values)
    assert "reset_index(drop=True)" in str(error.value)


@pytest.mark.parametrize("way", WAYS)
def test_rows_that_are_only_counted_are_in_order(way):
    values = pd.Series(VALUES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for start in (0, 1):
            counted = values.set_axis(np.arange(start, N + start))
            for name in ("words", "numbers", "days"):
                found = way(views_of(NAMES[name]), counted)
                np.testing.assert_array_equal(found, VALUES)
        named = values.set_axis(NAMES["words"])
        arrays = as_views([RNG.normal(size=(N, 3))])
        np.testing.assert_array_equal(way(arrays, named), VALUES)
    with pytest.warns(UserWarning, match="matched by position"):
        np.testing.assert_array_equal(way(views_of(range(N)), named), VALUES)
