"""Rows that other columns show to be in another order are not paired by position."""

import numpy as np
import pandas as pd
import pytest

from data import write_tables
from mvgraph import datasets, read_columns

N = 60
RNG = np.random.default_rng(7)
TRUTH = 20 * RNG.normal(size=N)
ORDER = RNG.permutation(N)


def tables(**columns):
    """Make two tables that share columns, the second in another order of rows."""
    a = pd.DataFrame({"a0": TRUTH, "a1": RNG.normal(size=N)}).assign(**columns)
    b = pd.DataFrame({"b0": 9 - 2 * TRUTH, "b1": RNG.normal(size=N)}).assign(**columns)
    return {"a": a, "b": b.iloc[ORDER].reset_index(drop=True)}


def paired(views):
    one, two = (
        np.asarray(x)[:, names.index(column)]
        for x, names, column in zip(
            views.arrays, views.feature_names, ("a0", "b0"), strict=True
        )
    )
    return np.corrcoef(one, two)[0, 1] < -0.999


#: Columns that do not name the rows, but say that they moved.
SIGNS = {
    "a key of two columns": {
        "site": [f"S{i // 10}" for i in range(N)], "visit": np.arange(N) % 10,
    },
    "two rows a patient": {"proband": 7000 + 3 * (np.arange(N) // 2)},
    "classes of words": {"kind": [f"k{i % 6}" for i in range(N)]},
}  # fmt: skip


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("sign", SIGNS)
def test_a_column_in_another_order_is_a_question(tmp_path, sign, memory):
    held = tables(**SIGNS[sign])
    path = write_tables(tmp_path, "csv", held)

    def read(frames, **more):
        return read_columns(frames, **more) if memory else datasets.load(path, **more)

    with pytest.raises(ValueError, match="in another order, so the rows are not"):
        read(held)
    read(held, column=list(SIGNS[sign]))  # said to be features: position is right
    if memory:  # and so it is where the columns agree
        frames = {k: t.drop(columns=[*SIGNS[sign]]) for k, t in held.items()}
        same = {k: t.assign(**SIGNS[sign]) for k, t in frames.items()}
        assert len(read(same)) == N


@pytest.mark.parametrize("fmt", ["parquet", "feather"])
def test_the_levels_of_a_stored_index_name_the_rows_together(tmp_path, fmt):
    held = tables(site=np.arange(N) // 10, visit=np.arange(N) % 10)
    for name, frame in held.items():
        indexed = frame.set_index(["site", "visit"])
        if fmt == "parquet":
            indexed.to_parquet(tmp_path / f"{name}.parquet")
            continue
        import pyarrow as pa
        import pyarrow.feather

        pyarrow.feather.write_feather(
            pa.Table.from_pandas(indexed), tmp_path / f"{name}.feather"
        )
    views = datasets.load(tmp_path).views
    assert views.n_features == (2, 2)
    assert paired(views)
    assert views.ids[0] == "0, 0"


def test_phone_numbers_are_compared_without_their_blanks(tmp_path):
    held = tables(phone=[f"+49 170 {1000000 + 137 * i}" for i in range(N)])
    held["b"]["phone"] = held["b"]["phone"].str.replace(" ", "")
    path = write_tables(tmp_path, "csv", held)
    with pytest.raises(ValueError, match="--ids phone"):
        datasets.load(path)


def test_titles_above_the_tables_of_a_workbook_are_left_out(tmp_path):
    pytest.importorskip("openpyxl")
    held = tables(id=[f"s{i}" for i in range(N)])
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        for name, frame in held.items():
            frame.to_excel(book, sheet_name=name, index=False, startrow=3)
            book.sheets[name].cell(1, 1, "Study of 2024")
            book.sheets[name].cell(2, 1, "exported by hand")
    found = datasets.load(tmp_path / "t.xlsx")
    assert paired(found.views)
    assert any("2 lines above the header left out" in n for n in found.reading.lines())


def test_dates_are_compared_however_they_are_written(tmp_path):
    days = pd.date_range("2024-01-01", periods=N)
    held = tables(day=days.strftime("%Y-%m-%d"))
    held["b"]["day"] = days[ORDER].strftime("%d.%m.%Y")
    path = write_tables(tmp_path, "csv", held)
    with pytest.raises(ValueError, match="--ids day"):
        datasets.load(path)


def test_names_may_contain_line_ends(tmp_path):
    held = tables(id=[f"line {i}\nsecond, part" for i in range(N)])
    held = {k: t[["id", *t.columns[:-1]]] for k, t in held.items()}
    for name, frame in held.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    views = datasets.load(tmp_path).views
    assert paired(views)
    assert views.ids[1] == "line 1\nsecond, part"
