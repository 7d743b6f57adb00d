"""Names beside the matrices, in compound tables and in zarr; what a join says."""

import unicodedata
import warnings

import numpy as np
import pandas as pd
import pytest

from mvgraph import as_views, datasets, read_columns

pytestmark = pytest.mark.usefixtures("walked")

N = 20
A = np.random.default_rng(0).normal(size=(N, 3))
B = np.random.default_rng(1).normal(size=(N, 4))
ORDER = np.random.default_rng(2).permutation(N)
NAMES = np.array([f"s{i}" for i in range(N)])


def assert_paired(data):
    places = [int(str(i)[1:]) for i in data.ids]
    for own in data.views.arrays:
        np.testing.assert_array_equal(own, (A if own.shape[1] == 3 else B)[places])


def arrays(**more):
    return {"a": A, "b": B[ORDER], "a_ids": NAMES, "b_ids": NAMES[ORDER]} | more


def frame(x, names, header="id"):
    table = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    table.insert(0, header, names)
    return table


# ------------------------------------------------------------------ beside the matrices
def test_one_array_of_names_is_that_of_all(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, a=A, b=B, ids=NAMES)
    data = datasets.load(path)
    assert_paired(data)
    assert data.reading.ids == "ids"
    names = NAMES.copy()
    names[3] = "s2"
    np.savez(path, a=A, b=B, ids=names)
    with pytest.raises(ValueError, match=r"'s2' \(2 rows: 2, 3\).*--column ids"):
        datasets.load(path)
    assert datasets.load(path, column="ids").ids is None
    np.savez(path, a=A, b=B, ids=NAMES, patient_id=names)
    with pytest.raises(ValueError, match="'ids' and 'patient_id' are both named"):
        datasets.load(path)
    assert_paired(datasets.load(path, ids="ids"))


def test_classes_follow_their_own_names(tmp_path):
    path = tmp_path / "t.npz"
    classes = np.arange(N) % 3
    np.savez(path, **arrays(y=classes[::-1], y_ids=NAMES[::-1]))
    data = datasets.load(path)
    assert_paired(data)
    np.testing.assert_array_equal(data.labels, classes)
    np.savez(path, **arrays(y=classes))
    with pytest.raises(ValueError, match="'y' does not name its samples"):
        datasets.load(path)


def test_matrices_of_other_samples(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, **arrays(b=B[ORDER][:15], b_ids=NAMES[ORDER][:15]))
    with pytest.raises(ValueError, match=r"'b' .15 samples. lacks 5 of them"):
        datasets.load(path)
    data = datasets.load(path, join="inner")
    assert_paired(data)
    assert "15 of 20 samples kept; dropped 5 of view 'a'" in str(data.reading)
    outer = datasets.load(path, join="outer")
    assert (~outer.views.mask).sum() == 5
    assert "added 5 that view 'b' lacks" in str(outer.reading)


def test_names_of_one_matrix_alone_are_said(tmp_path):
    np.savez(tmp_path / "t.npz", a=A, b=B, a_ids=NAMES)
    with pytest.warns(UserWarning, match="'b' are paired with those of 'a' by pos"):
        assert_paired(datasets.load(tmp_path / "t.npz"))


@pytest.mark.parametrize("pattern", [
    "{}_ids", "ids_{}", "{}_barcodes", "{}_names", "samples_{}", "{}.index", "{}Ids"
])  # fmt: skip
def test_what_names_of_one_matrix_are_called(tmp_path, pattern):
    held = {"a": A, "b": B[ORDER], pattern.format("a"): NAMES}
    np.savez(tmp_path / "t.npz", **held, **{pattern.format("b"): NAMES[ORDER]})
    assert_paired(datasets.load(tmp_path / "t.npz"))
    for name, value in {**held, pattern.format("b"): NAMES[ORDER]}.items():
        np.save(tmp_path / f"{name}.npy", value)
    (tmp_path / "t.npz").unlink()
    assert_paired(datasets.load(tmp_path))


def test_the_caller_chooses_the_names_of_every_matrix(tmp_path):
    held = {"a": A, "b": B[ORDER], "a_well": NAMES, "b_well": NAMES[ORDER]}
    np.savez(tmp_path / "t.npz", **held)
    with pytest.raises(ValueError, match="--ids a_well --ids b_well"):
        datasets.load(tmp_path / "t.npz")
    assert datasets.load(tmp_path / "t.npz", column=["a_well", "b_well"]).ids is None
    assert_paired(datasets.load(tmp_path / "t.npz", ids=["a_well", "b_well"]))


def test_numbered_matrices_and_names_of_features(tmp_path):
    held = {"X1": A, "X2": B[ORDER], "ids1": NAMES, "ids2": NAMES[ORDER]}
    np.savez(tmp_path / "t.npz", **held, X1_names=list("pqr"))
    assert_paired(datasets.load(tmp_path / "t.npz"))
    np.savez(tmp_path / "t.npz", **arrays(a_ids=NAMES[:-1]))
    with pytest.raises(ValueError, match=r"'a_ids' .* has 19 entries for 20 x 3"):
        datasets.load(tmp_path / "t.npz")


