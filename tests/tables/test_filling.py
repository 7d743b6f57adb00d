"""Empty cells: refused by name, or filled with what the fit learned."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import datasets, read_columns
from mvgraph.tables.filling import MOST_NEIGHBORS, learn_fills
from mvgraph.tables.table_encoder import Column


def frame(n=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))


@pytest.mark.parametrize(
    ("impute", "value"),
    [("median", np.median), ("mean", np.mean), ("zero", lambda x: 0.0)],
)
def test_the_first_empty_cell_may_come_after_the_fit(impute, value):
    table = frame()
    views = read_columns(table, impute=impute)
    new = table[:5].copy()
    new.loc[2, "b"] = np.nan
    filled = views.encoders.read(new).arrays[0]
    assert filled[2, 1] == pytest.approx(value(table["b"]), abs=1e-15)
    kept = np.ones((5, 3), dtype=bool)
    kept[2, 1] = False
    np.testing.assert_array_equal(filled[kept], table[:5].to_numpy()[kept])


def test_neighbors_fill_from_the_nearest_rows_of_any_scale():
    rng = np.random.default_rng(1)
    a = np.repeat([0.0, 10.0], 30) + 0.1 * rng.normal(size=60)
    table = pd.DataFrame({"a": a, "b": 1e6 * a, "c": -a})
    views = read_columns(table, impute="neighbors")
    new = pd.DataFrame({"a": [0.0, 10.0], "b": [np.nan, np.nan], "c": [0.0, -10.0]})
    filled = views.encoders.read(new).arrays[0][:, 1]
    np.testing.assert_allclose(filled, [0, 1e7], atol=3e5)


def test_neighbors_do_not_depend_on_the_order_of_many_rows():
    n = MOST_NEIGHBORS + 100
    values = np.random.default_rng(0).normal(size=(n, 2))
    own = [Column("a", "numeric"), Column("b", "numeric")]
    _, kept = learn_fills(own, values, "neighbors")
    _, again = learn_fills(own, values[::-1], "neighbors")
    np.testing.assert_array_equal(np.sort(kept, axis=0), np.sort(again, axis=0))
    assert len(kept) == MOST_NEIGHBORS


def test_holes_are_refused_by_column_with_their_number():
    table = frame().assign(kind=["x", "y"] * 20)
    table.loc[[3, 7], "b"] = np.nan
    with pytest.raises(
        ValueError,
        match=r"'b' \(2 empty cells of 40, first in row 3\).*--impute median",
    ):
        read_columns(table)
    with pytest.raises(ValueError, match=r"column 1 \('b'\) \(2 such rows of 40\)"):
        read_columns(table[["a", "b", "c"]])


@pytest.mark.parametrize("impute", ["median", "neighbors", "zero", "drop-rows"])
def test_a_row_without_any_cell_lacks_the_view(tmp_path, impute):
    table = frame().assign(
        kind=["x", "y"] * 20, vector=[[1.0, float(i)] for i in range(40)]
    )
    table.loc[5, ["a", "b", "c", "kind"]] = None
    views = read_columns(table, impute=impute)
    assert views.names == ("table", "vector")
    assert np.argwhere(~views.mask).tolist() == [[5, 0]]


def test_a_table_that_lacks_everything_in_a_row_drops_it_with_the_incomplete_ones():
    table = frame()
    table.loc[5, :] = np.nan
    table.loc[9, "a"] = np.nan
    views = read_columns(table, impute="drop-rows")
    np.testing.assert_array_equal(views.arrays[0], table.dropna().to_numpy())


def test_an_empty_column_is_dropped_and_said_also_when_it_fills_later(tmp_path):
    table = frame().assign(empty=np.nan)
    table.to_csv(tmp_path / "t.csv", index=False)
    found = datasets.load(tmp_path / "t.csv", impute="median")
    assert found.reading.left_out == (("column 'empty'", "it is empty"),)
    table.assign(empty=1.0).to_csv(tmp_path / "t.csv", index=False)
    again = datasets.load(tmp_path / "t.csv", encoders=found.views.encoders)
    np.testing.assert_array_equal(again.views.arrays[0], found.views.arrays[0])


def test_a_missing_category_is_the_most_frequent_one_and_none_under_zero():
    cells = ["x"] * 30 + ["y"] * 9 + [None]
    table = frame().assign(kind=cells)
    filled = read_columns(table, impute="median").arrays[0]
    np.testing.assert_array_equal(filled[-1, 3:], filled[0, 3:])
    assert not read_columns(table, impute="zero").arrays[0][-1, 3:].any()
