"""Names of clusters in every output, and names that were edited."""

import json

import numpy as np
import pandas as pd
import pytest

from mvgraph import load_model


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A table of three groups; feature c is high in group c."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    x = 9 * np.eye(3, 4)[y] + rng.normal(size=(90, 4))
    frame = pd.DataFrame(x, columns=["red", "green", "blue", "noise"])
    frame.insert(0, "id", [f"s{i}" for i in range(90)])
    path = tmp_path_factory.mktemp("names") / "x.csv"
    frame.to_csv(path, index=False)
    return path, np.array(["red", "green", "blue"])[y]


def names_in(path):
    return pd.read_csv(path, keep_default_na=False)["name"].to_numpy()


def test_names_are_in_every_output_and_stay_with_the_model(run, data, tmp_path):
    pytest.importorskip("anndata")
    source, colour = data
    words = ["--n-clusters", 3, "--method", "kmeans-concat", "--cluster-names"]
    for suffix in ("csv", "parquet", "h5ad"):
        out = tmp_path / f"y.{suffix}"
        status, _, err = run("cluster", source, *words, "-o", out)
        assert status == 0, err
    high = np.array([f"high {c}" for c in colour])
    found = names_in(tmp_path / "y.csv")
    assert all(f.startswith(h) for f, h in zip(found, high, strict=True))
    found = found.tolist()
    assert pd.read_parquet(tmp_path / "y.parquet")["name"].tolist() == found
    anndata = pytest.importorskip("anndata")
    obs = anndata.read_h5ad(tmp_path / "y.h5ad").obs
    assert obs["mvgraph_name"].astype(str).tolist() == found
    status, out, _ = run("cluster", source, *words, "--json")
    told = json.loads(out)
    by_label = [told["cluster_names"][str(c)] for c in told["labels"]]
    assert by_label == told["name"] == found


def test_edited_names_are_taken_and_used(run, data, tmp_path):
    source, _ = data
    model, names = tmp_path / "m", tmp_path / "names.csv"
    run("cluster", source, "--n-clusters", 3, "--save", model)
    status, _, err = run("predict", model, source, "--cluster-names")
    assert status == 2
    assert "have no names" in err
    assert "model rename" in err
    names.write_text('\ufeffcluster,size,name\n1,9,"Blue, deep"\n0,8,Red\n')
    status, out, _ = run("model", "rename", model, names, "--json")
    assert status == 0
    assert json.loads(out)["cluster_names"] == {"0": "Red", "1": "Blue, deep", "2": ""}
    labels = load_model(model).labels_
    run("predict", model, source, "--cluster-names", "-o", tmp_path / "p.csv")
    told = np.array(["Red", "Blue, deep", "cluster 2"])[labels]
    np.testing.assert_array_equal(names_in(tmp_path / "p.csv"), told)
    run("cut", model, "-k", 3, "--cluster-names", "-o", tmp_path / "c.csv")
    np.testing.assert_array_equal(names_in(tmp_path / "c.csv"), told)
    status, out, _ = run("model", "info", model, "--json")
    assert json.loads(out)["cluster_names"]["1"] == "Blue, deep"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cluster,title\n0,a\n", "no columns 'cluster' and 'name'"),
        ("", "no columns 'cluster' and 'name'"),
        ("cluster,name\nx,a\n", "line 2: 'x' is not the number of a cluster"),
        ("cluster,name\n0,a\n0,b\n", "line 3: cluster 0 is there twice"),
        ("cluster,name\n7,a\n", "there is no cluster 7"),
        ("cluster,name\n0,a\n1,a\n", "would have the same name"),
    ],
)
def test_a_wrong_table_of_names_is_refused_and_changes_nothing(
    run, text, message, tmp_path
):
    from data import planted
    from mvgraph.baselines.kmeans_concat import KMeansConcat

    model, names = tmp_path / "m", tmp_path / "names.csv"
    KMeansConcat(2, random_state=0).fit(planted(40, 2)[0]).save(model)
    names.write_text(text)
    status, _, err = run("model", "rename", model, names)
    assert status == 2
    assert message in err
    assert "cluster_names_" not in vars(load_model(model))
