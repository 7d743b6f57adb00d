"""Tables after the fit: what may be said of them, and what may be missing."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from items import run
from mvgraph import datasets
from mvgraph.persistence.models import load_model
from pairs import crossed, slow

N = 60
RNG = np.random.default_rng(0)
SIDE = np.arange(N) % 2


def vectors(width):
    return (RNG.normal(size=(N, width)) + 8 * SIDE[:, None]).tolist()


FRAME = pd.DataFrame(
    {
        "price": RNG.normal(size=N) + 8 * SIDE,
        "colour": np.where(SIDE, "red", "blue"),
        "title": [
            f"{'other long sentences' if s else 'some plain words'} n{i}"
            for i, s in enumerate(SIDE)
        ],
        "one": vectors(2),
        "two": vectors(3),
    }
)
VIEWS = {"table": ["price", "colour"], "title": ["title"], "one": ["one"]}
VIEWS["two"] = ["two"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model of columns of every kind, and one of numbers, in folders."""
    folder = tmp_path_factory.mktemp("models")
    FRAME.to_parquet(folder / "all.parquet")
    pd.DataFrame(
        RNG.normal(size=(N, 3)) + 8 * SIDE[:, None], columns=list("abc")
    ).to_csv(folder / "plain.csv", index=False)
    for name, more in {"all.parquet": (), "plain.csv": ("--column", "a")}.items():
        words = ["cluster", folder / name, "--n-clusters", 2, *more]
        code, said = run(*words, "--save", folder / name.split(".")[0])
        assert code == 0, said
    return folder


@pytest.mark.parametrize("data", ["all.parquet", *slow("plain.csv")])
@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--columns", "Nonsense", "must be given when fitting"),
        ("--columns", "price", "must be given when fitting"),
        ("--kinds", "price=categorical", "must be given when fitting"),
        ("--impute", "mean", "this model was fitted with refuse"),
        ("--impute", "neighbors", "this model was fitted with refuse"),
        ("--drop", "Nonsense", "no column matches 'Nonsense'"),
    ],
)
def test_what_is_for_the_fit_is_refused_later(made, data, option, value, problem):
    words = ["predict", made / data.split(".")[0], made / data, option, value]
    code, said = run(*words, "-o", made / "y.csv")
    assert code == 2, said
    assert problem in said


def test_a_column_of_the_fit_cannot_be_dropped_later(made):
    words = ["predict", made / "all", made / "all.parquet", "-o", made / "y.csv"]
    code, said = run(*words, "--drop", "two")
    assert code == 2
    assert "'two' was used in the fit and cannot be dropped" in said


@pytest.mark.parametrize("impute", ["median", "neighbors", *slow("mean", "zero")])
def test_what_fills_is_learned_at_a_fit_without_any_hole(made, impute):
    model, out = made / f"filled_{impute}", made / "y.csv"
    words = ["cluster", made / "plain.csv", "--n-clusters", 2, "--column", "a"]
    assert run(*words, "--impute", impute, "--save", model)[0] == 0
    table = pd.read_csv(made / "plain.csv")[:6]
    table.loc[2, "b"] = np.nan
    encoders = load_model(model).schema_.encoders
    views = []
    for rows in (table, table[2:3]):  # the other new rows say nothing
        rows.to_csv(made / "new.csv", index=False)
        found = datasets.load(made / "new.csv", encoders=encoders).views.arrays[0]
        views.append(found[-4] if len(rows) == 6 else found[0])
        for more in ((), ("--impute", impute)):
            assert run("predict", model, made / "new.csv", "-o", out, *more)[0] == 0
    np.testing.assert_array_equal(*views)


@pytest.mark.parametrize(
    ("view", "how", "rows"), crossed(VIEWS, ["absent", "empty"], [1, 5])
)
def test_a_view_without_its_columns_is_a_missing_view(made, tmp_path, view, how, rows):
    model = load_model(made / "all")
    new, names = FRAME[:rows], VIEWS[view]
    path = tmp_path / "new.parquet"
    schema = pa_schema(FRAME)
    if how == "absent":
        new = new.drop(columns=names)
        schema = pa_schema(FRAME.drop(columns=names))
    else:
        new = new.assign(**dict.fromkeys(names))
    new.to_parquet(path, schema=schema)
    code, said = run("predict", made / "all", path, "-o", tmp_path / "y.csv")
    assert code == 0, said
    want = model.labels_[:rows]
    assert pd.read_csv(tmp_path / "y.csv")["label"].tolist() == want.tolist()
    said = "1 view of the fit missing"
    warned = pytest.warns(UserWarning, match=said) if how == "absent" else nullcontext()
    with warned:
        assert model.predict(new).tolist() == want.tolist()


