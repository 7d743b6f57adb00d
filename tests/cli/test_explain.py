"""Explanations of labels that a file holds."""

import json

import numpy as np
import pytest

from data import planted
from mvgraph import cli, explain


@pytest.fixture
def blobs(tmp_path):
    X, truth = planted()
    np.savez(tmp_path / "blobs.npz", **{f"v{i}": x for i, x in enumerate(X)})
    return tmp_path / "blobs.npz", {f"v{i}": x for i, x in enumerate(X)}, truth


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_labels_of_a_file_are_matched_by_id(run, tmp_path, blobs, ending):
    path, views, truth = blobs
    labels, mark = tmp_path / f"labels.{ending}", {"csv": ",", "tsv": "\t"}[ending]
    lines = [f"{i}{mark}{k}" for i, k in enumerate(truth)]
    labels.write_text("\n".join([f"id{mark}label", *lines[::-1]]))
    status, out, _ = run("explain", path, labels, "--json")
    assert status == 0
    result = json.loads(out)
    got = [{**row, "cluster": int(row["cluster"])} for row in result["features"]]
    assert got == explain(views, truth, n_features=3).features
    status, out, _ = run("explain", path, labels)
    assert status == 0
    assert "Features" in out
    assert "Exemplars" not in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label\n0,1\n", "have no label in this file, first '1'"),
        ("a,b\n0,1\n", "no columns 'id' and 'label'"),
        ("id,label\n0,1\n0,1\n", "ids occur more than once (1 rows)"),
        ("", "no columns 'id' and 'label'"),
    ],
)
def test_other_files_are_refused(run, tmp_path, blobs, text, message):
    (tmp_path / "labels.csv").write_text(text)
    status, _, err = run("explain", blobs[0], tmp_path / "labels.csv")
    assert status == 2
    assert message in err


def test_labels_and_a_number_exclude_each_other(run, tmp_path, blobs):
    (tmp_path / "labels.csv").write_text("id,label\n0,0\n")
    status, _, err = run(
        "explain", blobs[0], tmp_path / "labels.csv", "--n-clusters", 3
    )
    assert status == 2
    assert "either a file of labels or --n-clusters" in err


def test_the_number_is_found_and_told(capsys, blobs):
    with pytest.raises(SystemExit) as end:
        cli.main(["explain", str(blobs[0])])
    assert end.value.code == 0
    assert "3 clusters: the division that stands out most" in capsys.readouterr().err


def test_labels_of_every_file_that_cluster_writes(run, tmp_path, blobs):
    path, views, truth = blobs
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    anndata = pytest.importorskip("anndata")
    n = len(truth)
    order = np.arange(n)[::-1]
    table = pd.DataFrame({"id": order, "label": truth[order]})
    table.to_parquet(tmp_path / "labels.parquet")
    obs = pd.DataFrame({"mvgraph": pd.Categorical(truth[order].astype(str))})
    obs.index = order.astype(str)
    anndata.AnnData(obs=obs).write_h5ad(tmp_path / "labels.h5ad")
    expected = explain(views, truth.astype(str), n_features=3).features
    for ending in ("parquet", "h5ad"):
        status, out, err = run("explain", path, tmp_path / f"labels.{ending}", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out)["features"] == expected


def test_labels_that_cluster_wrote_are_read(run, tmp_path, blobs):
    pytest.importorskip("pyarrow")
    pytest.importorskip("anndata")
    found = []
    for ending in ("csv", "parquet", "h5ad"):
        labels = tmp_path / f"out.{ending}"
        assert run("cluster", blobs[0], "--n-clusters", 3, "-o", labels)[0] == 0
        status, out, _ = run("explain", blobs[0], labels, "--json")
        assert status == 0
        found.append(out)
    assert found[0] == found[1] == found[2]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.usefixtures("walked")
