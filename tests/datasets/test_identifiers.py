"""Which column names the rows: by its header in any spelling, and by what it holds."""

import numpy as np
import pandas as pd
import pytest

from data import write_table, write_tables
from mvgraph import AnchorFilter, GraphConsensus, Views, as_views, datasets
from mvgraph.views.identifiers import is_counter, is_id_name, is_moved_counter
from pairs import crossed

N = 40
IDS = 1000 + np.arange(N)
HEADERS = [
    "id", "ID", "patient_id", "Sample ID", "subject", "cell", "barcode", "case", "",
    "Patient-ID", "subjectId",
    "proband_nr", "sample_name", "participant", "donor", "uuid", "Kennung", "样本",
]  # fmt: skip
UNKNOWN = ["Fallnummer", "nummer", "xyz"]
FORMATS = ["csv", "tsv", "csv.gz", "parquet", "feather", "xlsx"]


def values(seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(N, d)) for name, d in (("a", 3), ("b", 4))}


def frame(header, ids, x):
    out = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    out.insert(0, header, ids)
    return out


def assert_paired(views, x):
    """Every row of b stands beside the row of a with the same id."""
    ids = np.array([int(i) for i in views.ids])
    place = ids - IDS[0]
    np.testing.assert_allclose(views.view("a"), x["a"][place])
    np.testing.assert_allclose(views.view("b"), x["b"][place])


@pytest.mark.parametrize(
    ("kind", "header", "first"), crossed(FORMATS, HEADERS, ["a", "b"])
)
def test_files_are_paired_by_id(tmp_path, kind, header, first):
    x, order = values(), np.random.default_rng(1).permutation(N)
    rows = {"a": np.arange(N), "b": order} if first == "a" else {"a": order, "b": ...}
    tables = {k: frame(header, IDS[rows[k]], v[rows[k]]) for k, v in x.items()}
    data = datasets.load(write_tables(tmp_path, kind, tables))
    assert_paired(data.views, x)
    assert data.reading.ids is not None
    assert "matched by id" in data.reading.matched


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("header", UNKNOWN)
def test_a_first_column_that_looks_like_names_is_asked_about(tmp_path, kind, header):
    x, order = values(), np.random.default_rng(1).permutation(N)
    rows = {"a": np.arange(N), "b": order}
    tables = {k: frame(header, IDS[rows[k]], v[rows[k]]) for k, v in x.items()}
    path = write_tables(tmp_path, kind, tables)
    with pytest.raises(ValueError, match=f"--ids {header} .* --column {header} "):
        datasets.load(path)
    assert_paired(datasets.load(path, ids=header).views, x)
    data = datasets.load(path, column=header)
    assert data.views.n_features == (4, 5)
    assert data.ids is None
    assert "by position" in data.reading.matched


def test_unknown_columns_cannot_be_chosen(tmp_path):
    write_table(frame("id", IDS, values()["a"]), tmp_path / "a.csv")
    for said in ({"ids": "nr"}, {"column": "nr"}):
        with pytest.raises(ValueError, match=r"no column 'nr' .* one of \['f0'"):
            datasets.load(tmp_path / "a.csv", **said)
    with pytest.raises(ValueError, match="'id' cannot both"):
        datasets.load(tmp_path / "a.csv", ids="id", column=["f0", "id"])
    with_id = datasets.load(tmp_path / "a.csv", column="id")
    assert with_id.views.n_features == (4,)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "index"])
@pytest.mark.parametrize("header", [*HEADERS[:6], *UNKNOWN[:2]])
@pytest.mark.parametrize("first", ["a", "b"])
def test_frames_are_paired_by_id(library, header, first):
    x, order = values(), np.random.default_rng(1).permutation(N)
    rows = {"a": np.arange(N), "b": order} if first == "a" else {"a": order, "b": ...}
    tables = {k: frame(header, IDS[rows[k]], v[rows[k]]) for k, v in x.items()}
    made = {k: convert(v, header, library) for k, v in tables.items()}
    if library != "index" and header in UNKNOWN:
        with pytest.raises(ValueError, match=f"ids='{header}' or column='{header}'"):
            as_views(made)
        views = as_views(made, ids=header)
    else:
        views = as_views(made)
    assert_paired(views, x)
    assert views.n_features == (3, 4)


