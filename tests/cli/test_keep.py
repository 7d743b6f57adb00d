"""The same cluster tomorrow: cluster --like OLD, --changes FILE."""

import csv
import json

import pytest

from data import write_groups
from mvgraph import load_model

SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "suffix",
    ["csv", pytest.param("tsv", marks=SLOW), pytest.param("json", marks=SLOW)],
)
def test_numbers_stay_and_changes_are_told(run, tmp_path, suffix):
    model, table = tmp_path / "m", tmp_path / f"changes.{suffix}"
    words = ("--method", "kmeans-concat", "--save", model, "--n-clusters")
    first = write_groups(tmp_path / "a.csv", (40, 30, 50, 0), 0)
    assert run("cluster", first, *words, 3)[0] == 0
    second = write_groups(tmp_path / "b.csv", (40, 30, 50, 40), 1)
    code, out, err = run(
        *("--log-format", "text", "cluster", second, *words, 4, "--like", model),
        *("--changes", table, "--json", "-o", tmp_path / "y.csv"),
    )
    assert code == 0
    assert "is new: 0 -> 40 samples" in err
    rows = json.loads(out)["changes"]
    assert sorted(row["kind"] for row in rows) == ["kept", "kept", "kept", "new"]
    if suffix == "json":
        assert json.loads(table.read_text()) == rows
    else:
        with open(table, newline="") as file:
            read = list(
                csv.DictReader(file, delimiter="\t" if suffix == "tsv" else ",")
            )
        assert [row["kind"] for row in read] == [row["kind"] for row in rows]
        assert "3" in {row["after"] for row in read}
    assert load_model(model).cluster_ids_.max() == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--no-save-ids"], "--no-save-ids needs --save MODEL"),
        (["--changes", "c.csv"], "--changes needs --like OLD"),
        (["--like", "nothing"], "there is no model in nothing"),
        (["--save-rows"], "--save-rows needs --save MODEL"),
        (
            ["--like", "nothing", "--method", "sklearn.cluster:KMeans"],
            "KMeans is not a method of mvgraph",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_before_reading(run, words, message):
    code, out, err = run("cluster", "no_such_file.csv", "--n-clusters", 2, *words)
    assert (code, out) == (2, "")
    assert message in err