def test_labels_of_a_mudata_are_read(run, tmp_path):
    mudata = pytest.importorskip("mudata")
    anndata = pytest.importorskip("anndata")
    X, _ = planted()
    names = [f"c{i}" for i in range(len(X[0]))]
    made = {}
    for key, x in zip(("rna", "adt"), X, strict=True):
        made[key] = anndata.AnnData(x)
        made[key].obs_names = names
        made[key].var_names = [f"{key}{j}" for j in range(x.shape[1])]
    mudata.MuData(made).write(tmp_path / "in.h5mu")
    out = tmp_path / "out.h5mu"
    assert run("cluster", tmp_path / "in.h5mu", "--n-clusters", 3, "-o", out)[0] == 0
    status, text, _ = run("explain", tmp_path / "in.h5mu", out, "--json")
    assert status == 0
    assert {row["cluster"] for row in json.loads(text)["features"]} == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.parquet", "not a readable Parquet file"),
        ("x.h5ad", "x.h5ad"),
        ("no.h5ad", "No such"),
    ],
)
def test_files_that_are_none_are_refused(run, tmp_path, blobs, name, message):
    if name == "x.h5ad":
        pytest.importorskip("anndata")
    (tmp_path / "x.parquet").write_text("nothing")
    (tmp_path / "x.h5ad").write_text("nothing")
    status, _, err = run("explain", blobs[0], tmp_path / name)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


def test_empty_labels_and_other_ids_are_reported(capsys, tmp_path, blobs):
    path, _, truth = blobs
    lines = [f"{i},{k if i > 1 else ''}" for i, k in enumerate(truth)]
    labels = tmp_path / "labels.csv"
    labels.write_text("\n".join(["id,label", *lines, "zz,1", "yy,2"]))

    def said(*options):
        with pytest.raises(SystemExit):
            cli.main(["explain", str(path), str(labels), *options])
        return [x for x in capsys.readouterr().err.splitlines() if "labels.csv" in x]

    (line,) = said()
    assert "2 samples of blobs" in line
    assert "2 ids are not in blobs" in line
    assert "first 'zz'" in line
    (line,) = said("--log-format", "json")
    record = json.loads(line)
    assert record["event"] == "labels"
    assert (record["empty"], record["not_in_data"]) == (2, 2)
    assert said("--quiet") == []


def test_samples_in_no_cluster_are_no_cluster(run, tmp_path, blobs):
    """What cluster --noise writes as -1 is left out, as explain does in Python."""
    path, views, truth = blobs
    truth = np.where(np.arange(len(truth)) % 10 == 3, -1, truth)
    labels = tmp_path / "labels.csv"
    lines = [f"{i},{k}" for i, k in enumerate(truth)]
    labels.write_text("\n".join(["id,label", *lines]))
    status, out, _ = run("explain", path, labels, "--json")
    assert status == 0
    result = json.loads(out)
    got = [{**row, "cluster": int(row["cluster"])} for row in result["features"]]
    assert got == explain(views, truth, n_features=3).features


@pytest.fixture
def words(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "words"
    folder.mkdir()
    truth = np.repeat([0, 1, 2], 20)
    for view in ("en", "fr"):
        rates = np.full((3, 12), 0.1)
        for k in range(3):
            rates[k, 3 * k : 3 * k + 3] = 3
        counts = rng.poisson(rates[truth])
        names = [f"{view}word{j}" for j in range(12)]
        text = [",".join(["id", *names])]
        text += [",".join([f"d{i}", *map(str, row)]) for i, row in enumerate(counts)]
        (folder / f"{view}.csv").write_text("\n".join(text))
    return folder


def test_tables_of_counts_have_keywords(run, words):
    status, out, _ = run("explain", words, "--n-clusters", 3)
    assert status == 0
    assert "Keywords, of counts in en, fr" in out
    assert "enword" in out
    args = ("explain", words, "--n-clusters", 3, "--keywords")
    status, out, _ = run(*args, "fr", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["counts"] == ["fr"]
    assert {row["view"] for row in found["keywords"]} == {"fr"}
    for bad, message in (("de", "No view is named 'de'"), ("en,", "an empty name")):
        status, _, err = run(*args, bad)
        assert status == 2
        assert message in err


def test_no_keywords_have_a_reason(capsys, blobs):
    with pytest.raises(SystemExit):
        cli.main(["explain", str(blobs[0]), "--n-clusters", "3"])
    assert "no keywords: no view was taken as counts" in capsys.readouterr().err