def convert(table, header, library):
    if library == "polars":
        return pytest.importorskip("polars").from_pandas(table)
    if library == "pyarrow":
        return pytest.importorskip("pyarrow").Table.from_pandas(table)
    return table.set_index(header) if library == "index" else table


def test_two_headers_and_other_formats_in_one_folder(tmp_path):
    x, order = values(), np.random.default_rng(1).permutation(N)
    write_table(frame("Fall-ID", IDS, x["a"]), tmp_path / "a.csv")
    write_table(frame("subject", IDS[order], x["b"][order]), tmp_path / "b.parquet")
    assert_paired(datasets.load(tmp_path).views, x)


def test_labels_are_paired_by_the_column_that_is_named(tmp_path):
    x, order = values(), np.random.default_rng(1).permutation(N)
    write_table(frame("nummer", IDS, x["a"]), tmp_path / "a.csv")
    labels = pd.DataFrame({"fall": IDS[order], "label": order % 3})
    write_table(labels, tmp_path / "labels.csv")
    with pytest.raises(ValueError, match="'nummer', looks like names"):
        datasets.load(tmp_path)
    data = datasets.load(tmp_path, ids=["nummer", "fall"])
    assert data.labels.tolist() == (np.arange(N) % 3).tolist()


def test_almost_the_same_ids_are_refused(tmp_path):
    x = values()
    write_table(frame("nr", IDS, x["a"]), tmp_path / "a.csv")
    write_table(frame("nr", IDS[::-1] + 2, x["b"]), tmp_path / "b.csv")
    with pytest.raises(ValueError, match="name different samples"):
        datasets.load(tmp_path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_moved_row_numbers_beside_a_nameless_table_are_refused(tmp_path, kind):
    x, order = values(), np.random.default_rng(1).permutation(N)
    plain = pd.DataFrame(x["a"], columns=list("pqr"))
    moved = pd.DataFrame(x["b"], columns=list("stuv")).iloc[order]
    if kind == "csv":
        plain.to_csv(tmp_path / "a.csv", index=False), moved.to_csv(tmp_path / "b.csv")
    else:
        (
            plain.to_parquet(tmp_path / "a.parquet"),
            moved.to_parquet(tmp_path / "b.parquet"),
        )
    with pytest.raises(ValueError, match="'a' does not name its samples"):
        datasets.load(tmp_path)
    with pytest.raises(ValueError, match="'a' does not name its samples"):
        as_views({"a": plain.to_numpy(), "b": moved})


@pytest.mark.parametrize("kind", [*FORMATS, "workbook"])
@pytest.mark.parametrize("named", ["a", "b"])
def test_a_table_without_ids_beside_one_with_ids_is_refused(tmp_path, kind, named):
    """No row has to move for that: nothing says which row is which sample."""
    x = values()
    tables = {k: frame("patient_id", [f"p{i}" for i in IDS], v) for k, v in x.items()}
    odd = "b" if named == "a" else "a"
    tables[odd] = tables[odd].drop(columns="patient_id")
    source = tmp_path / "views"
    source.mkdir()
    if kind in ("workbook", "xlsx"):
        pytest.importorskip("openpyxl")
        source = tmp_path / "views.xlsx"
        with pd.ExcelWriter(source) as book:
            for name, table in tables.items():
                table.to_excel(book, sheet_name=name, index=False)
    else:
        for name, table in tables.items():
            write_table(table, source / f"{name}.{kind}")
    said = f"'{odd}' does not name its samples, but table '{named}' does.*--views A,B"
    with pytest.raises(ValueError, match=said):
        datasets.load(source)
    if kind not in ("workbook", "xlsx"):
        data = datasets.load(source, {"views": [named]})
        assert data.views.names == (named,)
        np.save(source / f"{odd}.npy", x[odd])
        next(source.glob(f"{odd}.{kind}")).unlink()
        with pytest.warns(
            UserWarning, match=f"rows of table '{odd}' are paired.*position"
        ):
            views = datasets.load(source).views
        for name, array in views.items():
            np.testing.assert_allclose(array, x[name])


def test_an_index_that_counts_is_no_id_beside_a_real_one(tmp_path):
    x, order = values(), np.random.default_rng(1).permutation(N)
    tables = {k: frame("patient_id", IDS, v) for k, v in x.items()}
    tables["a"].to_csv(tmp_path / "a.csv")  # with 0, 1, 2, ... in the first column
    tables["b"].iloc[order].reset_index(drop=True).to_csv(tmp_path / "b.csv")
    data = datasets.load(tmp_path)
    assert_paired(data.views, x)
    assert data.views.n_features == (3, 4)
    assert any("numbers the rows" in one.why for one in data.reading.left_out)


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("header", ["id", "patient_id", "subject", "barcode"])
def test_repeated_ids_are_refused(tmp_path, kind, header):
    ids = IDS.copy()
    ids[5] = ids[4]
    write_table(frame(header, ids, values()["a"]), tmp_path / f"a.{kind}")
    with pytest.raises(
        ValueError, match=r"1 duplicated identifier, such as '1004' \(2 rows: 4, 5"
    ):
        datasets.load(tmp_path / f"a.{kind}")


def test_features_are_no_ids(tmp_path):
    """Whole numbers that repeat, and fractions."""
    x = values()
    rng = np.random.default_rng(2)
    ages = rng.integers(20, 60, N)
    write_table(frame("age", ages, x["a"]), tmp_path / "a.csv")
    write_table(frame("height", 1.5 + rng.random(N), x["b"]), tmp_path / "b.csv")
    data = datasets.load(tmp_path)
    assert data.views.n_features == (4, 5)
    assert data.ids is None
    assert "by position" in data.reading.matched


@pytest.mark.parametrize(
    ("header", "known"),
    [(name, True) for name in HEADERS]
    + [(name, False) for name in ("width", "video", "paid", "valid", "x", "f0")],
)
def test_headers(header, known):
    assert is_id_name(header) == known


def test_rules():
    assert is_counter(np.arange(5))
    assert is_counter(np.arange(1, 6).astype(str))
    assert not is_counter(np.array([0, 2, 1]))
    assert is_moved_counter(np.array([2, 0, 1]))
    assert not is_moved_counter(np.array([2, 0, 5]))


# ------------------------------------------------------------- labels keep the index
@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_product([["p", "q"], range(20)], names=["site", "nr"]),
        pd.to_datetime(np.arange(N), unit="D", utc=True).rename("day"),
        pd.CategoricalIndex([f"c{i}" for i in range(N)], name="cell"),
        pd.Index(IDS.astype("int32"), name="patient"),
    ],
    ids=["multi", "dates", "categories", "int32"],
)
def test_labels_frame_keeps_the_index_as_it_came(index):
    x = values()
    a = pd.DataFrame(np.repeat([[0.0], [9.0]], 20, axis=0) + x["a"], index=index)
    b = pd.DataFrame(x["b"], index=index).iloc[::-1]
    model = GraphConsensus(2, random_state=0).fit({"a": a, "b": b})
    pd.testing.assert_index_equal(model.labels_frame().index, index)
    part = as_views({"a": a, "b": b.iloc[:30]}, join="inner")
    pd.testing.assert_index_equal(part.index, index[10:])


