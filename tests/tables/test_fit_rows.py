"""What tables are encoded with is learned from the samples of the fit, and from all."""

import numpy as np
import pandas as pd
import pytest

from items import run
from mvgraph import GraphConsensus, datasets, read_columns
from pairs import cover_pairs

N = 40
RNG = np.random.default_rng(3)
SIDE = np.arange(N) % 2
KEPT = np.arange(N) < 30
OTHER_KINDS = ("numbers", "mixed", "folder")
WORDS = np.where(SIDE, "sea and salt water", "corn and dry soil")


def tables():
    """Make two tables; the last ten samples are odd, and one table lacks them."""
    far = np.where(KEPT, 0.0, 1e3)
    first = pd.DataFrame(
        {
            "sample_id": [f"s{i}" for i in range(N)],
            "a": RNG.normal(size=N) + far,
            "kind": np.where(KEPT, np.where(SIDE, "x", "y"), "odd"),
            "text": np.where(KEPT, WORDS, "strange other things here"),
        }
    )
    second = pd.DataFrame({"sample_id": first["sample_id"], "b": RNG.normal(size=N)})
    second["c"] = np.where(SIDE, "p", "q")
    return first, second


def learned(encoders):
    """Return what the columns were learned to be, as plain values."""
    numbers = ("fill", "centre", "spread", "scale")
    return {
        (own.table, c.name): (
            c.kind,
            c.categories,
            None if c.words is None else tuple(c.words),
            *(None if c.fill is None else round(vars(c)[n], 9) for n in numbers),
        )
        for own in encoders.tables
        for c in own.columns
    }


@pytest.mark.parametrize("how", ["inner", "drop-rows"])
@pytest.mark.parametrize("memory", [True, False])
def test_what_is_learned_comes_from_the_samples_that_stay(tmp_path, how, memory):
    first, second = tables()
    options = {"join": "inner"} if how == "inner" else {"impute": "drop-rows"}
    if how == "inner":
        second = second[KEPT].reset_index(drop=True)
    else:
        second.loc[~KEPT, "b"] = np.nan

    def read(frames, **more):
        if memory:
            return read_columns(frames, ids="sample_id", **more)
        for name, frame in frames.items():
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        return datasets.load(tmp_path, **more).views

    found = read({"first": first, "second": second.sample(frac=1, random_state=0)},
                 **options)  # fmt: skip
    alone = read({"first": first[KEPT], "second": second[:30]}, **options)
    assert len(found) == len(alone) == KEPT.sum()
    assert learned(found.encoders) == learned(alone.encoders)
    order = [list(found.ids).index(name) for name in alone.ids]
    for x, y in zip(found[order].arrays, alone.arrays, strict=True):
        x, y = (a.toarray() if hasattr(a, "toarray") else a for a in (x, y))
        np.testing.assert_allclose(x, y, atol=1e-12)


# ------------------------------------------------------------ the first empty cell
@pytest.mark.parametrize(
    "kinds",
    ["prefixes", *(pytest.param(k, marks=pytest.mark.slow) for k in OTHER_KINDS)],
)
def test_the_first_empty_cell_after_any_fit_is_filled_from_the_fit(tmp_path, kinds):
    values = RNG.normal(size=(N, 4)) + 6 * SIDE[:, None]
    names = ["v1_a", "v1_b", "v2_a", "v2_b"] if kinds == "prefixes" else list("abcd")
    frame = pd.DataFrame(values, columns=names)
    if kinds == "mixed":
        frame["colour"] = np.where(SIDE, "red", "blue")

    def write(rows, where):
        if kinds != "folder":
            rows.to_csv(tmp_path / f"{where}.csv", index=False)
            return tmp_path / f"{where}.csv"
        folder = tmp_path / where
        folder.mkdir()
        for name, own in (("one", rows[["a", "b"]]), ("two", rows[["c", "d"]])):
            own.to_csv(folder / f"{name}.csv", index=False)
        return folder

    model, out = tmp_path / "model", tmp_path / "y.csv"
    words = ["cluster", write(frame, "fit"), "--n-clusters", 2, "--save", model]
    assert run(*words, *[w for n in names for w in ("--column", n)])[0] == 0
    new = frame[:6].copy()
    new.loc[2, names[1]] = np.nan
    holes = write(new, "holes")
    code, said = run("predict", model, holes, "-o", out)
    assert code == 2
    assert "--impute median" in said
    code, said = run("predict", model, holes, "--impute", "median", "-o", out)
    assert code == 0, said
    found = pd.read_csv(out)
    new.loc[2, names[1]] = np.median(frame[names[1]])
    assert run("predict", model, write(new, "full"), "-o", out)[0] == 0
    pd.testing.assert_frame_equal(found, pd.read_csv(out))


# -------------------------------------------------------------- columns of later days
@pytest.mark.parametrize(
    ("fmt", "chosen", "more", "mixed"),
    cover_pairs(
        ["csv", "parquet", "memory"], [False, True], [1.5, "word"], [False, True]
    ),
)
def test_a_new_column_is_refused_unless_the_fit_chose(
    tmp_path, chosen, more, mixed, fmt
):
    frame = pd.DataFrame(
        RNG.normal(size=(N, 3)) + 6 * SIDE[:, None], columns=list("abc")
    )
    if mixed:
        frame["colour"] = np.where(SIDE, "red", "blue")
    words = {"columns": list(frame)} if chosen else {}
    new = frame[:6].assign(more=more)[["more", *frame]]
    if fmt == "memory":
        model = GraphConsensus(n_clusters=2, random_state=0)
        model.fit(read_columns(frame, **words))

        def predict():
            return model.predict(new)
    else:
        for name, own in (("fit", frame), ("new", new)):
            path = tmp_path / f"{name}.{fmt}"
            own.to_csv(path, index=False) if fmt == "csv" else own.to_parquet(path)
        views = datasets.load(tmp_path / f"fit.{fmt}", **words, column="a").views
        model = GraphConsensus(n_clusters=2, random_state=0).fit(views)
        known = model.schema_.encoders

        def predict():
            path = tmp_path / f"new.{fmt}"
            return model.predict(datasets.load(path, encoders=known).views)

    if not chosen:
        with pytest.raises(ValueError, match="'more'"):
            predict()
        return
    with pytest.warns(UserWarning, match="1 column that the fit did not use: 'more'"):
        found = predict()
    np.testing.assert_array_equal(found, model.labels_[:6])
