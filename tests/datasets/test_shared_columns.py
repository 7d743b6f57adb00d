"""Rows are not paired by position while a column of both tables may name them."""

import string
import uuid
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from data import write_tables
from mvgraph import as_views, cli, datasets, read_columns
from pairs import crossed

N, D = 40, 3
VALUES = {
    "text": lambda i: f"V{1000 + 7 * i}",
    "uuid": lambda i: str(uuid.UUID(int=(7919 * i + 13) << 70)),
    "dates": lambda i: str(date(2024, 1, 1) + timedelta(days=i)),
    "whole": lambda i: 1000 + 7 * i,
    "fractional": lambda i: 0.5 + i,
}
FORMATS = ["csv", "tsv", "parquet", "feather", "xlsx"]


def frames(kind, place, share=1.0, n_other=N, heads=("Vorgang", "Vorgang")):
    """Two tables with a column of names at a place, its rows in other orders.

    They share a part of the names of the first.
    """
    rng = np.random.default_rng(0)
    own, same = rng.permutation(N), int(share * N)
    other = rng.permutation([*own[:same], *range(5000, 5000 + n_other - same)])
    out = {}
    for letter, head, ids in zip("ab", heads, (own, other), strict=True):
        names = [f"{letter}{j}" for j in range(D)]
        out[letter] = pd.DataFrame(rng.normal(size=(len(ids), D)), columns=names)
        if head:
            out[letter].insert(place, head, [VALUES[kind](int(i)) for i in ids])
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


#: Names that a table has are asked about, whatever part of them another one shares.
SHARES = [0, 0.05, 0.4, 0.9, 1]
NAMES = [
    *((kind, ("Vorgang", "Vorgang"), share) for kind in VALUES for share in SHARES
      if kind != "fractional" or share >= 0.4),
    *((kind, ("Vorgang", "code"), share) for kind in VALUES for share in SHARES
      if kind in ("text", "uuid") or share >= 0.4),
    *((kind, ("Vorgang", ""), 0) for kind in ("text", "uuid")),
]  # fmt: skip


def read(path_or_frames, memory, **more):
    if memory:
        return read_columns(path_or_frames, **more)
    return datasets.load(path_or_frames, **more).views


@pytest.mark.filterwarnings("ignore:column .* is left out")
@pytest.mark.parametrize("n_other", [N, 60])
@pytest.mark.parametrize("memory", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("kind", "heads", "share"), NAMES)
def test_rows_are_not_paired_by_position_where_columns_may_name_them(
    tmp_path, kind, heads, share, memory, n_other
):
    tables = frames(kind, D, share, n_other, heads)
    given = tables if memory else write_tables(tmp_path, "csv", tables)
    with pytest.raises(ValueError, match=r"--ids Vorgang .*--column Vorgang"):
        read(given, memory)
    if n_other == N:  # said to be in the same order
        column = [name for name in {*heads} if name]
        assert len(read(given, memory, column=column)) == N
    if heads[1] and share > 0:
        views = read(given, memory, ids=[*heads], join="inner")
        assert len(views) == int(share * N)
        assert {*map(str, views.ids)} <= {str(VALUES[kind](i)) for i in range(N)}


@pytest.mark.parametrize(
    "kind", ["text", pytest.param("whole", marks=pytest.mark.slow)]
)
def test_the_command_asks_and_does_as_it_is_told(tmp_path, kind, capsys):
    (tmp_path / "views").mkdir()
    write_tables(tmp_path / "views", "csv", frames(kind, D, 0.4))
    out = tmp_path / "labels.csv"

    def run(*more):
        args = ["cluster", str(tmp_path / "views"), "--n-clusters", "2"]
        with pytest.raises(SystemExit) as end:
            cli.main([*args, "-o", str(out), *more])
        return end.value.code, capsys.readouterr().err

    status, said = run()
    assert (status, out.exists()) == (2, False)
    assert "--ids Vorgang" in said
    status, said = run("--ids", "Vorgang", "--join", "inner")
    assert status == 0
    assert "16 of 64 samples kept" in said
    assert len(out.read_text().splitlines()) == 17


@pytest.mark.parametrize("n", [60, 2000])
def test_what_chance_shares_is_a_feature(n):
    rng = np.random.default_rng(3)
    wide = {k: rng.integers(0, n * n, (n, 40)) for k in "ab"}  # mostly distinct
    for x in wide.values():
        x[:, 0] = 1  # a first column of distinct numbers is asked about
    tables = {k: pd.DataFrame(x, columns=[f"{k}{j}" for j in range(40)])
              for k, x in wide.items()}  # fmt: skip
    scaled = {
        k: (t - t.min()) / (t.max() - t.min() + (t.max() == t.min()))
        for k, t in tables.items()
    }
    for held in (tables, scaled):
        assert as_views(held).n_features == (40, 40)


@pytest.mark.parametrize("kind", ["text", "whole"])
@pytest.mark.parametrize(("share", "asked"), [(0, False), (0.4, True), (1, True)])
def test_arrays_that_may_name_other_matrices(tmp_path, kind, share, asked):
    tables = frames(kind, D, share)
    names = {f"code_{k}": t.pop("Vorgang").to_numpy() for k, t in tables.items()}
    names = {k: v.astype(str) if kind == "text" else v for k, v in names.items()}
    path = tmp_path / "x.npz"
    np.savez(path, **{k: t.to_numpy() for k, t in tables.items()}, **names)
    if asked:
        with pytest.raises(ValueError, match="may name the rows of different matrices"):
            datasets.load(path)
    assert len(datasets.load(path, column=[*names]).views) == N


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