# ----------------------------------------------------------------- views by their name
@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = {n: rng.normal(size=(3, 4))[y] * 6 + rng.normal(size=(90, 4)) for n in "abc"}
    models = [
        GraphConsensus(3, random_state=0).fit(Views(list(X.values()), list(X))),
        AnchorFilter(3, random_state=0).fit(X),
    ]
    return X, models


def test_views_are_matched_by_name(fitted, tmp_path):
    X, models = fitted
    turned = {name: X[name] for name in "cab"}
    np.savez(tmp_path / "t.npz", **turned)
    kinds = (turned, Views(list(turned.values()), list(turned)),
             datasets.load(tmp_path / "t.npz").views)  # fmt: skip
    for model in models:
        for new in kinds:
            np.testing.assert_array_equal(model.predict(new), model.predict(X))
        with pytest.raises(ValueError, match=r"named .'x', 'y', 'z'.*pass the same"):
            model.predict(Views(list(X.values()), ["x", "y", "z"]))


def test_a_sample_without_a_view_is_predicted(fitted):
    X, models = fitted
    for model in models:
        for kept in ("a", "ab", "cb"):
            labels = model.predict({name: X[name] for name in kept})
            assert (labels == model.labels_).mean() > 0.9
        names = Views([X["a"]], ["a"])
        np.testing.assert_array_equal(
            model.predict(names), model.predict({"a": X["a"]})
        )


