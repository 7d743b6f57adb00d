"""Fit once, label new files: cluster --save, predict, model info."""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from data import planted
from mvgraph import GraphConsensus, Views, cli, datasets, load_model, methods
from pairs import slow

CENTRES = 9 * np.eye(3)


def tables(folder, n, seed, names=("rna", "protein", "clinic")):
    """Write one table a view, rows of each in an order of its own; return the truth."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    ids = [f"p{seed}_{i}" for i in range(n)]
    folder.mkdir()
    for name in names:
        d = {"rna": 4, "protein": 3, "clinic": 5}[name]
        x = CENTRES[y] @ np.random.default_rng(len(name)).normal(size=(3, d))
        view = pd.DataFrame(x + 0.3 * rng.normal(size=x.shape), index=ids)
        view.columns = [f"{name}{j}" for j in range(d)]
        view.index.name = "patient"
        view.iloc[rng.permutation(n)].to_csv(folder / f"{name}.csv")
    return pd.Series(y, index=ids)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A model that the command line saved, with the classes behind its labels."""
    folder = tmp_path_factory.mktemp("nightly")
    truth = tables(folder / "fit", 120, 0)
    words = ["cluster", folder / "fit", "--n-clusters", 3]
    words += ["--save", folder / "model", "-o", folder / "y.csv", "-q"]
    with pytest.raises(SystemExit) as end:
        cli.main(list(map(str, words)))
    assert end.value.code == 0
    labels = pd.read_csv(folder / "y.csv", index_col="id")["label"]
    classes = truth.loc[labels.index].groupby(labels).agg(lambda y: y.mode()[0])
    assert sorted(classes) == [0, 1, 2]
    return folder / "model", classes


