"""A method of another package runs in the benchmark beside those of this one."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from bench_data import save
from data import planted
from mvgraph import Views, methods, metrics
from mvgraph.base.foreign import ForeignClusterer
from mvgraph.base.method import Method
from mvgraph.bench import records
from mvgraph.datasets import Dataset
from mvgraph.evaluation import protocol

pytestmark = pytest.mark.filterwarnings("ignore:method 'kmeans-concat'")
THIRD_PARTY = Path(__file__).parents[1] / "third_party"
PLAN = """
title: mine
sets: [three]
time_limit: 120
runs:
  - methods: [kmeans-concat, median-split, "median_split:Broken"]
  - {methods: [median-split], grid: {sign: [1, -1]}}
"""


@pytest.fixture
def installed(monkeypatch):
    """Install the package and its entry points for one test."""
    monkeypatch.syspath_prepend(THIRD_PARTY)
    methods._added.cache_clear()
    yield
    methods._added.cache_clear()


def mvgraph(*words, cwd, **environment):
    """Run the command line in a folder, in an environment of its own."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", "from mvgraph.cli import main; main()", *words],
        cwd=cwd,
        env=kept | {"PYTHONSAFEPATH": "1"} | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_it_stands_in_the_table_beside_the_others(tmp_path):
    (tmp_path / "data").mkdir()
    save(tmp_path / "data" / "three.npz")
    (tmp_path / "mine.yaml").write_text(PLAN)
    words = ["mine.yaml", "--data", "data", "-o", "out", "--jobs", "2"]
    done = mvgraph("bench", *words, cwd=tmp_path, PYTHONPATH=str(THIRD_PARTY))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 trials done, 1 failed, 0 done before")
    found = records.read(tmp_path / "out")
    done = {(r["method"], str(r["grid"])) for r in found if r["status"] == "done"}
    assert ("median-split", "{}") in done
    assert ("median-split", "{'sign': -1}") in done
    assert ("kmeans-concat", "{}") in done
    (lost,) = [r for r in found if r["status"] == "failed"]
    assert "RuntimeError: this method does not work" in lost["reason"]


def test_entry_points_are_listed_and_found(installed):
    with pytest.warns(UserWarning, match=r"'kmeans-concat' of entry point .* left out"):
        names = methods.names()
    assert names[-2:] == ["lost", "median-split"]
    found = methods.get("median-split")
    assert found.title == "Split the samples by quantiles of the sum of all features."
    assert found.order_free is None
    assert methods.get("kmeans-concat").estimator.startswith("mvgraph.")
    with pytest.raises(ValueError, match="median_split has no 'Lost'"):
        methods.get("lost")
    with pytest.raises(ValueError, match="median-split is of another package"):
        methods.bibtex("median-split")
    rows = {row["name"]: row["title"] for row in methods.table()}
    assert rows["lost"].startswith("cannot be used: ValueError: no method")


