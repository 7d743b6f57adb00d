from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from mvgraph import AnchorFilter, GraphConsensus, Views, datasets
from mvgraph.views.coerce import as_views


def two():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(6, 2)), rng.normal(size=(6, 3))]


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint16, bool])
def test_integers_are_cast_before_any_arithmetic(dtype):
    X = np.array([[250, 3], [1, 255]]).astype(dtype)
    view = Views([X]).arrays[0]
    assert view.dtype == np.float64
    np.testing.assert_array_equal(view, X.astype(float))


def test_float32_is_kept_and_sparse_becomes_csr():
    views = Views([np.ones((4, 2), np.float32), sp.csc_matrix(np.eye(4))])
    assert views.arrays[0].dtype == np.float32
    assert views.arrays[1].format == "csr"
    assert sp.issparse(views[1:3].arrays[1])


def test_what_holds_views():
    A, B = two()
    for X in ([A, B], (A, B), {"a": A, "b": B}, Views([A, B])):
        assert as_views(X).n_features == (2, 3)
    assert as_views({"a": A, "b": B}).names == ("a", "b")
    assert as_views(A).n_views == 1
    assert as_views(sp.csr_matrix(A)).n_views == 1
    assert as_views(A.tolist()).n_features == (2,)
    frame = pd.DataFrame(A, index=list("uvwxyz"))
    np.testing.assert_array_equal(as_views(frame).ids, list("uvwxyz"))


def test_rows_can_be_sliced_as_scikit_learn_does(tmp_path):
    A, B = two()
    path = tmp_path / "a.npy"
    np.save(path, A)
    views = Views([np.load(path, mmap_mode="r"), B], ids=np.arange(6))
    for rows in ([4, 1], np.array([4, 1]), np.arange(6) % 3 == 1, slice(1, 3)):
        part = _safe_indexing(views, rows)
        np.testing.assert_array_equal(part.arrays[1], B[rows])
        np.testing.assert_array_equal(part.ids, np.arange(6)[rows])
    assert views[2].n_samples == 1
    assert len(views) == 6
    assert views.shape == (6, 5)


def test_an_index_gives_samples_and_items_give_views():
    A, B = two()
    views = Views([A, B], names=["a", "b"], ids=np.arange(6))
    for i in range(-6, len(views)):
        np.testing.assert_array_equal(views[i].view("b"), B[[i]])
        np.testing.assert_array_equal(views[i].ids, [i % 6])
    assert [(name, x is views.view(name)) for name, x in views.items()] == [
        ("a", True),
        ("b", True),
    ]
    assert dict(views.items()).keys() == {"a", "b"}
    with pytest.raises(TypeError, match=r"a view by its name is views\.view\('a'\)"):
        views["a"]


def test_a_view_by_name():
    A, B = two()
    views = Views([A, B], names=["first", "second"])
    assert views.view("second") is views.arrays[1]
    assert views.select([1]).names == ("second",)
    with pytest.raises(ValueError, match="No view is named 'third'"):
        views.view("third")


def test_all_nan_rows_are_absent():
    A, B = two()
    A[2] = np.nan
    mask = Views([A, B]).mask
    assert mask.sum() == 11
    assert not mask[2, 0]
    assert Views([A, B])[3:].mask is None


BAD = {
    "length": (lambda A, B: [A, B[:4]], "view_1.*4 samples.*view_0.*6"),
    "nothing": (lambda A, B: [], "No views|Expected 2D"),
    "empty": (lambda A, B: [A, B[:, :0]], "0 feature.*view_1"),
    "no rows": (lambda A, B: [A[:0], B[:0]], "0 sample.*view_0"),
    "strings": (lambda A, B: [A, B.astype(str)], "view_1.*not numbers"),
    "objects": (lambda A, B: [np.array([["a", 1]] * 6, dtype=object), B], "strings"),
    "complex": (lambda A, B: [A + 1j, B], "Complex data not supported.*view_0"),
    "one axis": (lambda A, B: {"a": A[:, 0]}, "Expected 2D.*'a'"),
    "three axes": (lambda A, B: {"a": A[None], "b": B}, "Expected 2D.*'a'"),
    "dates": (lambda A, B: [A.astype("datetime64[s]"), B], "view_0.*not numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_views_say_where_and_what(name):
    make, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        as_views(make(*two()))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_stray_value_is_found(convert, value, what):
    A, B = two()
    B[3, 1] = value
    with pytest.raises(ValueError, match=f"{what}.*view_1.*row 3, column 1"):
        as_views([A, convert(B)])


def test_huge_finite_values_are_accepted():
    A, B = two()
    assert as_views([A / np.abs(A).max() * 1e307, B]).mask is None


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    ("dtype", "value", "most"),
    [(np.float64, -1.7e308, "1.8e+307"), (np.float32, 3e38, "3.4e+37")],
)
def test_values_whose_differences_overflow_are_refused(convert, dtype, value, most):
    A, B = (x.astype(dtype) for x in two())
    B[3, 1], B[4, 1] = value, -value
    said = rf"too large: view 'view_1', row 3, column 1 is {value:.3g}, .* beyond "
    with pytest.raises(ValueError, match=(said + most).replace("+", r"\+")):
        as_views([A, convert(B)])


def test_a_sample_without_any_view():
    A, B = two()
    A[1], B[1] = np.nan, np.nan
    with pytest.raises(ValueError, match="sample 1 is absent from every view"):
        as_views([A, B])


NONE = [
    *((None, "X is None"), ([], "an empty list"), ((), "an empty tuple")),
    *(({}, "an empty dict"), ("digits", r"load\('digits'\)\.views")),
    *((Path("a.mat"), "a name, 'a.mat'"), ([None], "'view_0' is None")),
    *(({"a": None}, "'a' is None"), (datasets.load_digits_views(), "its .views")),
]


@pytest.mark.parametrize(("X", "said"), NONE, ids=[said for _, said in NONE])
def test_what_holds_no_views_is_named(X, said):
    for call in (as_views, AnchorFilter(2).fit, GraphConsensus(2).fit):
        with pytest.raises(ValueError, match=said) as caught:
            call(X)
        assert str(caught.value).startswith(("No views were given", "View "))


def test_names_must_be_different():
    with pytest.raises(ValueError, match="different names"):
        Views(two(), names=["a", "a"])


def test_matrices_and_masked_arrays_become_plain_arrays():
    A, B = two()
    lacking = np.ma.array(B, mask=np.zeros_like(B, dtype=bool))
    lacking[2] = np.ma.masked
    views = as_views([sp.csr_matrix(A).todense(), np.ma.array(A), lacking])
    assert all(type(x) is np.ndarray for x in views.arrays)
    np.testing.assert_array_equal(views.arrays[1], A)
    assert np.isnan(views.arrays[2][2]).all()
    assert views.mask.sum() == 17
    rows = np.ma.array([[0, 1], [2, 3]], mask=[[1, 1], [0, 0]])
    np.testing.assert_array_equal(as_views([rows, A[:2]]).arrays[0][1], [2, 3])


def test_masked_cells_say_where_and_what_to_do():
    A, B = two()
    cells = np.ma.array(B)
    cells[3, 1] = cells[4, 2] = np.ma.masked
    said = r"masked in part: view 'b', row 3, column 1 \(2 such rows\); fill it"
    with pytest.raises(ValueError, match=said):
        as_views({"a": A, "b": cells})
