"""Explanations of labels that a file holds."""

import json

import numpy as np
import pytest

from data import planted
from mvgraph import explain


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
        ("id,label\n0,1\n", "have no label there, first '1'"),
        ("a,b\n0,1\n", "no columns 'id' and 'label'"),
        ("id,label\n0,1\n0,1\n", "1 ids stand there twice"),
        ("", "no columns 'id' and 'label'"),
    ],
)
def test_other_files_are_refused(run, tmp_path, blobs, text, message):
    (tmp_path / "labels.csv").write_text(text)
    status, _, err = run("explain", blobs[0], tmp_path / "labels.csv")
    assert status == 2
    assert message in err


def test_either_labels_or_a_number(run, blobs):
    status, _, err = run("explain", blobs[0])
    assert status == 2
    assert "either a file of labels or --n-clusters" in err
