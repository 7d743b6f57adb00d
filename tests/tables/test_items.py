"""The job of an analyst: items with columns of every kind, today and next day."""

import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from items import items, run, write

SIZES = [800, pytest.param(5000, marks=pytest.mark.slow)]


def score(path, y):
    return adjusted_rand_score(y, pd.read_csv(path)["label"])


@pytest.fixture
def parquet(tmp_path):
    def made(n, seed, **changes):
        table, y = items(n, seed)
        for name, column in changes.items():
            at = table.column_names.index(name) if name in table.column_names else None
            add = table.append_column if at is None else None
            table = add(name, column) if add else table.set_column(at, name, column)
        path = tmp_path / f"items_{seed}.parquet"
        write(table, path)
        return path, y

    return made


@pytest.mark.parametrize("n", SIZES)
def test_named_views_ignore_everything_else(parquet, tmp_path, n):
    path, y = parquet(n, 0)
    out, model = tmp_path / "y.csv", tmp_path / "model"
    words = ["cluster", path, "--n-clusters", 6, "-o", out, "--save", model]
    code, said = run(*words, "--views", "text_embedding,image_embedding")
    assert code == 0, said
    assert score(out, y) > 0.9
    assert "column 'price': not one of the views that were named" in said
    path, y = parquet(100, 1, news=[["one", "two", "three", "four"][:1] * 100])
    code, said = run("predict", model, path, "-o", out)
    assert code == 0, said
    assert score(out, y) > 0.9
    assert "1 column that the fit did not use: 'news'" in said


@pytest.mark.parametrize("n", SIZES)
def test_all_columns_and_the_next_day(parquet, tmp_path, n):
    path, y = parquet(n, 0)
    out, model = tmp_path / "y.csv", tmp_path / "model"
    words = ["cluster", path, "--n-clusters", 6, "-o", out, "--save", model]
    code, said = run(*words)
    assert code == 2
    holes = pd.read_parquet(path)["price"].isna().sum()
    assert f"'price' ({holes} empty cells of {n}, first in row" in said
    assert "--impute median" in said
    code, said = run(*words, "--impute", "median")
    assert code == 0, said
    assert score(out, y) > 0.9
    for told in ("text             text ", "country          categorical", "season"):
        assert told in said
    country = ["ZZ"] * 3 + ["DE"] * 97
    text = ["strange wordings nobody knows"] * 2 + items(100, 1)[0]["text"][
        2:
    ].to_pylist()
    path, y = parquet(100, 1, country=[country], text=[text])
    code, said = run("predict", model, path, "-o", out)
    assert code == 0, said
    assert score(out, y) > 0.9
    assert "3 cells of 1 category that the fit did not have, such as 'ZZ'" in said
    assert "2 texts without any word of the fit, such as row 0" in said


def test_a_column_that_lacks_is_refused_and_a_new_one_too(parquet, tmp_path):
    path, _ = parquet(300, 0)
    model = tmp_path / "model"
    words = ["cluster", path, "--n-clusters", 6, "--save", model, "--impute", "mean"]
    assert run(*words)[0] == 0
    table, _ = items(50, 1)
    write(table.drop_columns(["price"]), path)
    code, said = run("predict", model, path)
    assert code == 2
    assert "1 missing ('price')" in said
    write(table.append_column("stock", [[1.0] * 50]), path)
    code, said = run("predict", model, path)
    assert code == 2
    assert "1 not in the fit ('stock')" in said
    assert (
        run("predict", model, path, "--drop", "stock", "-o", tmp_path / "y.csv")[0] == 0
    )


def test_one_file_says_all_and_is_written_as_a_start(parquet, tmp_path):
    path, y = parquet(400, 0)
    schema, out = tmp_path / "tables.yaml", tmp_path / "y.csv"
    assert run("datasets", "info", path, "--write", schema)[0] == 0
    text = schema.read_text()
    assert "country: categorical" in text
    assert "impute: refuse" in text
    text = text.replace("impute: refuse", "impute: neighbors")
    schema.write_text(text.replace("  - date\n", ""))
    model = tmp_path / "model"
    words = ["cluster", path, "--n-clusters", 6, "--save", model, "-o", out]
    code, said = run(*words, "--schema", schema)
    assert code == 0, said
    assert "column 'date': not one of the views that were named" in said
    assert score(out, y) > 0.9
    other, y = parquet(60, 1)
    assert run("predict", model, other, "-o", out)[0] == 0
    assert score(out, y) > 0.9


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("view: [a]", "the key 'view' is unknown"),
        ("- a", "no keys"),
        ("kinds: [a]", "kinds contains"),
        ("kinds: {country: ordinal}", "it has no order"),
        ("impute: mode", "impute must be one of"),
        ("columns: [prize]", "no column matches 'prize'"),
        ("a: [", "not a YAML file"),
    ],
)
def test_faults_of_the_file_are_named(parquet, tmp_path, content, problem):
    path, _ = parquet(60, 0)
    (tmp_path / "t.yaml").write_text(content)
    words = ["cluster", path, "--n-clusters", 6, "--schema", tmp_path / "t.yaml"]
    code, said = run(*words)
    assert code == 2
    assert problem in said


def test_items_without_any_view_are_dropped_on_request_and_others_keep_their_place(
    parquet, tmp_path
):
    empty = items(200, 0)[0]["text_embedding"].to_pylist()
    empty[7] = None
    held = items(200, 0)[0]["image_embedding"].to_pylist()
    held[7] = None
    path, y = parquet(200, 0, text_embedding=[empty], image_embedding=[held])
    out = tmp_path / "y.csv"
    words = ["cluster", path, "--n-clusters", 6, "-o", out]
    words += ["--views", "text_embedding,image_embedding"]
    code, said = run(*words)
    assert code == 2
    assert "sample 7 is absent from every view; drop it (a table: --impute" in said
    code, said = run(*words, "--impute", "drop-rows")
    assert code == 0, said
    found = pd.read_csv(out)
    assert found["id"].tolist() == [i for i in range(200) if i != 7]
    assert adjusted_rand_score(y[found["id"]], found["label"]) > 0.9
