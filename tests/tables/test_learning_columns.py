"""What a column is taken for: only where that is certain."""

import datetime
import decimal
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from mvgraph import ChooseK, GraphConsensus, datasets, read_columns

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
    "american": [f"{1 + i % 12}/{1 + i % 28}/2024" for i in range(N)],
    "either": [f"{1 + i % 12}/{1 + i % 11}/2024" for i in range(N)],
    "thousands": [f"1.{100 + i},5" for i in range(N)],
    "sku": [f"AX-{i}" for i in range(N)],
    "person": [f"Anna {'ABCDE'[i % 5]}. Lo{i}" for i in range(N)],
    "street": [f"{i} Oak Street Springfield {10**4 + i}" for i in range(N)],
    "garment": [
        f"{'ABCDE'[i % 5]}-Red {'UVWX'[i % 4]}-Cotton {'STP'[i % 3]}-Shirt"
        for i in range(N)
    ],
    "film": [f"The Return of Film {i} in Space" for i in range(N)],
    "euros": [f"{i},5" for i in range(N)],
    "local": [f"{1 + i % 28}.03.2024" for i in range(N)],
    "empty": [None] * N,
    "share": [f"{i / 2} %" for i in range(N)],
    "money": [f"€{i},{100 + i}.50" for i in range(N)],
    "digits": [str(i / 7) for i in range(N)],
    "decimal": [decimal.Decimal(i) / 4 for i in range(N)],
    "lasting": [datetime.timedelta(minutes=i % 7) for i in range(N)],
    "interval": [f"({i % 4}.5, {i % 4 + 1}.5]" for i in range(N)],
}
KINDS = {
    **dict.fromkeys(("numeric", "whole", "flag", "euros", "thousands"), "numeric"),
    **dict.fromkeys(("digits", "decimal", "lasting"), "numeric"),
    **dict.fromkeys(("category", "interval"), "categorical"),
    **dict.fromkeys(("date", "iso", "local", "american"), "date"),
    **dict.fromkeys(("prose", "film", "garment"), "text"),
    **dict.fromkeys(("vector", "brackets", "blanks"), "vector"),
    **dict.fromkeys(
        ("sku", "either", "empty", "person", "street", "share", "money"), "ignore"
    ),
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
    said = f"column '{column}' is left out"
    warned = pytest.warns(UserWarning, match=said)
    with warned if KINDS[column] == "ignore" else nullcontext():
        views = read_columns(frame, column="x")
    assert kind_of(views, column) == KINDS[column]
    if KINDS[column] == "vector":
        np.testing.assert_array_equal(views.view(column), VECTORS)


SPANS = pd.date_range("2024-03-01", periods=5)
VALUES = {
    "word": ["red", "green", "blue"],
    "whole": [3, 1, 2],
    "fraction": [0.5, 2.0, 1.25],
    "truth": [True, False],
    "day": list(SPANS),
    "span": list(pd.interval_range(0, 4)),
}


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_a_type_of_categories_is_believed_whatever_they_are(name, ordered):
    kinds = VALUES[name]
    which = np.random.default_rng(2).integers(len(kinds), size=N)
    cells = pd.Categorical.from_codes(which, kinds, ordered=ordered)
    views = read_columns(pd.DataFrame({"x": range(N), "a": cells}), column="x")
    assert kind_of(views, "a") == ("ordinal" if ordered else "categorical")
    a = [j for j, one in enumerate(views.feature_names[0]) if one.startswith("a")]
    found = views.arrays[0][:, a]
    assert found.shape[1] == (1 if ordered else len(kinds))
    if ordered:  # in the order of the type, not of the alphabet
        assert (
            np.argsort(found[:, 0], kind="stable") == np.argsort(which, kind="stable")
        ).all()
    texts = pd.DataFrame({"x": range(N), "a": [str(one) for one in cells]})
    if name in ("word", "truth", "span") and not ordered:
        assert kind_of(read_columns(texts, column="x"), "a") == "categorical"


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("name", [n for n in VALUES if n != "span"])
def test_files_of_pandas_keep_the_type_of_categories(name, suffix, tmp_path):
    path = tmp_path / f"t.{suffix}"
    cells = pd.Categorical(RNG.choice(len(VALUES[name]), N)).rename_categories(
        VALUES[name]
    )
    frame = pd.DataFrame({"x": RNG.normal(size=N), "a": cells})
    getattr(frame, f"to_{suffix}")(path)
    assert kind_of(datasets.load(path).views, "a") == "categorical"


@pytest.mark.parametrize("kind", ["Int8", "UInt16", "Int64", "UInt64", "Int128"])
@pytest.mark.parametrize("hole", [False, True])
def test_whole_numbers_of_any_width(kind, hole):
    polars = pytest.importorskip("polars")
    if not hasattr(polars, kind):
        pytest.skip(f"this polars has no {kind}")
    cells = [None if hole and i == 3 else i for i in range(N)]
    a = polars.Series("a", cells, dtype=getattr(polars, kind))
    frame = polars.DataFrame({"x": RNG.normal(size=N), "a": a})
    found = read_columns(frame, impute="zero" if hole else None).arrays[0][:, 1]
    np.testing.assert_array_equal(found, [i or 0 for i in cells])


def test_spans_of_time_are_dates_and_durations_seconds():
    frame = pd.DataFrame({"x": RNG.normal(size=N)})
    frame["month"] = pd.period_range("2020-01", periods=N, freq="M")
    assert kind_of(read_columns(frame, column="x"), "month") == "date"
    frame["month"] = pd.to_timedelta(np.arange(N), unit="min")
    frame.loc[3, "month"] = pd.NaT
    views = read_columns(frame, column="x", impute="zero")
    expected = np.where(np.arange(N) == 3, 0, 60.0 * np.arange(N))
    np.testing.assert_array_equal(views.arrays[0][:, 1], expected)


@pytest.mark.parametrize("impute", ["refuse", "neighbors"])
@pytest.mark.parametrize("beside", ["a number", "a category"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e308, "inf", "-Infinity"])
def test_numbers_that_cannot_be_compared_are_named_with_their_row(
    value, beside, impute
):
    frame = pd.DataFrame({"b": RNG.choice(["u", "v"], N), "a": RNG.normal(size=N)})
    if beside == "a number":
        frame["b"] = RNG.normal(size=N)
    fit = read_columns(frame, column="b", impute=impute)
    frame["a"] = frame["a"].astype(object if isinstance(value, str) else float)
    if isinstance(value, str):
        frame["a"] = frame["a"].map(str)
    frame.loc[3, "a"] = value
    with pytest.raises(ValueError, match="'a'"):
        GraphConsensus(2).fit(read_columns(frame, column="b", impute=impute))
    with pytest.raises(ValueError, match=r"row 3.*'a'|'a', row 3"):
        GraphConsensus(2).fit(fit.encoders.read(frame))


@pytest.mark.parametrize("words", [False, True])
def test_numbers_that_may_name_the_rows_are_noted(tmp_path, words):
    number = np.random.default_rng(1).permutation(N) + 5000
    frame = pd.DataFrame({"x": RNG.normal(size=N), "count": RNG.poisson(5, size=N)})
    frame["number"] = number
    if words:
        frame["colour"] = RNG.choice(["red", "green"], N)
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = "whole numbers, no two alike; --ids number if"
    read = datasets.load(tmp_path / "t.csv")
    assert str(read.reading).count("no two alike") == 1
    assert said in str(read.reading)
    fitted = read.views.encoders
    again = datasets.load(tmp_path / "t.csv", encoders=fitted)
    assert (said in " ".join(again.reading.notes)) is False


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_columns_of_files(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    typed = suffix == "parquet"  # text has no vectors and durations
    held = {k: v for k, v in COLUMNS.items() if typed or k not in ("vector", "lasting")}
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
        ("date", r"row 0 contains '2024-01', which is not a date such as 2024-12-31"),
        ("date:ymd", r"a column is one of"),
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
    days = pd.date_range("2024-01-01", periods=3 * 365 + 2)
    array = read_columns(pd.DataFrame({"when": days}), column="when").arrays[0]
    assert (np.diff(array[:, 0]) > 0).all()
    np.testing.assert_allclose(array[0, 1:3], array[7, 1:3], atol=1e-12)
    assert abs(array[0, 1:3] - array[3, 1:3]).max() > 0.1
    np.testing.assert_allclose(array[0, 3:], array[-1, 3:], atol=0.02)
    assert abs(array[0, 3:] - array[180, 3:]).max() > 0.3


@pytest.mark.parametrize("years", [0.2, 1, pytest.param(2.5, marks=pytest.mark.slow)])
def test_dates_of_any_time_are_no_clusters(years):
    rng = np.random.default_rng(3)
    days = pd.Timestamp("2024-03-01") + pd.to_timedelta(
        rng.integers(0, int(365 * years), 400), "D"
    )
    views = read_columns(pd.DataFrame({"when": days, "x": rng.gamma(2, size=400)}))
    levels = ChooseK(random_state=0).fit(views).levels_
    assert max((level.confidence for level in levels), default=0) < 0.8


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


@pytest.mark.parametrize(("sep", "order"), [("/", "dmy"), ("/", "mdy"), ("-", "dmy")])
def test_the_order_of_days_and_months_is_said_and_kept(sep, order):
    days = pd.date_range("2024-01-01", periods=12, freq="32D").strftime("%Y-%m-%d")
    parts = {"dmy": "{2}{s}{1}{s}{0}", "mdy": "{1}{s}{2}{s}{0}"}[order]
    written = [parts.format(*day.split("-"), s=sep) for day in days]
    iso = read_columns(pd.DataFrame({"when": days}), column="when")
    frame = pd.DataFrame({"when": written})
    views = read_columns(frame, column="when", kinds={"when": f"date:{order}"})
    np.testing.assert_array_equal(views.arrays[0], iso.arrays[0])
    row = views.encoders.read(frame[:1]).arrays[0]  # alone it could be either
    np.testing.assert_array_equal(row, iso.arrays[0][:1])


def test_days_that_could_be_months_are_refused():
    frame = pd.DataFrame({"x": range(9), "when": ["01/02/2024"] * 9})
    with pytest.raises(ValueError, match=r"cannot be told apart.*when=date:dmy"):
        read_columns(frame, kinds={"when": "date"})


@pytest.mark.parametrize("share", [1, 5, 59])
def test_words_between_numbers_are_empty_cells_where_that_is_said(share):
    cells = [str(i) for i in range(N - share)] + ["<0.5"] * share
    frame = pd.DataFrame({"x": RNG.normal(size=N), "c": cells})
    with pytest.raises(ValueError, match=rf"{share} cells? of {N} no numbers"):
        read_columns(frame)
    with pytest.warns(UserWarning, match=rf"{share} cells? of {N} no numbers.*'<0.5'"):
        found = read_columns(frame, kinds={"c": "numeric"}, impute="median").arrays[0]
    holes = frame.assign(c=[float(c) if c[0] != "<" else np.nan for c in cells])
    want = read_columns(holes, impute="median").arrays[0]
    np.testing.assert_array_equal(found, want)
    with pytest.raises(ValueError, match=rf"'c' \({share} empty cell"):
        read_columns(frame.assign(k=["a", "b"] * 30), kinds={"c": "numeric"})


@pytest.mark.parametrize("place", [0, 1, 2])
def test_leading_zeros_are_said(tmp_path, place):
    lines = [["zip", "kind", "x"]]
    lines += [[f"0{i % 50}00", "ab"[i % 2], f"{i}.5"] for i in range(N)]
    for line in lines:
        line.insert(place, line.pop(0))
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, lines)))
    found = datasets.load(tmp_path / "t.csv", column=lines[0]).views
    (row,) = (r for r in found.encoders.rows() if r["column"] == "zip")
    assert "leading zeros are lost; --kinds zip=categorical" in row["use"]


def test_leading_zeros_in_a_table_of_numbers_are_said(tmp_path):
    lines = ["x,zip", *[f"{i}.5,0{i % 50}00" for i in range(N)]]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    read = str(datasets.load(tmp_path / "t.csv").reading)
    assert "'zip': leading zeros are lost; --kinds zip=categorical if codes" in read


@pytest.mark.parametrize("units", ["mmol/l", "{x}"])
def test_a_line_of_units_is_named(tmp_path, units):
    lines = ["a,b", f"{units},{units}", *[f"{i},{i / 2}" for i in range(20)]]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    with pytest.raises(
        ValueError, match=r"only the cells at the top, .*units or a title"
    ):
        datasets.load(tmp_path / "t.csv")


def test_numbers_with_blanks_between_thousands_are_no_vectors(tmp_path):
    cells = [f"{1 + i} {500 + i}.25" for i in range(20)]
    pd.DataFrame({"a": range(20), "price": cells, "b": 0.5}).to_csv(
        tmp_path / "t.csv", index=False
    )
    found = datasets.load(tmp_path / "t.csv", column="a")
    assert found.views.feature_names == (("a", "b"),)
    assert any("column 'price'" in line for line in found.reading.lines())