def moved_index(x, seed):
    """Frames whose unnamed index is left over from dropping and sorting rows."""
    table = frame("patient_id", IDS, x)
    return table.drop(index=3).sample(frac=1, random_state=seed)


def test_a_column_of_ids_goes_before_an_index_without_a_name(tmp_path):
    x, kept = values(), np.delete(np.arange(N), 3)
    tables = {k: moved_index(v, seed) for seed, (k, v) in enumerate(x.items())}
    with pytest.warns(UserWarning, match="named by column 'patient_id'"):
        views = as_views(tables)
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv")  # the index in a column without header
    read = datasets.load(tmp_path)
    assert any("numbers the rows" in one.why for one in read.reading.left_out)
    for found in (views, read.views):
        assert found.n_features == (3, 4)
        place = {str(i): row for row, i in enumerate(IDS)}
        rows = [place[str(i)] for i in found.ids]
        assert sorted(rows) == sorted(kept)
        for name, value in x.items():
            np.testing.assert_allclose(found.view(name), value[rows], rtol=1e-6)


def test_two_columns_of_ids_are_refused_where_rows_are_matched(tmp_path):
    x = values()
    two = frame("patient_id", IDS, x["a"])
    two.insert(0, "sample_id", np.random.default_rng(0).permutation(IDS))
    two.to_csv(tmp_path / "a.csv", index=False)
    frame("patient_id", IDS, x["b"]).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match="'sample_id' and 'patient_id'"):
        datasets.load(tmp_path)
    other = frame("patient_id", IDS, x["b"]).set_index("patient_id")
    with pytest.raises(ValueError, match="also called like names"):
        as_views({"a": two.set_index("sample_id"), "b": other})
    with pytest.raises(ValueError, match="'sample_id' and 'patient_id'"):
        datasets.load(tmp_path / "a.csv")  # neither may be a feature
    data = datasets.load(tmp_path, ids="patient_id")
    assert_paired(data.views, x)
    assert "sample_id" in str(data.reading.left_out)
    assert datasets.load(tmp_path, column="sample_id").views.n_features == (4, 4)
    views = as_views({"a": two.set_index("sample_id"), "b": other}, ids="patient_id")
    assert_paired(views, x)


def test_tables_without_header_are_asked_about(tmp_path):
    x, order = values(), np.random.default_rng(1).permutation(N)
    tables = {k: frame("patient_id", IDS, v) for k, v in x.items()}
    tables["a"].to_csv(tmp_path / "a.csv", index=False, header=False)
    tables["b"].iloc[order].to_csv(tmp_path / "b.csv", index=False, header=False)
    with pytest.raises(ValueError, match="'column_0', looks like names"):
        datasets.load(tmp_path)
    assert_paired(datasets.load(tmp_path, ids="column_0").views, x)


def test_a_second_column_called_like_labels_is_named(tmp_path):
    table = frame("id", IDS, values()["a"])
    table["label"], table["target"] = np.arange(N) % 2, np.arange(N) % 3
    table.to_csv(tmp_path / "t.csv", index=False)
    notes = datasets.load(tmp_path / "t.csv").reading.notes
    assert any("'label' is called like labels" in str(note) for note in notes)


@pytest.mark.parametrize("header", ["id", "patient_id"])
def test_the_same_numbers_written_otherwise_are_refused(tmp_path, header):
    x, order = values(), np.random.default_rng(1).permutation(N)
    numbers = np.arange(1, N + 1)
    padded = np.array([f"{i:03d}" for i in numbers])
    frame(header, numbers, x["a"]).to_csv(tmp_path / "a.csv", index=False)
    frame("id", padded, x["b"]).iloc[order].to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(
        ValueError,
        match=r"'010' in table 'b' and '10' in table 'a' differ in the way a number",
    ):
        datasets.load(tmp_path)
