"""Laws of encoded columns: libraries, files, models and scales make no difference."""

import warnings

import numpy as np
import pandas as pd
import pytest

from items import dense, items, library, same, write
from mvgraph import GraphConsensus, datasets, load_model, read_columns
from pairs import crossed

LIBRARIES = ["pandas", "polars", "pyarrow"]
IMPUTE = ["median", "mean", "zero", "neighbors", "drop-rows"]


@pytest.mark.parametrize(("name", "impute"), crossed(LIBRARIES, IMPUTE))
def test_every_library_and_a_file_give_the_same_views(tmp_path, name, impute):
    table, _ = items(200)
    path = tmp_path / "table.parquet"
    write(table, path)
    views = read_columns(library(table, name), impute=impute)
    held = datasets.load(path, impute=impute).views
    assert views.encoders.rows() == held.encoders.rows()
    for array, other in zip(views.arrays, held.arrays, strict=True):
        np.testing.assert_array_equal(dense(array), dense(other))


@pytest.mark.parametrize(("name", "impute"), crossed(LIBRARIES, IMPUTE))
def test_rows_of_the_fit_are_encoded_to_the_bit_after_loading(tmp_path, name, impute):
    frame = library(items(200)[0], name)
    views = read_columns(frame, impute=impute)
    model = GraphConsensus(n_clusters=6, random_state=0).fit(views)
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    same(loaded.schema_.encoders.read(frame), views)
    assert loaded.schema_.encoders.rows() == views.encoders.rows()
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(views))


def test_categories_and_words_that_the_fit_did_not_have_are_said():
    table, _ = items(300)
    model = GraphConsensus(n_clusters=6, random_state=0)
    frame = table.to_pandas()
    model.fit(read_columns(frame, impute="median"))
    new = frame[:40].copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new)
    new.loc[0, "country"], new.loc[1, "text"] = "ZZ", "nothing known"
    with pytest.warns(UserWarning, match="of the fit|did not have") as said:
        model.predict(new)
    told = [str(one.message) for one in said]
    assert any("'ZZ', as no category" in text for text in told)
    assert any("1 text without any word of the fit" in text for text in told)
    assert all(one.filename == __file__ for one in said)


def mixed(n=300):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": 100 * rng.exponential(size=n),
            "c": rng.choice(["x", "y", "z"], n),
            "d": rng.choice(["m", "f"], n, p=[0.8, 0.2]),
            "when": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(rng.integers(400, size=n), unit="D"),
            "size": rng.choice(["S", "M", "L"], n),
        }
    )


KINDS = {"size": ["S", "M", "L"]}


def energies(views):
    """Return the variance of every column of the table in its features."""
    (array,), (names,) = views.arrays, views.feature_names
    found = {}
    for name, variance in zip(names, array.var(axis=0), strict=True):
        column = name.replace(":", "=").split("=")[0]
        found[column] = found.get(column, 0) + variance
    return found


def test_kinds_are_balanced_and_columns_within_a_kind():
    found = energies(read_columns(mixed(), kinds=KINDS))
    assert found == pytest.approx(
        {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5, "when": 1, "size": 1}
    )


@pytest.mark.parametrize("factor", [2.0**20, 2.0**-9])
def test_the_unit_of_a_number_makes_no_difference(factor):
    frame = mixed()
    views = read_columns(frame, kinds=KINDS)
    frame["b"] *= factor
    same(read_columns(frame, kinds=KINDS), views)


def test_numbers_alone_stay_as_they_are():
    frame = mixed()[["a", "b"]]
    np.testing.assert_array_equal(read_columns(frame).arrays[0], frame.to_numpy())