def test_a_group_of_names_by_matrix(tmp_path):
    path = tmp_path / "t.h5"
    with pytest.importorskip("h5py").File(path, "w") as file:
        for name, value in arrays().items():
            group = "ids" if name.endswith("_ids") else "views"
            held = value.astype("S") if value.dtype.kind == "U" else value
            file[f"{group}/{name[0]}"] = held
    assert_paired(datasets.load(path))


def test_matlab_may_have_samples_in_columns(save):
    cells = {k: v.astype(object) if v.dtype.kind == "U" else v.T
             for k, v in arrays().items()}  # fmt: skip
    assert_paired(datasets.load(save(cells)))


# ------------------------------------------------------------------------------- tables
def records(x, names, kind):
    fields = [("sample_id", kind), *((f"f{j}", "f8") for j in range(x.shape[1]))]
    out = np.empty(len(x), dtype=fields)
    out["sample_id"] = names
    for j in range(x.shape[1]):
        out[f"f{j}"] = x[:, j]
    return out


@pytest.mark.parametrize("kind", ["h5", "npz"])
def test_compound_arrays_are_tables(tmp_path, kind):
    text = "S5" if kind == "h5" else "U5"
    held = {"a": records(A, NAMES, text), "b": records(B[ORDER], NAMES[ORDER], text)}
    path = tmp_path / f"t.{kind}"
    if kind == "npz":
        np.savez(path, **held)
    else:
        with pytest.importorskip("h5py").File(path, "w") as file:
            for name, value in held.items():
                file[name] = value
    data = datasets.load(path)
    assert_paired(data)
    assert data.views.feature_names[0][0] == "f0"


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("many", [False, True])
def test_annotated_data_in_zarr(tmp_path, version, many):
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    pytest.importorskip("zarr")
    index = pd.DataFrame(index=NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of these packages, about their own plans
        made = anndata.AnnData(np.ones((N, 2)), obs=index, obsm={"a": A, "b": B})
        if many:
            made = mudata.MuData({
                "a": anndata.AnnData(A, obs=index),
                "b": anndata.AnnData(B[ORDER], obs=index.iloc[ORDER]),
            })  # fmt: skip
        with anndata.settings.override(zarr_write_format=version):
            made.write_zarr(tmp_path / "t.zarr")
    data = datasets.load(tmp_path / "t.zarr")
    assert data.views.names == ("a", "b")
    assert_paired(data)


def test_hidden_sheets_and_blank_lines_are_said(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet, hidden = book.active, book.create_sheet("notes")
    hidden.sheet_state = "hidden"
    hidden.append(["id", "z"])
    for row in (["id", "x", "z"], ["s1", 1, 2], [], ["s2", 2, 3]):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    said = str(datasets.load(tmp_path / "t.xlsx").reading)
    assert "'notes': hidden" in said
    assert "1 blank line left out" in said


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_blank_rows_are_dropped_and_rows_without_a_name_refused(tmp_path, kind):
    for at, (name, x) in enumerate([("a", A), ("b", B)]):
        table = frame(x, NAMES.astype(object))
        blank = pd.DataFrame([[None] * table.shape[1]], columns=table.columns)
        parts = [table[: 5 + at], blank.astype(table.dtypes), table[5 + at :]]
        table = pd.concat(parts, ignore_index=True)
        path = tmp_path / f"{name}.{kind}"
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    data = datasets.load(tmp_path)
    assert_paired(data)
    assert str(data.reading).count("1 blank line left out") == 2
    table.loc[6, "f0"] = 1.5
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    with pytest.raises(ValueError, match=r"column 'id' .* row 6 has no name"):
        datasets.load(tmp_path)


# ----------------------------------------------------------------------------- spelling
CHANGES = {
    "the Unicode form": lambda name: unicodedata.normalize("NFD", name),
    "blanks at the ends": lambda name: name + " ",
    "upper and lower case": str.upper,
}


@pytest.mark.parametrize("join", ["strict", "inner", "outer"])
@pytest.mark.parametrize("how", CHANGES)
def test_another_spelling_is_named_and_can_be_undone(tmp_path, how, join):
    names = [f"s\u00e9{i}" for i in range(N)]
    others = [CHANGES[how](n) if i % 4 == 0 else n for i, n in enumerate(names)]
    a, b = frame(A, names), frame(B, others).iloc[ORDER]
    a.to_csv(tmp_path / "a.csv", index=False)
    b.to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match=f"differ in {how} alone .5 such names"):
        datasets.load(tmp_path, join=join)
    read = datasets.load(tmp_path, join=join, normalise_ids=True)
    assert read.ids.tolist() == names
    held = {"a": a.set_index("id"), "b": b.set_index("id")}
    with pytest.raises(ValueError, match=f"differ in {how} alone"):
        as_views(held, join=join)
    for views in (read.views, as_views(held, join=join, normalise_ids=True)):
        np.testing.assert_allclose(views.view("a"), A)
        np.testing.assert_allclose(views.view("b"), B)


def test_numbers_compare_as_they_are_spelled_in_text(tmp_path):
    """1.10 is not 1.1 in text; a binary file has but the number."""
    names = [f"1.{i}" for i in range(10, 10 + N)]  # 1.10 and 1.20 are among them
    a, b = frame(A, names), frame(B, [float(name) for name in names])
    a.to_csv(tmp_path / "a.csv", index=False)
    frame(B, names).iloc[ORDER].to_csv(tmp_path / "b.csv", index=False)
    data = datasets.load(tmp_path)
    assert data.ids.tolist() == names
    np.testing.assert_allclose(data.views.view("b"), B)
    (tmp_path / "b.csv").unlink()
    b.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"'1.1' .* '1.10' .* a number is written"):
        datasets.load(tmp_path)