def pa_schema(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame).schema


def test_a_named_view_may_be_missing(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    words = ["cluster", tmp_path / "t.parquet", "--n-clusters", 2, "--views", "one,two"]
    assert run(*words, "--save", tmp_path / "model")[0] == 0
    FRAME.drop(columns="two").to_parquet(tmp_path / "t.parquet")
    words = ["predict", tmp_path / "model", tmp_path / "t.parquet"]
    code, said = run(*words, "-o", tmp_path / "y.csv")
    assert code == 0, said
    model = load_model(tmp_path / "model")
    labels = pd.read_csv(tmp_path / "y.csv")["label"]
    np.testing.assert_array_equal(labels, model.labels_)
    with pytest.warns(UserWarning, match="1 view of the fit missing: 'two'"):
        found = model.predict(FRAME.drop(columns="two"))
    np.testing.assert_array_equal(found, labels)


def test_part_of_a_view_is_refused_and_so_is_nothing_at_all(made):
    model = load_model(made / "all")
    with pytest.raises(ValueError, match=r"1 missing \('price'\)"):
        model.predict(FRAME.drop(columns="price"))
    with pytest.raises(ValueError, match=r"5 missing"):
        model.predict(pd.DataFrame({"strange": [1.0, 2.0]}))


def test_kinds_are_split_at_commas_but_not_within_an_order(tmp_path):
    size = np.resize(["S", "M", "L"], N)
    table = FRAME[["price", "colour"]].assign(size=size, code=SIDE + 1)
    table.to_csv(tmp_path / "t.csv", index=False)
    kinds = "size=ordinal:S,M,L,code=categorical,colour=ignore"
    words = ["cluster", tmp_path / "t.csv", "--kinds", kinds, "--n-clusters", 2]
    code, said = run(*words, "--save", tmp_path / "model")
    assert code == 0, said
    (own,) = load_model(tmp_path / "model").schema_.encoders.tables
    found = {c.name: (c.kind, c.categories) for c in own.columns}
    assert found == {
        "price": ("numeric", ()),
        "size": ("ordinal", ("S", "M", "L")),
        "code": ("categorical", ("1", "2")),
        "colour": ("ignore", ()),
    }


def test_unseen_categories_are_warnings_on_the_command_line_too(made, tmp_path):
    FRAME[:4].assign(colour="green").to_parquet(tmp_path / "new.parquet")
    words = ["predict", made / "all", tmp_path / "new.parquet"]
    code, said = run(*words, "-o", tmp_path / "y.csv", "--quiet")
    assert code == 0, said
    assert "warning: " in said
    assert "'green'" in said


@pytest.mark.parametrize("mixed", [False, True])
def test_thousands_may_come_on_a_later_day(tmp_path, mixed):
    def german(frame):
        shown = frame.copy()
        for name in ("a", "b"):
            cells = [f"{x:,.2f}" for x in frame[name]]
            shown[name] = [c.translate(str.maketrans(",.", ".,")) for c in cells]
        shown.to_csv(tmp_path / "t.csv", index=False, sep=";")
        return tmp_path / "t.csv"

    values = (RNG.normal(size=(N, 2)) + 8 * SIDE[:, None]).round(2)
    table = pd.DataFrame(values, columns=["a", "b"])
    if mixed:
        table["colour"] = np.where(SIDE, "red", "blue")
    more = ["--n-clusters", 2, "--column", "a", "--save", tmp_path / "model"]
    assert run("cluster", german(table), *more)[0] == 0
    model = load_model(tmp_path / "model")
    new = table[:5].assign(a=6165.23)
    found = datasets.load(german(new), encoders=model.schema_.encoders).views
    own = model.schema_.encoders.of_table("t").columns[0]
    want = (6165.23 - own.centre) / own.spread * own.scale if mixed else 6165.23
    np.testing.assert_allclose(found.arrays[0][:, 0], want)