def test_rare_categories_share_a_feature_and_so_do_unseen_ones():
    cells = ["x"] * 300 + ["y"] * 200 + ["u", "v", "w"]
    frame = pd.DataFrame({"c": cells})
    views = read_columns(frame)
    assert views.feature_names == (("c=x", "c=y", "c=(other)"),)
    new = pd.DataFrame({"c": ["u", "never", "x"]})
    with pytest.warns(UserWarning, match="1 cell of 1 category .* with the rare ones"):
        array = views.encoders.read(new).arrays[0]
    np.testing.assert_array_equal(array[0], array[1])
    assert array[2].argmax() == 0


def test_ordinal_categories_are_as_far_apart_as_their_places():
    frame = pd.DataFrame({"size": ["S", "M", "L", "S"]})
    small, middle, large, again = read_columns(frame, kinds=KINDS).arrays[0].ravel()
    assert small == again
    assert middle - small == pytest.approx(large - middle)
    with pytest.raises(ValueError, match="contains 'XL', which is not in its order"):
        read_columns(pd.DataFrame({"size": ["S", "XL"]}), kinds=KINDS)


def test_columns_are_chosen_by_name_pattern_and_table():
    frame = mixed()
    views = read_columns(frame, columns=["a", "b*"], drop="b")
    assert views.feature_names == (("a",),)
    two = {"one": frame[["a", "b"]], "two": frame[["a", "b"]]}
    views = read_columns(two, drop="two:a")
    assert views.feature_names == (("a", "b"), ("b",))
    with pytest.raises(ValueError, match="no column matches 'z\\*'"):
        read_columns(frame, columns="z*")


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("said", [{"columns": "two:*"}, {"drop": "one:*"}])
def test_a_table_without_chosen_columns_is_left_out_aloud_and_at_predict(
    tmp_path, said, classes
):
    two = pd.DataFrame({"id": [f"s{i}" for i in range(40)], "b": np.arange(40.0)})
    one = two.rename(columns={"b": "a"}).iloc[1:][::-1]  # its samples do not count
    one = one.assign(colour=["red", "blue", "green"] * 13)
    if classes:
        one = pd.concat([one, two[:1].assign(colour="red")]).drop(columns="b")
        one = one.fillna(0.0).assign(label=np.arange(40) % 2)
    one = one.reset_index(drop=True)
    frames = {"one": one, "two": two}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    data = datasets.load(tmp_path, **said)
    np.testing.assert_array_equal(data.views.arrays[0].ravel(), two["b"])
    assert data.views.names == ("two",)
    assert (data.labels is not None) == classes
    if not classes:
        assert "'one': all its columns were dropped" in str(data.reading)
        with pytest.warns(UserWarning, match="'one' is left out: all its columns"):
            views = read_columns(frames, **said)
        same(views, data.views)
        same(views.encoders.read(frames), data.views)
    fitted = data.views.encoders
    same(datasets.load(tmp_path, encoders=fitted).views, data.views)


def test_a_choice_that_leaves_nothing_names_the_tables_or_the_pattern():
    two = {name: pd.DataFrame({"a": [1.0, 2.0]}) for name in ("one", "two")}
    with pytest.raises(ValueError, match="no column is left of 'one', 'two'"):
        read_columns(two, drop="a")
    with pytest.raises(ValueError, match=r"matches 'tow:a'.* one:a, two:a"):
        read_columns(two, columns="tow:a")


def test_tables_with_names_are_matched_and_text_is_a_view_of_its_table():
    frame = items(60)[0].to_pandas()
    frame.insert(0, "item_id", [f"i{i}" for i in range(60)])
    other = pd.DataFrame({"item_id": frame["item_id"], "w": np.arange(60) % 7})
    tables = {"shop": frame, "ware": other[::-1].reset_index(drop=True)}
    views = read_columns(tables, impute="median")
    assert views.names[:2] == ("shop", "shop.text")
    np.testing.assert_array_equal(views.view("ware").ravel(), np.arange(60) % 7)
    assert views.ids.tolist() == frame["item_id"].tolist()
    dropped = read_columns(tables, impute="drop-rows")
    full = frame[["price", "country"]].notna().all(axis=1)
    assert dropped.ids.tolist() == frame["item_id"][full].tolist()
