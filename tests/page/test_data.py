"""What a page holds, without a browser: samples that are drawn, packing, escaping."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import planted
from mvgraph import GraphConsensus, Views, load_model, write_page
from mvgraph.page.columns import MISSING, quantise
from mvgraph.page.data import collect
from mvgraph.page.document import Columns, document, unpack
from mvgraph.page.space import KEPT, draw_rows

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>"


@given(
    sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=12),
    most=st.integers(20, 4000),
)
def test_every_group_keeps_enough_samples(sizes, most):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = draw_rows(labels, most, np.random.default_rng(0))
    assert len(rows) <= most
    assert (np.diff(rows) > 0).all()
    kept = np.bincount(labels[rows], minlength=len(sizes))
    assert (kept >= np.minimum(sizes, min(KEPT, most // len(sizes)))).all()
    if sum(sizes) <= most:
        assert len(rows) == sum(sizes)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=1))
def test_numbers_are_the_same_within_the_rounding(values):
    found = quantise(np.array(values))
    for value, code in zip(values, found.codes.tolist(), strict=True):
        if np.isnan(value):
            assert code == MISSING
        elif found.values is not None:
            assert found.values[code] == value


def test_many_numbers_are_rounded_to_a_254th():
    x = np.random.default_rng(0).normal(size=5000)
    found = quantise(x)
    back = found.low + found.codes * (found.high - found.low) / 254
    inside = (x > found.low) & (x < found.high)
    assert np.abs(back - x)[inside].max() <= (found.high - found.low) / 508 + 1e-12


def test_columns_come_back():
    columns = Columns()
    arrays = [np.arange(5, dtype=np.uint8), np.array([7, 65535], dtype=np.uint16)]
    words = ["a", HOSTILE, "\u05d0\u05d1", "\ud800"]
    places = [columns.add(x) for x in arrays]
    text = columns.add_words(words)
    for x, place in zip(arrays, places, strict=True):
        assert place["at"] % x.itemsize == 0
        assert unpack(columns.text(), place).tolist() == x.tolist()
    assert unpack(columns.text(), text)[:3] == words[:3]


@pytest.fixture(scope="module")
def fitted():
    arrays, _ = planted(centres="axes")
    ids = [f"{HOSTILE}{i}" for i in range(len(arrays[0]))]
    features = [[f"<b onclick='x()'>{j}" for j in range(x.shape[1])] for x in arrays]
    views = Views(arrays, [HOSTILE, "b", "c"][: len(arrays)], ids, features)
    return GraphConsensus(3, random_state=0).fit(views), views


@pytest.mark.slow
def test_nothing_of_the_data_is_active(fitted, tmp_path):
    path = tmp_path / "page.html"
    model, views = fitted
    size = model.page(
        views, path, metadata={HOSTILE: [HOSTILE] * len(views)}, name=HOSTILE
    )
    page = path.read_text("utf-8")
    assert size == path.stat().st_size
    assert len(re.findall("<script", page)) == 3
    assert len(re.findall("</script", page)) == 3
    assert "<img" not in page
    assert "<b onclick" not in page
    assert not re.search(r"<[^>]* style=", page)
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


@pytest.mark.slow
def test_the_index_is_json_and_points_to_the_samples(fitted):
    model, views = fitted
    data = collect(model, views)
    index, packed = document(data)
    json.dumps(index, allow_nan=False)
    assert unpack(packed, index["ids"]) == views.ids.tolist()
    own = index["levels"][index["base"]]
    numbers = np.array([g["number"] for g in own["groups"]])
    codes = unpack(packed, own["codes"])
    assert (numbers[codes] == model.labels_).all()
    assert sum(g["size"] for g in own["groups"]) == len(views)


@pytest.mark.slow
def test_a_group_has_one_number_and_colour_at_every_level(fitted):
    model, views = fitted
    data = collect(model, views)
    for shown in data.levels:
        assert set(shown.level.numbers) <= set(data.colours)
        if shown.level.k <= data.levels[data.base].level.k:
            assert set(shown.level.numbers) <= set(np.unique(model.labels_).tolist())
    base = data.levels[data.base].level.numbers
    assert len({data.colours[number] for number in base}) == len(base)


@pytest.mark.slow
def test_other_rows_are_refused(fitted, tmp_path):
    model, views = fitted
    with pytest.raises(ValueError, match="another order"):
        write_page(model, views[::-1], tmp_path / "page.html")
    with pytest.raises(ValueError, match="ending"):
        write_page(model, views, tmp_path / "page.txt")


@pytest.mark.slow
def test_columns_of_a_table_are_shown_as_they_were_written(tmp_path):
    """Numbers in their unit, words, texts, small copies of pictures in the folder."""
    import pandas as pd
    from PIL import Image

    from mvgraph import datasets
    from mvgraph.datasets._beside import columns_beside

    (tmp_path / "data").mkdir()
    rng, n = np.random.default_rng(0), 60
    Image.new("RGB", (300, 200), "red").save(tmp_path / "data" / "a.png")
    Image.new("RGB", (30, 20)).save(tmp_path / "outside.png")
    (tmp_path / "data" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    frame = pd.DataFrame(
        {
            "id": [f"i{i}" for i in range(n)],
            "price": rng.normal(50, 10, n) + 90 * (np.arange(n) % 2),
            "weight": rng.normal(size=n),
            "colour": rng.choice(["red", "blue"], n),
            "note": [f"text {i} of its own" for i in range(n)],
            "photo": rng.choice(["a.png", "b.png", "../outside.png"], n),
        }
    )
    path = tmp_path / "data" / "items.csv"
    frame.to_csv(path, index=False)
    dataset = datasets.load(path, drop=["photo", "note"], impute="median")
    known = columns_beside(path, dataset)
    assert known["price"].tolist() == frame["price"].tolist()
    model = GraphConsensus(2, random_state=0).fit(dataset.views)
    data = collect(model, dataset.views, metadata=known, folder=path.parent)
    kinds = {c.name: c.kind for c in data.columns if not c.view}
    assert kinds == {
        **dict.fromkeys(("price", "weight"), "number"),
        **{"colour": "category", "note": "text"},
    }
    assert data.files
    assert {frame["photo"][i] for i in data.files} == {"a.png"}
    assert max(map(len, data.files.values())) < 4000


@pytest.mark.slow
def test_metadata_must_fit_the_samples(fitted):
    import pandas as pd

    model, views = fitted
    with pytest.raises(ValueError, match="one value for each of"):
        collect(model, views, metadata={"short": [1, 2]})
    frame = pd.DataFrame({"place": np.arange(len(views))}, index=views.ids)
    data = collect(model, views, metadata=frame[::-1])
    place = next(c for c in data.columns if c.name == "place")
    assert [place.values[c] for c in place.codes] == list(range(len(views)))
    with pytest.raises(ValueError, match="have no row"):
        collect(model, views, metadata=frame[:5])


@pytest.mark.slow
def test_a_page_of_fifty_thousand_samples_is_small(fitted):
    """Names, numbers and texts that hardly compress, many views and levels."""
    import dataclasses

    from mvgraph.page.columns import given_columns
    from mvgraph.page.space import MOST, NONE
    from mvgraph.page.write import render

    model, views = fitted
    small, rng = collect(model, views), np.random.default_rng(0)
    rows, V = np.arange(MOST), 6
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz0123456789 "))
    words = rng.choice(letters, (2, MOST, 200))
    given = {f"x{j}": rng.normal(size=MOST) for j in range(40)}
    given |= {f"text {j}": words[j].copy().view("U200")[:, 0] for j in range(2)}
    columns = given_columns(dict(list(given.items())[-24:]), rows)
    numbers = given_columns(dict(list(given.items())[:24]), rows)
    levels = []
    for shown in small.levels:
        codes = rng.integers(0, shown.level.k, MOST)
        votes = np.repeat(codes[:, None], V, axis=1).astype(np.uint16)
        wrong = rng.random(votes.shape) < 0.2
        votes[wrong] = rng.choice([0, 1, NONE], wrong.sum())
        levels.append(dataclasses.replace(shown, codes=codes, votes=votes))
    data = dataclasses.replace(
        small,
        rows=rows,
        ids=["".join(row) for row in rng.choice(letters, (MOST, 20)).tolist()],
        xy=rng.normal(size=(MOST, 2)),
        levels=levels,
        sure=rng.random(MOST),
        outlier=rng.random(MOST),
        columns=columns + numbers + numbers[:16],
    )
    assert len(data.columns) >= 60
    assert len(render(data).encode()) <= 8e6


@pytest.mark.slow
@pytest.mark.parametrize("rows", [True, False])
def test_a_saved_model_has_the_same_page(tmp_path, rows):
    """Also without what was learned of every sample: the predictor is asked for it."""
    arrays, _ = planted(n=200, k=3, spread=9)
    views = Views(arrays, ["a", "b"], [f"s{i}" for i in range(200)])
    model = GraphConsensus(random_state=0).fit(views)
    assert model.levels_
    model.save(tmp_path / "model", rows=rows)
    again = load_model(tmp_path / "model")
    assert again.levels_[0].k == model.levels_[0].k
    one, other = (collect(m, views) for m in (model, again))
    assert one.ids == other.ids
    assert (one.xy == other.xy).all()
    for a, b in zip(one.levels, other.levels, strict=True):
        assert a.names == b.names
        assert a.level.confidence == b.level.confidence
        assert (a.codes == b.codes).all()
    assert np.abs(one.sure - other.sure).max() < 0.3


@pytest.mark.slow
def test_names_that_the_model_has_are_shown_at_every_level_that_has_the_cluster():
    views, _ = planted(90, 3)
    model = GraphConsensus(3, random_state=0).fit(views)
    model.rename_clusters({0: "mine", 2: "theirs"})
    data = collect(model, views)
    for shown in data.levels:
        assert len(set(shown.names)) == shown.level.k
        base = data.levels[data.base].level
        for number, name in {0: "mine", 2: "theirs"}.items():
            if number not in shown.level.numbers:
                continue
            i = shown.level.numbers.index(number)
            at = base.numbers.index(number)
            same = np.array_equal(shown.level.codes == i, base.codes == at)
            assert (shown.names[i] == name) == same
    own = data.levels[data.base]
    assert own.names[own.level.numbers.index(1)] not in ("", "mine", "theirs")


@pytest.mark.dask
def test_rows_on_workers_are_read(fitted):
    import dask.array as da

    arrays, _ = planted(n=90, k=3)
    far = [da.from_array(x, chunks=(30, x.shape[1])) for x in arrays]
    model = GraphConsensus(3, random_state=0).fit(far)
    near = collect(GraphConsensus(3, random_state=0).fit(arrays), arrays)
    assert (collect(model, far).xy == near.xy).all()
