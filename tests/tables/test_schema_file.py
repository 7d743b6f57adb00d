"""A schema file: views and their columns, written as a start, read back the same."""

import numpy as np
import pandas as pd
import pytest
import yaml

from mvgraph import datasets, read_columns

N = 30
RNG = np.random.default_rng(0)
SIDE = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "item_id": [f"i{i}" for i in range(N)],
        "price": RNG.normal(size=N),
        "discount_de": RNG.normal(size=N),
        "discount_fr": RNG.normal(size=N),
        "colour": np.where(SIDE, "red", "blue"),
        "title": [
            f"{'sea and salt water' if s else 'corn and dry soil'} no{i}"
            for i, s in enumerate(SIDE)
        ],
        "code": [f"c{i}" for i in range(N)],
        "vector": RNG.normal(size=(N, 3)).round(3).tolist(),
    }
)
GROUPS = {
    "prices": ["price", "discount_*"],
    "words": "title",
    "looks": ["colour"],
    "embedding": ["vector"],
}


def same(one, two):
    assert one.names == two.names
    assert one.feature_names == two.feature_names
    assert one.ids.tolist() == two.ids.tolist()
    for x, y in zip(one.arrays, two.arrays, strict=True):
        x, y = (a.toarray() if hasattr(a, "toarray") else a for a in (x, y))
        np.testing.assert_array_equal(x, y)


def write(frame, path):
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)


@pytest.mark.parametrize(
    ("suffix", "several", "kinds"),
    [
        *[(".csv", False, "mixed"), (".parquet", True, "mixed")],
        *[(".csv", True, "numbers"), (".parquet", False, "numbers")],
    ],
)
def test_what_is_written_reads_the_same(tmp_path, suffix, several, kinds):
    numbers = FRAME[["item_id", "price", "discount_de"]]
    path = tmp_path / "data" / f"one{suffix}"
    path.parent.mkdir()
    write(FRAME if kinds == "mixed" else numbers, path)
    if several:
        write(numbers.rename(columns={"price": "cost"}), path.with_stem("two"))
        path = path.parent
    schema = tmp_path / "tables.yaml"
    datasets.info(path, write=schema)
    found = yaml.safe_load(schema.read_text())
    assert found["ids"] == ["item_id"]
    if kinds == "mixed":
        key = "one:price" if several else "price"
        assert key in found["views"]["one"]
        assert "# columns without a view: " in schema.read_text()
    same(datasets.load(path, schema=schema).views, datasets.load(path).views)


@pytest.mark.parametrize("how", ["schema", "key_map", "memory"])
def test_columns_are_grouped_into_views(tmp_path, how):
    path = tmp_path / "items.parquet"
    write(FRAME, path)
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({"views": GROUPS}, sort_keys=False))
    if how == "schema":
        views = datasets.load(path, schema=tmp_path / "t.yaml").views
    elif how == "key_map":
        views = datasets.load(path, {"views": GROUPS}).views
    else:
        views = read_columns(FRAME, views=GROUPS)
    assert views.names == tuple(GROUPS)
    assert views.feature_names[0] == ("price", "discount_de", "discount_fr")
    assert views.feature_names[2] == ("colour=blue", "colour=red")
    np.testing.assert_array_equal(views.view("prices"), FRAME.iloc[:, 1:4])
    np.testing.assert_array_equal(views.view("embedding"), np.stack(FRAME["vector"]))
    write(FRAME[::-1], path)
    again = datasets.load(path, encoders=views.encoders).views
    assert again.names == views.names
    np.testing.assert_array_equal(again.view("prices"), views.view("prices")[::-1])


@pytest.mark.parametrize(
    ("views", "problem"),
    [
        ({"a": ["price", "title"]}, "'title' is text. Give it a view of its own"),
        ({"a": ["prize"]}, "no column matches 'prize'"),
        ({"a": 3}, "contains 3"),
    ],
)
def test_groups_that_cannot_be_are_refused(tmp_path, views, problem):
    write(FRAME, tmp_path / "items.parquet")
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({"views": views}))
    with pytest.raises(ValueError, match=problem):
        datasets.load(tmp_path / "items.parquet", schema=tmp_path / "t.yaml")
