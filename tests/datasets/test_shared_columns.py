"""Rows are not paired by position while a column of both tables may name them."""

import string

import numpy as np
import pandas as pd
import pytest

from data import write_tables
from mvgraph import as_views, datasets, read_columns
from pairs import crossed

N, D = 40, 3
VALUES = {
    "text": [f"V{i}" for i in 1000 + 7 * np.arange(N)],
    "whole": (1000 + 7 * np.arange(N)).tolist(),
    "fractional": (0.5 + np.arange(N)).tolist(),
    "dates": pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d").tolist(),
}
FORMATS = ["csv", "tsv", "parquet", "feather", "xlsx"]


def frames(kind, place, share=1.0):
    """Two tables with one column in common at a place, its rows in other orders."""
    rng = np.random.default_rng(0)
    out = {}
    for own, letter in enumerate("ab"):
        names = [f"{letter}{j}" for j in range(D)]
        out[letter] = pd.DataFrame(rng.normal(size=(N, D)), columns=names)
        values = list(VALUES[kind])
        if own:
            values = (
                values[: int(share * N)]
                + rng.permutation(
                    [f"W{i}" if kind == "text" else i for i in range(5000, 5000 + N)]
                ).tolist()[int(share * N) :]
                if kind in ("text", "whole")
                else values
            )
        out[letter].insert(place, "Vorgang", [values[i] for i in rng.permutation(N)])
    return out


@pytest.mark.parametrize(("fmt", "kind", "place"), crossed(FORMATS, VALUES, [1, 2, D]))
def test_files_ask_wherever_the_column_is(tmp_path, fmt, kind, place):
    path = write_tables(tmp_path, fmt, frames(kind, place))
    with pytest.raises(ValueError, match=r"--ids Vorgang .* or --column Vorgang"):
        datasets.load(path)
    assert datasets.load(path, ids="Vorgang").views.ids is not None


@pytest.mark.parametrize("place", [1, 2, D])
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("index", [False, True])
def test_frames_ask_wherever_the_column_is(kind, place, index):
    tables = frames(kind, place)
    if index:  # as a program writes it: it numbers the rows and names nothing
        for table in tables.values():
            table.insert(0, "", np.arange(N))
    with pytest.raises(ValueError, match=r"--ids Vorgang .* or --column Vorgang"):
        read_columns(tables)
    assert read_columns(tables, ids="Vorgang").ids is not None


@pytest.mark.parametrize("kind", ["text", "whole"])
@pytest.mark.parametrize(("share", "asked"), [(0.6, True), (0.4, False)])
def test_more_than_half_of_the_values(tmp_path, kind, share, asked):
    path = write_tables(tmp_path, "csv", frames(kind, D, share))
    if asked:
        with pytest.raises(ValueError, match="--ids Vorgang"):
            datasets.load(path)
    else:
        assert datasets.load(path).views.n_views == 2


def test_what_is_said_to_be_a_feature_is_one():
    tables = frames("whole", D)
    views = as_views(tables, column="Vorgang")
    assert views.n_features == (D + 1, D + 1)


def test_counters_in_the_same_rows_are_features():
    tables = frames("whole", D)
    for table in tables.values():
        table["Vorgang"] = np.arange(N)
    assert as_views(tables).n_features == (D + 1, D + 1)


def test_same_measurements_in_the_same_rows_are_features():
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(N, D)),
        columns=[*string.ascii_lowercase[:D]],
    )
    assert as_views([table, table]).n_features == (D, D)


ODD = {
    "number": lambda i: i,
    "text": str,
    "zeros": lambda i: f"{i:08}",
    "fraction": lambda i: f"{i}.0",
    "one bad": lambda i: "unknown" if i == 1007 else str(i),
    "unit": lambda i: f"Case {i} " if i % 2 else f"case {i}",
    "upper": lambda i: f"CASE {i}",
}
NUMBERS = [*ODD][:5]


@pytest.mark.parametrize(
    ("one", "two"),
    [(a, b) for a in ODD for b in ODD if (a in NUMBERS) == (b in NUMBERS)],
)
@pytest.mark.parametrize("memory", [pytest.param(True, marks=pytest.mark.slow), False])
def test_columns_are_compared_like_names_however_they_are_written(
    tmp_path, one, two, memory
):
    tables = frames("whole", D)
    for table, how in zip(tables.values(), (one, two), strict=True):
        held = [ODD[how](i) for i in table["Vorgang"]]
        table["Vorgang"] = pd.Series(held, dtype=object)
    path = write_tables(tmp_path, "csv", tables)
    with pytest.raises(ValueError, match=r"--ids Vorgang|=numeric"):
        read_columns(tables) if memory else datasets.load(path)