@pytest.mark.slow
def test_the_command_line_takes_a_class_in_the_working_folder(tmp_path):
    text = (THIRD_PARTY / "median_split" / "__init__.py").read_text()
    (tmp_path / "mine.py").write_text(text)
    words = ["evaluate", "digits", "--method", "mine:MedianSplit", "--json"]
    done = mvgraph(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["method"] == "mine:MedianSplit"
    assert result["params"] == {"n_clusters": 10, "sign": 1}


def test_it_gets_a_list_of_arrays_and_its_labels_are_numbered():
    views, truth = planted(40, 2)
    seen = []

    class Mine:
        def __init__(self, n_clusters, random_state):
            self.given = n_clusters, random_state

        def fit(self, X):
            seen.append((self.given, [type(x) for x in X], len(X)))
            self.labels_ = 7 - 3 * truth

    model = ForeignClusterer(Mine, 2, 5).fit(Views(views))
    assert seen == [((2, 5), [np.ndarray, np.ndarray], 2)]
    assert model.labels_.dtype == np.int64
    assert metrics.accuracy(truth, model.labels_) == 1.0
    assert model.labels_[0] == 0


class Whatever:
    """Takes whatever it gets."""

    def __init__(self, **given):
        self.given = given

    def fit(self, X):
        """Return as many labels as were asked for."""
        self.labels_ = np.arange(len(X[0])) % self.given["n_clusters"]


def test_a_class_that_takes_any_parameter_gets_both():
    model = ForeignClusterer(Whatever, 2, 5, width=3).fit(Views([np.ones((6, 2))]))
    assert model.model_.given == {"n_clusters": 2, "random_state": 5, "width": 3}
    assert model.get_params() == model.model_.given


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 0, 0, 1, 1, 1], ["returned 2 clusters, not 3"]),
        ([0, 1, 2, 3, 4, 5], ["returned 6 clusters, not 3"]),
        (
            [-1, 0, 1, -1, 0, 1],
            ["returned the label -1: its samples are scored as one"],
        ),
        (
            [-1, 0, 1, 2, -1, 0],
            ["returned 4 clusters, not 3", "the label -1: its samples are scored"],
        ),
        ([5, 7, 9, 5, 7, 9], []),
    ],
)
def test_other_clusters_than_asked_for_are_warned_of(labels, words):
    model = ForeignClusterer(NeedsMore, 3, width=np.array(labels))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(Views([np.ones((6, 2))]))
    assert len(caught) == len(words)
    for warning, text in zip(caught, words, strict=True):
        assert warning.category is UserWarning
        assert text in str(warning.message)


class Unfit:
    """No fit."""


class NeedsMore:
    """A parameter without a default."""

    def __init__(self, n_clusters, width):
        self.width = width

    def fit(self, X):
        """Return the labels that were asked for."""
        self.labels_ = self.width


@pytest.mark.parametrize(
    ("kind", "given", "match"),
    [
        (Unfit, {}, "has no method fit"),
        (NeedsMore, {}, "needs width"),
        (NeedsMore, {"widht": 3}, "no parameter 'widht'; it has n_clusters, width"),
        (NeedsMore, {"width": [0, 1]}, r"shape \(2,\)"),
        (NeedsMore, {"width": np.zeros(6)}, "float64"),
        (NeedsMore, {"width": None}, "no labels_ after fit"),
    ],
)
def test_what_is_no_method_is_refused(kind, given, match):
    with pytest.raises(ValueError, match=match):
        ForeignClusterer(kind, 2, **given).fit(Views([np.arange(12.0).reshape(6, 2)]))


class Leaves(NeedsMore):
    """An attribute that is no number."""

    def fit(self, X):
        """End the process, or leave a text where a count belongs."""
        if self.width == "exit":
            raise SystemExit(0)
        self.labels_ = np.arange(len(X[0])) % 2
        self.n_components_ = self.width


def test_errors_of_the_class_name_the_line_and_the_attribute():
    X = Views([np.arange(12.0).reshape(6, 2)])
    with pytest.raises(
        ValueError, match=r"SystemExit: 0 \(test_third_party.py, line \d"
    ):
        ForeignClusterer(Leaves, 2, width="exit").fit(X)
    with pytest.raises(ValueError, match=r"n_components_ of .*Leaves is 'seven'"):
        ForeignClusterer(Leaves, 2, width="seven").fit(X)
    assert ForeignClusterer(Leaves, 2, width=3.0).fit(X).n_components_ == 3


@pytest.mark.parametrize("name", ["no.such:Thing", "json:Thing", ":Thing", "json:"])
def test_a_path_that_leads_nowhere_is_named(name):
    with pytest.raises(ValueError, match=f"no method '{name}'"):
        methods.get(name)


def test_an_entry_point_may_hold_the_whole_record(installed, monkeypatch):
    import median_split

    record = Method("x", "t", "", "O(N)", "O(N)", "median_split:MedianSplit")
    monkeypatch.setattr(median_split, "RECORD", record, raising=False)
    assert methods.get("median_split:RECORD") is record
    assert methods.get("median_split:RECORD").make(3).get_params()["n_clusters"] == 3


def test_evaluate_takes_it(installed):
    views, truth = planted(40, 2)
    result = protocol.evaluate(Dataset(Views(views), truth, "planted"), "median-split")
    assert 0 < result["acc"] <= 1
