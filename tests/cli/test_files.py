"""The command line on the files that people bring, and what it writes."""

import hashlib
import json
import sys

import numpy as np
import pandas as pd
import pytest

from mvgraph import datasets, methods
from mvgraph.base.checks import needs_every_view
from mvgraph.datasets import _fetch
from pairs import slow

NAMES = [f"patient {i}" for i in range(30)]


@pytest.fixture
def folder(tmp_path):
    """Two tables of features by samples, in different order."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 9], 15)
    path = tmp_path / "omics"
    path.mkdir()
    for i, d in enumerate((3, 4)):
        view = pd.DataFrame(y[:, None] + rng.normal(size=(30, d)), index=NAMES)
        view.columns = [f"gene {i}{j}" for j in range(d)]
        view.iloc[rng.permutation(30)].T.to_csv(path / f"v{i}.csv")
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_labels_with_ids_by_suffix(run, folder, tmp_path, suffix):
    target = tmp_path / f"labels.{suffix}"
    args = ("--n-clusters", 2, "--orientation", "columns", "-o", target)
    assert run("cluster", folder, *args, "--method", "kmeans-concat") == (0, "", "")
    if suffix == "parquet":
        found = pd.read_parquet(target)
    else:
        found = pd.read_csv(target, sep="\t" if suffix == "tsv" else ",")
    labels = found.set_index("id")["label"].loc[NAMES].to_numpy()
    assert sorted(found["id"]) == sorted(NAMES)
    assert len({*labels[:15]}) == len({*labels[15:]}) == 1
    assert labels[0] != labels[-1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [target.name, "omics"]


def test_join(run, folder):
    path = folder / "v1.csv"
    pd.read_csv(path, index_col=0).iloc[:, :20].to_csv(path)
    args = ("cluster", folder, "--n-clusters", 2, "--orientation", "columns")
    args = (*args, "--method", "kmeans-concat")
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert "lacks 10 of them" in err
    status, out, _ = run(*args, "--join", "inner")
    assert (status, len(out.splitlines())) == (0, 21)


def test_a_column_that_looks_like_names_is_asked_about(run, tmp_path):
    path, rng = tmp_path / "study", np.random.default_rng(0)
    path.mkdir()
    for i, order in enumerate([slice(None), slice(None, None, -1)]):
        view = pd.DataFrame(np.repeat([[0.0], [9]], 15, 0) + rng.normal(size=(30, 3)))
        view.insert(0, "time", 1e9 + np.arange(30) / 7)
        view.iloc[order].to_csv(path / f"v{i}.csv", index=False)
    args = ("cluster", path, "--n-clusters", 2, "--method", "kmeans-concat")
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert "--ids time if it names the samples, or --column time if" in err
    status, out, _ = run(*args, "--ids", "time")
    assert (status, out.splitlines()[1][:6]) == (0, "100000")
    status, out, _ = run(*args, "--column", "time")
    assert (status, out.splitlines()[1][:2]) == (0, "0,")


def test_parquet_is_refused_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    target = tmp_path / "labels.parquet"
    status, _, err = run("cluster", "digits", "--n-clusters", 2, "-o", target)
    assert status == 2
    assert "mvgraph[files]" in err


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A registry of one small file, which lies in the cache."""
    source = tmp_path / "toy.npz"
    rng = np.random.default_rng(0)
    np.savez(source, a=rng.normal(size=(20, 2)), b=rng.normal(size=(20, 3)))
    content = source.read_bytes()
    entry = _fetch.Entry(
        "toy", "toy.npz", len(content), hashlib.sha256(content).hexdigest(),
        "Somebody 1998", "for research", ("http://127.0.0.1:9/toy.npz",),
    )  # fmt: skip
    monkeypatch.setattr(_fetch, "registry", lambda: {"toy": entry})
    monkeypatch.setenv("MVGRAPH_DATA", str(tmp_path / "cache"))
    return content


def test_fetch(run, published, tmp_path):
    status, out, err = run("datasets", "fetch", "toy", "--offline")
    assert (status, out) == (2, "")
    assert "not in the cache" in err
    status, _, err = run("datasets", "info", "toy")
    assert status == 2
    assert "mvgraph datasets fetch toy" in err
    place = tmp_path / "cache" / "toy" / "toy.npz"
    place.parent.mkdir(parents=True)
    place.write_bytes(published)
    status, out, err = run("datasets", "fetch", "toy")
    assert (status, out) == (0, f"{place}\n")
    assert err == "source: Somebody 1998\nlicence: for research\n"
    other = ("--cache", tmp_path / "cache", "--mirror", "http://127.0.0.1:9/")
    assert run("datasets", "fetch", "toy", *other)[0] == 0
    status, out, _ = run("datasets", "info", "toy")
    assert status == 0
    assert "20 samples" in out


