"""A model knows its column of names; messages say what is odd about names."""

import numpy as np
import pandas as pd
import pytest

from mvgraph import GraphConsensus, as_views, datasets, read_columns

N = 30
RNG = np.random.default_rng(0)
NAMES = [f"A{i}" for i in range(N)]


def table(letter="a", **columns):
    values = pd.DataFrame(
        RNG.normal(size=(N, 3)), columns=[f"{letter}{j}" for j in "xyz"]
    )
    for name, held in columns.items():
        values.insert(0, name, held)
    return values


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_the_column_of_the_fit_names_new_samples_wherever_it_is(tmp_path, fmt, words):
    more = {"size": ["S", "M", "L"] * (N // 3)} if words else {}
    first = table(Artikel=NAMES).assign(**more)
    later = first[first.columns[::-1]]
    for name, held in (("first", first), ("later", later)):
        path = tmp_path / f"{name}.{fmt}"
        held.to_csv(path, index=False) if fmt == "csv" else held.to_parquet(path)
    fitted = datasets.load(tmp_path / f"first.{fmt}").views.encoders
    found = datasets.load(tmp_path / f"later.{fmt}", encoders=fitted)
    assert list(found.views.ids) == NAMES
    assert found.views.n_features[0] >= 3


def test_a_column_that_was_said_to_name_samples_is_not_asked_about_again(tmp_path):
    numbers = RNG.permutation(N) + 500
    for name in "ab":
        table(name, Probe=numbers).to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(ValueError, match="--ids Probe"):
        datasets.load(tmp_path)
    fitted = datasets.load(tmp_path, ids="Probe").views.encoders
    assert datasets.load(tmp_path, encoders=fitted).views.ids is not None


def test_no_rows_are_refused():
    frame = table().assign(size=["S", "M", "L"] * (N // 3))
    model = GraphConsensus(n_clusters=2, random_state=0).fit(read_columns(frame))
    with pytest.raises(ValueError, match="has no rows"):
        model.predict(frame[:0])


@pytest.mark.parametrize("fmt", ["csv", "xlsx", "frame", "feather"])
def test_two_columns_of_one_name_are_refused(tmp_path, fmt):
    frame = table()
    frame.columns = ["q", "r", "q"]
    path = tmp_path / f"t.{fmt}"
    if fmt == "feather":
        import pyarrow as pa
        from pyarrow import feather

        columns = [pa.array(frame.iloc[:, j]) for j in range(3)]
        feather.write_feather(pa.table(columns, names=["q", "r", "q"]), path)
    elif fmt == "csv":
        frame.to_csv(path, index=False)
    elif fmt == "xlsx":
        frame.to_excel(path, index=False)
    with pytest.raises(ValueError, match=r"2 columns .*'q'"):
        as_views([frame, table("b")]) if fmt == "frame" else datasets.load(path)


def test_names_in_headers_ask_for_the_orientation(tmp_path):
    for name in "ab":
        values = pd.DataFrame(RNG.normal(size=(5, N)), columns=NAMES)
        values.index = [f"{name}{i}" for i in range(5)]
        values.to_csv(tmp_path / f"{name}.csv")
    with pytest.raises(ValueError, match="--orientation columns"):
        datasets.load(tmp_path)
    assert len(datasets.load(tmp_path, orientation="columns").views) == N


@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("write", [str.upper, str.lower])
def test_names_that_go_on_in_another_table_are_shown(turn, write):
    short = table().set_index(pd.Index(NAMES) + "-xx")
    long = table("b").set_index(pd.Index([write(f"{n}-xx") + "-01A" for n in NAMES]))
    with pytest.raises(ValueError, match="is the beginning of"):
        as_views([long, short] if turn else [short, long])


@pytest.mark.parametrize("header", ["Probe", "id"])
def test_a_line_of_units_is_named(tmp_path, header):
    held = table(**{header: NAMES}).astype(object)
    held.loc[-1] = [None, 1.0, 2.0, 3.0]
    held.sort_index().to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="if it holds units, delete it"):
        datasets.load(tmp_path / "t.csv")