# -------------------------------------------------------------- frames and their cells
@pytest.mark.parametrize("library", ["pandas", "polars", "arrays"])
def test_a_series_of_vectors_is_a_view(library):
    make = pytest.importorskip("polars" if library == "polars" else "pandas").Series
    held = list(A) if library == "arrays" else A.tolist()
    views = as_views({"a": make(held), "b": make(B.tolist())})
    np.testing.assert_array_equal(views.view("a"), A)
    with pytest.raises(ValueError, match=r"View 'a'.* different lengths"):
        as_views({"a": make([[1.0], [2.0, 3.0]]), "b": make([[1.0], [2.0]])})


@pytest.mark.parametrize("empty", [None, np.nan, pd.NA, pd.NaT], ids=str)
def test_a_vector_may_be_missing_however_pandas_says_so(empty):
    cells = [*A[:2].tolist(), empty, *A[3:].tolist()]
    expected = A.copy()
    expected[2] = np.nan
    series = pd.Series(cells, dtype=object)
    for views in (
        as_views({"a": series, "b": pd.Series(B.tolist())}),
        read_columns(pd.DataFrame({"a": series, "b": B.tolist()}), views=["a", "b"]),
    ):
        np.testing.assert_array_equal(views.view("a"), expected)
    cells[2] = 3.0
    with pytest.raises(ValueError, match=r"row 2 of column 'a' holds 3\.0, other"):
        as_views({"a": pd.Series(cells), "b": pd.Series(B.tolist())})


def test_an_index_beside_a_column_that_is_called_like_names():
    table = frame(A, NAMES, "sample_id").set_index(pd.Index(NAMES[::-1], name="cell"))
    with pytest.raises(ValueError, match=r"index .'cell'. names the rows, and column"):
        as_views({"a": table, "b": frame(B, NAMES).set_index("id")})


def test_a_column_of_names_is_sound_in_a_frame_by_itself():
    table = frame(A, NAMES, "sample_id")
    assert as_views(table).ids.tolist() == NAMES.tolist()
    table.loc[4, "sample_id"] = "s9"
    with pytest.raises(ValueError, match=r"'sample_id', has 1 .* .2 rows: 4, 9."):
        as_views(table)
    table.loc[4, "sample_id"] = None
    with pytest.raises(ValueError, match=r"'sample_id' .* row 4 has no name"):
        as_views(table)
    table.loc[4, :] = np.nan
    with pytest.warns(UserWarning, match="1 blank row without a name left out"):
        assert as_views(table).n_samples == N - 1


def test_columns_of_one_name_are_refused_in_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = [pa.array(NAMES), pa.array(A[:, 0]), pa.array(A[:, 1])]
    table = pa.Table.from_arrays(columns, names=["id", "x", "x"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="2 columns are called 'x'"):
        datasets.load(tmp_path / "t.parquet")


@pytest.mark.filterwarnings("ignore:::mudata")  # about its plans
def test_strict_is_strict_for_a_mudata_in_memory():
    mudata, anndata = map(pytest.importorskip, ("mudata", "anndata"))
    made = {
        name: anndata.AnnData(x, obs=pd.DataFrame(index=[f"c{i}" for i in range(n)]))
        for name, x, n in (("a", A, N), ("b", B[: N - 3], N - 3))
    }
    with mudata.set_options(pull_on_update=False):
        data = mudata.MuData(made)
    with pytest.raises(ValueError, match=r"'b' .* lacks 3 of them"):
        as_views(data, join="strict")
    assert len(as_views(data, join="inner")) == N - 3
    for views in (as_views(data), as_views(data, join="outer")):
        assert len(views) == N
        assert (~views.mask[:, 1]).sum() == 3
