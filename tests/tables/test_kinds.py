"""What a column is taken for: only where that is certain."""

import datetime

import numpy as np
import pandas as pd
import pytest

from mvgraph import datasets, read_columns

N = 60
RNG = np.random.default_rng(0)
VECTORS = RNG.normal(size=(N, 3)).round(3)
DAY = datetime.date(2024, 3, 1)
COLUMNS = {
    "numeric": RNG.normal(size=N),
    "whole": RNG.integers(100, size=N),
    "flag": RNG.random(N) > 0.5,
    "category": RNG.choice(["red", "green", "blue"], N),
    "date": [DAY + datetime.timedelta(days=i % 50) for i in range(N)],
    "iso": [str(DAY + datetime.timedelta(days=i % 50)) for i in range(N)],
    "prose": [f"some words about thing {i} and others" for i in range(N)],
    "vector": VECTORS.tolist(),
    "brackets": [str(row) for row in VECTORS.tolist()],
    "blanks": [" ".join(map(str, row)) for row in VECTORS.tolist()],
    "sku": [f"AX-{i}" for i in range(N)],
    "euros": [f"{i},5" for i in range(N)],
    "local": [f"{1 + i % 28}.03.2024" for i in range(N)],
    "empty": [None] * N,
}
KINDS = {
    **dict.fromkeys(("numeric", "whole", "flag"), "numeric"),
    **dict.fromkeys(("category",), "categorical"),
    **dict.fromkeys(("date", "iso"), "date"),
    "prose": "text",
    **dict.fromkeys(("vector", "brackets", "blanks"), "vector"),
    **dict.fromkeys(("sku", "euros", "local", "empty"), "ignore"),
}


def kind_of(views, column):
    return {row["column"]: row["kind"] for row in views.encoders.rows()}[column]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("column", COLUMNS)
def test_columns_of_every_kind_and_library(column, library):
    data = {"x": list(range(N)), column: list(COLUMNS[column])}
    if library == "pandas":
        frame = pd.DataFrame(data)
    elif library == "polars":
        frame = pytest.importorskip("polars").DataFrame(data)
    else:
        frame = pytest.importorskip("pyarrow").table(data)
    views = read_columns(frame, column="x")
    assert kind_of(views, column) == KINDS[column]
    if KINDS[column] == "vector":
        np.testing.assert_array_equal(views.view(column), VECTORS)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_columns_of_files(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    held = {k: v for k, v in COLUMNS.items() if suffix == "parquet" or k != "vector"}
    frame = pd.DataFrame({"item_id": [f"i{i}" for i in range(N)], **held})
    write = {"csv": frame.to_csv, "xlsx": frame.to_excel}.get(suffix)
    write(path, index=False) if write else frame.to_parquet(path, index=False)
    found = datasets.load(path)
    kinds = {column: kind_of(found.views, column) for column in held}
    # Excel and decimal commas: a number is what the file says it is
    assert {k: v for k, v in kinds.items() if v != KINDS[k]} == {}
    assert found.ids.tolist() == frame["item_id"].tolist()
    said = dict(found.reading.left_out)
    assert "neither prose nor repeated categories" in said["column 'sku'"]


def test_few_whole_numbers_are_numeric_and_said():
    frame = pd.DataFrame({"code": np.arange(N) % 4, "kind": ["x", "y"] * (N // 2)})
    views = read_columns(frame, column="code")
    (row,) = (r for r in views.encoders.rows() if r["column"] == "code")
    assert row["kind"] == "numeric"
    assert "4 whole values; --kinds code=categorical if codes" in row["use"]
    views = read_columns(frame, kinds={"code": "categorical"})
    assert views.feature_names[0][:4] == ("code=0", "code=1", "code=2", "code=3")


def test_words_between_numbers_are_refused():
    frame = pd.DataFrame({"x": range(N), "size": ["7"] * (N - 1) + ["7 cm"]})
    with pytest.raises(
        ValueError, match=r"'size' is text, such as '7 cm'.*--kinds size"
    ):
        read_columns(frame)
    views = read_columns(frame, kinds={"size": "categorical"})
    assert kind_of(views, "size") == "categorical"


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("numeric", r"row 3 contains 'odd', which is not a number"),
        ("date", r"row 0 contains '2024-01', which is not a date such as 2024-12-31"),
        ("vector", r"holds vectors of 1 numbers"),
        ("figure", r"a column is one of"),
        ("ordinal", r"it has no order"),
    ],
)
def test_cells_of_another_kind_are_named(kind, problem):
    cells = {"date": ["2024-01"] * N}.get(kind, ["1", "2", "3", "odd"] * (N // 4))
    frame = pd.DataFrame({"x": range(N), "c": cells})
    with pytest.raises(ValueError, match=problem):
        read_columns(frame, kinds={"c": kind})


def test_dates_are_time_weekday_and_season():
    days = pd.date_range("2024-01-01", periods=366)
    array = read_columns(pd.DataFrame({"when": days}), column="when").arrays[0]
    assert (np.diff(array[:, 0]) > 0).all()
    np.testing.assert_allclose(array[0, 1:3], array[7, 1:3], atol=1e-12)
    assert abs(array[0, 1:3] - array[3, 1:3]).max() > 0.1
    np.testing.assert_allclose(array[0, 3:], array[-1, 3:], atol=0.02)


def test_a_column_that_is_called_like_its_table(tmp_path):
    frame = pd.DataFrame({"x": COLUMNS["numeric"], "t": COLUMNS["vector"]})
    frame["title"] = COLUMNS["prose"]
    frame.to_parquet(tmp_path / "t.parquet")
    named = datasets.load(tmp_path / "t.parquet", key_map={"views": "t"}).views
    assert named.names == ("t",)
    np.testing.assert_array_equal(named.view("t"), VECTORS)
    found = datasets.load(tmp_path / "t.parquet").views
    assert set(found.names) == {"t_table", "t", "title"}
    views = read_columns(frame.rename(columns={"t": "table"}), column="x")
    assert set(views.names) == {"table_table", "table", "title"}


@pytest.mark.parametrize("said", [{"key_map": {"views": ["v1", "v2"]}}, {"drop": "t*"}])
def test_prefixes_make_views_beside_columns_that_are_left_out(tmp_path, said):
    names = ["v1_a", "v1_b", "v2_a"]
    frame = pd.DataFrame(VECTORS, columns=names).assign(title=COLUMNS["prose"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    views = datasets.load(tmp_path / "t.csv", **said).views
    assert views.feature_names == (("v1_a", "v1_b"), ("v2_a",))
    np.testing.assert_array_equal(np.hstack(views.arrays), VECTORS)
