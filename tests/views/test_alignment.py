"""Rows are matched by their names, never by their position."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mvgraph import GraphConsensus, as_views
from mvgraph.views.alignment import align

IDS = ["ann", "bob", "cem", "dan", "eve"]


def frame(ids=IDS, column=0.0):
    """One feature that tells the sample, and a constant that tells the view."""
    values = {"which": [float(IDS.index(i)) for i in ids], "view": column}
    return pd.DataFrame(values, index=ids)


def which(views, v):
    x = views.arrays[v]
    return (x.toarray() if sp.issparse(x) else x)[:, 0].tolist()


@given(st.permutations(IDS), st.permutations(IDS))
def test_rows_follow_the_first_view(first, second):
    views = as_views({"a": frame(first), "b": frame(second)})
    assert which(views, 0) == which(views, 1)
    assert views.ids.tolist() == list(first)


def test_kinds_of_views_that_name_their_rows():
    turned = frame(IDS[::-1])
    series = turned["which"]
    mapping = {i: [float(IDS.index(i)), 9.0] for i in reversed(IDS)}
    for other in (turned, series, mapping):
        for X in ([frame(), other], {"a": frame(), "b": other}, (frame(), other)):
            views = as_views(X)
            assert which(views, 0) == which(views, 1) == [0, 1, 2, 3, 4]
    assert as_views([series, series]).n_features == (1, 1)


def test_index_kinds():
    days = pd.date_range("2026-01-01", periods=5)
    pairs = pd.MultiIndex.from_product([["x"], IDS])
    for index in (pd.RangeIndex(5), days, days.tz_localize("UTC"), pairs):
        a = pd.DataFrame({"which": np.arange(5.0)}, index=index)
        views = as_views([a, a.iloc[::-1]])
        assert which(views, 1) == [0, 1, 2, 3, 4]
        assert pd.Index(views.ids).equals(index)


def test_sorted_rows_are_not_copied():
    a = frame()
    values = a.to_numpy()
    moved = align([a, a], ["a", "b"]).values
    assert np.shares_memory(moved[0], values)


def test_strict_counts_what_differs():
    with pytest.raises(ValueError, match="2 of 5 ids are in every view") as caught:
        as_views({"rna": frame(IDS[:4]), "adt": frame(IDS[2:])})
    message = str(caught.value)
    assert "view 'rna' (4 samples) lacks 1 of them: 'eve'" in message
    assert "view 'adt' (3 samples) lacks 2 of them: 'ann', 'bob'" in message
    assert "join='inner'" in message
    assert "join='outer'" in message


def test_inner_and_outer():
    X = {"rna": frame(IDS[:4]), "adt": frame(IDS[:1:-1])}
    inner = as_views(X, join="inner")
    assert inner.ids.tolist() == ["cem", "dan"]
    assert which(inner, 0) == which(inner, 1) == [2, 3]
    assert inner.mask is None
    outer = as_views(X, join="outer")
    assert outer.ids.tolist() == IDS
    assert outer.mask.tolist() == [
        *[[True, False]] * 2, *[[True, True]] * 2, [False, True]
    ]  # fmt: skip
    np.testing.assert_array_equal(which(outer, 1), [np.nan, np.nan, 2, 3, 4])


def test_integer_and_longer_ids_survive_an_outer_join():
    a = pd.DataFrame({"x": [1, 2]}, index=np.array(["a", "b"], dtype=object))
    b = pd.DataFrame({"x": [3, 4]}, index=["b", "a much longer name"])
    views = as_views([a, b], join="outer")
    assert views.ids.tolist() == ["a", "b", "a much longer name"]
    np.testing.assert_array_equal(which(views, 0), [1, 2, np.nan])


@pytest.mark.parametrize("join", ["strict", "inner", "outer"])
def test_duplicates_are_named(join):
    double = frame(["ann", "bob", "bob", "cem", "cem"])
    for X in ([frame(), double], [double, double]):
        with pytest.raises(
            ValueError,
            match=r"2 duplicated identifiers, such as 'bob' \(2 rows: 1, 2\)",
        ):
            as_views(X, join=join)
    assert as_views(double).n_samples == 5  # nothing to match with one view


@pytest.mark.parametrize("join", ["strict", "inner", "outer"])
def test_nothing_in_common(join):
    other = frame().set_axis(range(7, 12)).rename_axis("nr")
    with pytest.raises(ValueError, match=r"no id in common.*'ann', 'bob'.*'7', '8'"):
        as_views({"a": frame(), "b": other}, join=join)


def test_missing_ids_and_unknown_join():
    with pytest.raises(ValueError, match=r"id is missing \(NaN\)"):
        as_views([frame(), frame().set_axis([*IDS[:4], np.nan])])
    with pytest.raises(ValueError, match="join must be one of"):
        as_views([frame(), frame()], join="left")
    with pytest.raises(ValueError, match="no sample is left"):
        as_views([frame(["ann", "bob"]), frame(["bob", "cem"]), frame(["ann", "cem"])],
                 join="inner")  # fmt: skip


def test_arrays_go_with_frames_only_if_no_row_moves():
    plain = np.arange(10.0).reshape(5, 2)
    with pytest.warns(UserWarning, match="'view_1' are paired .* by position"):
        views = as_views([frame(), plain, frame()])
    assert views.ids.tolist() == IDS
    for other in (plain, sp.csr_matrix(plain)):
        with pytest.raises(ValueError, match="'view_1' does not name its samples"):
            as_views([frame(), other, frame(IDS[::-1])])


def test_nullable_columns():
    a = pd.DataFrame({"x": [1, None, 3], "y": [4, None, 6]}, dtype="Float64")
    views = as_views([a, a["x"].fillna(0).astype("Int64")])
    assert views.mask.tolist() == [[True, True], [False, True], [True, True]]
    np.testing.assert_array_equal(views.arrays[1].ravel(), [1, 0, 3])
    with pytest.raises(ValueError, match="column 'x' is text"):
        as_views([a, pd.DataFrame({"x": ["1", None, "2"]})])


def test_sparse_rows_of_nan():
    from mvgraph.views.joining import take_rows

    x = sp.csr_matrix(np.eye(3, dtype=np.int64))
    taken = take_rows(x, np.array([2, -1, 0]))
    assert taken.format == "csr"
    expected = [[0, 0, 1], [np.nan] * 3, [1, 0, 0]]
    np.testing.assert_array_equal(taken.toarray(), expected)


@pytest.mark.parametrize("library", ["polars", "narwhals"])
def test_frames_without_an_index_are_arrays(library):
    module = pytest.importorskip(library)
    values = frame(["bob", "ann", "ann", "dan", "eve"]).reset_index(drop=True)
    if library == "polars":
        other = module.DataFrame({c: values[c].to_list() for c in values})
    else:
        other = module.from_native(values)
    for X in (other, [other, other], {"a": other, "b": values.to_numpy()}):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            views = as_views(X)
        alone = X is other
        assert alone or "paired by position" in str(said[0].message)
        assert which(views, 0) == [1, 0, 0, 3, 4]
        assert views.ids is None


def test_labels_keep_the_index():
    rng = np.random.default_rng(0)
    names = [f"patient {i}" for i in range(30)]
    X = np.repeat([[0.0, 0], [9, 9]], 15, axis=0) + rng.normal(size=(30, 2))
    a = pd.DataFrame(X, index=names)
    b = a.iloc[rng.permutation(30)]
    model = GraphConsensus(2, random_state=0).fit({"a": a, "b": b})
    labels = model.labels_frame()
    assert labels.name == "cluster"
    assert labels.index.tolist() == names
    np.testing.assert_array_equal(labels, model.labels_)
    assert model.fit([X, X]).labels_frame().index.equals(pd.RangeIndex(30))
    assert model.sample_ids_ is None


def test_labels_without_pandas(monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = GraphConsensus(2, random_state=0).fit(X)
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r"mvgraph\[files\]"):
        model.labels_frame()