@pytest.mark.parametrize(
    ("names", "suffix"),
    [
        pytest.param(("clinic", "rna", "protein"), "csv", marks=pytest.mark.slow),
        pytest.param(("protein", "rna"), "parquet", marks=pytest.mark.slow),
        pytest.param(("protein", "rna"), "tsv", marks=pytest.mark.slow),
    ],
)
def test_from_the_shell_with_other_rows_and_views(fitted, tmp_path, suffix, names):
    model, classes = fitted
    truth = tables(tmp_path / "new", 80, 1, names)
    target = tmp_path / f"labels.{suffix}"
    words = ["predict", model, tmp_path / "new", "-o", target]
    command = [sys.executable, "-m", "mvgraph", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    if suffix == "parquet":
        found = pd.read_parquet(target)
    else:
        found = pd.read_csv(target, sep="\t" if suffix == "tsv" else ",")
    assert list(found) == ["id", "label", "confidence"]
    found = found.set_index("id")
    assert sorted(found.index) == sorted(truth.index)
    right = classes.loc[found["label"]].to_numpy() == truth.loc[found.index].to_numpy()
    assert right.mean() > 0.95
    assert found["confidence"].between(1 / 3, 1).all()
    assert {p.name for p in tmp_path.iterdir()} == {"new", target.name}


def test_to_standard_output(fitted, tmp_path, run):
    tables(tmp_path / "new", 30, 2)
    status, out, err = run("predict", fitted[0], tmp_path / "new")
    assert (status, err) == (0, "")
    assert out.startswith("id,label,confidence\np2_")
    assert len(out.splitlines()) == 31


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_blocks_give_what_the_whole_gives(fitted, tmp_path, run, monkeypatch, form):
    """Files in blocks, views in memory or left in the file."""
    folder = tmp_path / "new"
    tables(folder, 2500, 3)
    frames = {p.stem: pd.read_csv(p, index_col=0) for p in folder.glob("*.csv")}
    frames = {name: frame.sort_index() for name, frame in frames.items()}
    expected = load_model(fitted[0]).predict(frames)
    if form == "npz":
        data = tmp_path / "new.npz"
        np.savez(data, **{name: frame.to_numpy() for name, frame in frames.items()})
    else:
        data = tmp_path / "parquet"
        data.mkdir()
        lazily = partial(datasets.load, eager_bytes=1000)
        monkeypatch.setattr(datasets, "load", lazily)
        for name, frame in frames.items():
            frame.to_parquet(data / f"{name}.parquet", row_group_size=700)
    target = tmp_path / "labels.parquet"
    status, _, err = run("predict", fitted[0], data, "-o", target)
    # said once, not with every block; the arrays have no names
    said = ["clinic", "by position", "do not name"] if form == "npz" else []
    assert (status, err.count("\n")) == (0, int(form == "npz"))
    assert all(word in err for word in said)
    found = pd.read_parquet(target)
    np.testing.assert_array_equal(found["label"], expected)
    if form == "parquet":
        assert list(found["id"]) == list(next(iter(frames.values())).index)


def write(frame, path):
    """Write a table with its ids; without an ending, as the only one of a folder."""
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".feather":
        frame.reset_index().to_feather(path)
    elif path.suffix == ".h5ad":
        pytest.importorskip("anndata").AnnData(frame).write_h5ad(path)
    elif path.suffix:
        frame.to_csv(path)
    else:
        path.mkdir()
        frame.to_csv(path / f"{path.name}_table.csv")


@pytest.mark.parametrize(
    "form",
    [
        ".csv",
        ".h5ad",
        *slow(".parquet", ".feather", ""),
    ],
)
def test_the_columns_of_a_single_table(tmp_path, run, form):
    """Its name is free, and so is the order of its columns; not their names."""
    names = "height", "width", "age", "dose"
    rng, y = np.random.default_rng(0), np.arange(90) % 3
    x = pd.DataFrame(9 * rng.normal(size=(3, 4))[y], columns=names)
    x += rng.normal(size=x.shape)
    x.index = pd.Index([f"p{i}" for i in range(90)], name="patient")
    model, target = tmp_path / "model", tmp_path / "y.csv"
    write(x, tmp_path / f"one{form}")
    words = ["cluster", tmp_path / f"one{form}", "--n-clusters", 3]
    assert run(*words, "--save", model, "-o", tmp_path / "fit.csv")[0] == 0
    found = {}
    for name, columns in (
        ("same", names),
        ("moved", ["dose", "age", "height", "width"]),
    ):
        new = tmp_path / f"{name}{form}"
        write(x[list(columns)], new)
        assert run("predict", model, new, "-o", target) == (0, "", "")
        found[name] = target.read_text()
    assert found["same"] == found["moved"]
    assert len(set(pd.read_csv(target)["label"])) == 3
    write(x.rename(columns={"age": "Alter"}), tmp_path / f"renamed{form}")
    words = "missing ('age')", "not in the fit ('Alter')", "Rename", "model info"
    refused(run("predict", model, tmp_path / f"renamed{form}"), *words)
    write(x.assign(day=1.0), tmp_path / f"more{form}")
    words = "1 not in the fit ('day')", "Leave out the columns"
    refused(run("predict", model, tmp_path / f"more{form}"), *words)


def test_model_info(fitted, run):
    status, out, _ = run("model", "info", fitted[0], "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["class"] == "GraphConsensus"
    assert facts["views"] == {"clinic": 5, "protein": 3, "rna": 4}
    assert sum(facts["sizes"].values()) == facts["n"] == 120
    assert facts["k"] == facts["params"]["n_clusters"] == 3
    assert facts["confidence"]
    assert "clinic (5)" in run("model", "info", fitted[0])[1]


def test_model_info_names_the_columns(tmp_path, run):
    x, y = 9 * np.random.default_rng(0).normal(size=(3, 7)), np.arange(60) % 3
    names = [f"f{j}" for j in range(7)]
    views = Views([x[y], x[y][:, :2]], ["a", "b"], None, [names, None])
    with pytest.warns(UserWarning, match="distinct"):
        GraphConsensus(4, random_state=0).fit(views).save(tmp_path / "m")
    facts = json.loads(run("model", "info", tmp_path / "m", "--json")[1])
    assert facts["columns"] == {"a": names, "b": None}
    shown = run("model", "info", tmp_path / "m")[1]
    assert "a: f0, f1, f2, f3, f4 and 2 more; b: without names" in shown


def test_a_summary_as_json_and_a_limit(fitted, tmp_path, run):
    model, _ = fitted
    tables(tmp_path / "new", 30, 5)
    words = ["predict", model, tmp_path / "new"]
    lines = [line.split(",") for line in run(*words)[1].splitlines()[1:]]
    status, out, err = run(*words, "--json")
    found = json.loads(out)
    assert (status, err, found["n"], found["model"]) == (0, "", 30, str(model))
    assert found["ids"] == [line[0] for line in lines]
    assert found["labels"] == [int(line[1]) for line in lines]
    np.testing.assert_allclose(found["confidence"], [float(c) for *_, c in lines], 1e-5)
    assert sum(found["sizes"].values()) == 30
    target = tmp_path / "y.csv"
    status, out, _ = run(*words, "--json", "-o", target)
    assert (status, json.loads(out)["output"]) == (0, str(target))
    assert len(target.read_text().splitlines()) == 31
    np.save(tmp_path / "large.npy", np.zeros((200, 200)))
    words = ["predict", model, tmp_path / "large.npy", "--memory-limit"]
    assert run(*words, "1kB")[0] == 3
    refused(run(*words, "much"), "--memory-limit", "'much' is not a size")


def refused(result, *words):
    status, out, err = result
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in words), err


def test_what_is_refused(fitted, tmp_path, run):
    model, _ = fitted
    new = tmp_path / "new"
    tables(new, 30, 4)
    refused(run("predict", new, new), "there is no model")
    refused(run("predict", model, tmp_path / "no"), "no")
    # before anything is read
    refused(run("predict", model, tmp_path / "no", "--level", 0), "from 1 to")
    refused(run("predict", model, new, "-o", new / "rna.csv"), "would replace")
    refused(run("predict", model, new, "-o", model / "model.json"), "would replace")
    (new / "rna.csv").rename(new / "other.csv")
    refused(run("predict", model, new), "other", "pass the same names")
    refused(run("model", "info", tmp_path), "there is no model")
    table = pd.read_csv(new / "other.csv", index_col=0)
    table.iloc[:, :2].to_csv(new / "rna.csv")
    (new / "other.csv").unlink()
    refused(run("predict", model, new), "rna")


def test_a_folder_with_something_else_is_not_saved_into(fitted, tmp_path, run):
    folder = tmp_path / "work"
    (folder / "data").mkdir(parents=True)
    (folder / "model.json").write_bytes((fitted[0] / "model.json").read_bytes())
    (folder / "thesis.tex").write_text("x")
    before = sorted(p.name for p in folder.iterdir())
    args = ("cluster", "digits", "--n-clusters", 3, "--save")
    refused(run(*args, folder), "is not a model", "contains 'data'", "another folder")
    assert sorted(p.name for p in folder.iterdir()) == before
    refused(run(*args, tmp_path / "no" / "model"), "there is no folder")
    refused(
        run(*args, tmp_path / "m", "--method", "spectral-concat"),
        "--save: SpectralConcat cannot label new samples",
    )
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("form", ["npz", *slow("mat")])
def test_a_model_tells_the_reader_its_views(tmp_path, run, form):
    """One sample; views of one feature; samples in columns: the model knows them."""
    rng, y = np.random.default_rng(0), np.arange(90) % 3
    x = {"a": 9 * rng.normal(size=(3, 4))[y], "b": 9 * rng.normal(size=(3, 1))[y]}
    x = {name: one + rng.normal(size=one.shape) for name, one in x.items()}
    GraphConsensus(3, random_state=0).fit(x).save(tmp_path / "model")

    def predict(arrays, *words):
        path = tmp_path / f"new.{form}"
        save = np.savez if form == "npz" else lambda p, **v: savemat(p, v)
        save(path, **arrays)
        status, out, err = run("predict", tmp_path / "model", path, *words)
        assert (status, err) == (0, ""), err
        return out.splitlines()[1:]

    every = predict(x)
    assert len(every) == 90
    assert predict({"b": x["b"], "a": x["a"]}) == every
    assert predict({name: one.T for name, one in x.items()}) == every
    for i in (0, 1, 7):
        one = predict({name: own[i : i + 1] for name, own in x.items()})
        assert [line.split(",")[1] for line in one] == [every[i].split(",")[1]]
    four = {name: own[:4] for name, own in x.items()}  # a is square
    assert predict(four) == every[:4]
    single = {"other": x["a"][:1]}
    GraphConsensus(3, random_state=0).fit({"a": x["a"]}).save(tmp_path / "model")
    assert len(predict(single)) == 1
    assert len(predict({"other": x["a"].T})) == 90


@pytest.mark.parametrize("name", methods.names())
def test_a_method_saves_what_predict_can_use_or_says_so_before_the_fit(
    name, tmp_path, run
):
    X, _ = planted(30, spread=9)
    np.savez(tmp_path / "x.npz", a=X[0], b=X[1])
    words = ("--n-clusters", 3, "--method", name, "--save", tmp_path / "m")
    status, _, said = run("cluster", tmp_path / "x.npz", *words)
    if methods.get(name).make(3).predictor is None:
        assert (status, said.count("\n")) == (2, 1)
        assert "cannot label new samples" in said
        assert not (tmp_path / "m").exists()
        return
    assert status == 0
    model = load_model(tmp_path / "m")
    status, out, said = run("predict", tmp_path / "m", tmp_path / "x.npz")
    assert (status, said) == (0, "")
    found = [int(line.split(",")[1]) for line in out.splitlines()[1:]]
    np.testing.assert_array_equal(found, model.predict(X))