def test_fetched_sets_open_by_name(published, tmp_path):
    with pytest.raises(FileNotFoundError, match="mvgraph datasets fetch toy"):
        datasets.load("toy")
    place = tmp_path / "cache" / "toy" / "toy.npz"
    place.parent.mkdir(parents=True)
    place.write_bytes(published)
    assert datasets.load("toy").views.n_features == (2, 3)
    assert datasets.info("Toy")["n"] == 20


def test_fetch_errors_and_list(run, published, tmp_path):
    status, out, err = run("datasets", "fetch", "toi")
    assert (status, out) == (2, "")
    assert "did you mean 'toy'" in err
    status, _, err = run("datasets", "fetch", "toy", "--mirror", "ftp://x.org/toy.npz")
    assert status == 2
    assert "any of 2 addresses" in err
    status, out, _ = run("datasets", "fetch")
    assert status == 0
    assert "Somebody 1998" in out


@pytest.mark.parametrize("broken", ["id,label\ns0,1\n", "id,label\ns0,1\ns1\n", ""])
def test_labels_that_cluster_does_not_need(run, tmp_path, broken):
    rng = np.random.default_rng(0)
    for i in range(2):
        view = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
        view.insert(0, "id", [f"s{j}" for j in range(i, 20 + i)])
        view.to_csv(tmp_path / f"v{i}.csv", index=False)
    (tmp_path / "labels.csv").write_text(broken)
    args = ("cluster", tmp_path, "--n-clusters", 2, "--join", "outer")
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    if broken.endswith("s0,1\n"):
        assert "--labels none" in err
        assert "--join inner" in err
    status, out, _ = run(*args, "--labels", "none")
    assert (status, len(out.splitlines())) == (0, 22)
    assert "none" in run("cluster", "--help")[1]


@pytest.mark.parametrize(
    "name", ["kmeans-concat", *slow(*sorted({*methods.names()} - {"kmeans-concat"}))]
)
@pytest.mark.parametrize("command", ["cluster", "evaluate"])
def test_a_method_that_needs_every_view_refuses_outer_before_reading(
    run, tmp_path, command, name
):
    (tmp_path / "a.csv").write_text("id,x\n1\n2,3,4\n")  # an error where it is read
    words = [command, tmp_path, "--join", "outer", "--method", name, "--n-clusters", 2]
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    refused = needs_every_view(methods.get(name).make(2))
    assert ("--join outer keeps samples" in err) == refused


@pytest.mark.slow
def test_parts_are_one_table_of_every_command(run, tmp_path):
    rng = np.random.default_rng(0)
    centres = 6 * rng.normal(size=(3, 4))[np.arange(90) % 3]
    table = pd.DataFrame(rng.normal(size=(90, 4)) + centres).add_prefix("x")
    table.insert(0, "id", [f"s{i}" for i in range(90)])
    table.to_csv(tmp_path / "part.csv", index=False)
    parts = [tmp_path / f"part-{i}.csv" for i in range(3)]
    for i, path in enumerate(parts):
        table[30 * i :][:30].to_csv(path, index=False)

    three = "--n-clusters", 3
    status, whole, _ = run("cluster", tmp_path / "part.csv", *three)
    model, page, told = (tmp_path / name for name in ("m", "p.html", "run.json"))
    kept = "--save", model, "--manifest", told, "-o", tmp_path / "l.csv", "--page", page
    assert status == 0
    assert run("cluster", f"{tmp_path}/part-?.csv", *three, *kept)[:2] == (0, "")
    assert (tmp_path / "l.csv").read_text() == whole
    read = json.loads(told.read_text())["read"]
    assert [one["path"] for one in read] == [*map(str, parts)]
    status, out, _ = run("predict", model, *parts[1:])
    assert (status, out.count("\n")) == (0, 61)
    status, _, err = run("cluster", *parts, *three, "-o", parts[1])
    assert status == 2
    assert "replace the data" in err
