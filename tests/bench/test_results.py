"""Results of several runs as one: duplicates, names, the reference."""

import json
import re
import sys

import pytest

from bench_data import record
from mvgraph import cli
from mvgraph.bench import compare, export, naming, records, significance
from mvgraph.bench.naming import Naming, reference_of
from mvgraph.bench.results import gather


def log(folder, found, **names):
    folder.mkdir()
    text = "".join(json.dumps(r) + "\n" for r in found)
    (folder / records.NAME).write_text(text)
    if names:
        Naming(**names).write(folder)
    return folder


def lost(method, **more):
    return record("x", method, status="time limit", reason="too slow", **more)


DONE, LATER = record("x", "a", acc=0.9, key="k"), record("x", "a", acc=0.4, key="k")
LOST = lost("a", key="k")


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [(DONE, LATER, LATER), (DONE, LOST, DONE), (LOST, DONE, DONE), (LOST, LOST, LOST)],
)
def test_a_trial_in_two_logs_counts_once_and_a_finished_one_first(
    tmp_path, first, second, kept
):
    one, other = log(tmp_path / "a", [first]), log(tmp_path / "b", [second])
    found, notes = gather([one, other])
    assert [r["status"] for r in found] == [kept["status"]]
    assert [r["scores"] for r in found] == [kept["scores"]]
    assert notes[0] == "Joined 2 logs of 1 + 1 trials."
    assert notes[1].startswith("1 trial in more than one log: a finished one counts")


def test_logs_are_joined_and_what_cannot_be_compared_is_said(tmp_path):
    slow = {"environment": {"mvgraph": "0.1.0", "processor": "other", "threads": 9}}
    one = log(tmp_path / "a", [record(s, "a") for s in "xy"])
    other = log(tmp_path / "b", [record(s, "b", **slow) for s in "xy"])
    found, notes = gather([one, other])
    assert significance.ranks(found).methods == ["a", "b"]
    assert notes[0] == "Joined 2 logs of 2 + 2 trials."
    assert "seconds of different logs cannot be compared" in notes[1]
    assert gather([one]) == (naming.read_naming(one).apply(records.read(one)), [])
    newer = log(tmp_path / "c", [record("x", "a", data_sha256="cd" * 32, acc=0.1)])
    groups = compare.shuffled(gather([one, newer])[0])
    accs = {g.set: g.score("acc")[0] for g in groups}
    assert accs == pytest.approx({"x": 0.1, "y": 0.5})


@pytest.mark.slow
def test_the_page_says_what_was_joined(tmp_path, capsys):
    pytest.importorskip("jinja2")
    one = log(tmp_path / "a", [DONE, record("x", "b")])
    other = log(tmp_path / "b", [LATER])
    page = tmp_path / "r.html"
    with pytest.raises(SystemExit) as end:
        cli.main(["report", str(one), str(other), "-o", str(page)])
    assert end.value.code == 0
    for text in (page.read_text(), capsys.readouterr().err):
        assert "Joined 2 logs of 2 + 1 trials." in text
        assert "1 trial in more than one log: a finished one counts" in text


NAMES = {"names": {"a": "<b>&_1 {x}", "mine:Own": "Own"}, "groups": {"ours": ["Own"]}}


def test_names_groups_and_reference_come_with_the_log(tmp_path):
    runs = [record(s, m) for s in "xy" for m in ("a", "mine:Own")]
    runs += [record(s, "mine:Own", override={"p": 2}) for s in "xy"]
    folder = log(tmp_path / "a", runs[:1], **NAMES, reference="mine:Own")
    found, notes = gather([folder])  # her trials are not there yet
    assert notes[0].startswith("Compared with the best method instead: reference: ")
    folder = log(tmp_path / "b", runs, **NAMES, reference="Own")
    found, notes = gather([folder])
    assert (reference_of(found), notes) == ("Own", [])
    own = [r for r in found if r["method"] != "a" and not r["override"]]
    assert {r["group"] for r in own} == {"ours"}
    table = export.methods_by_sets(found)
    names = {row[0].text for row in table.rows}
    assert names == {"Own", "<b>&_1 {x}", "Own (p=2)"}
    assert r"\textless{}b\textgreater{}\&\_1 \{x\}" in table.latex()
    assert significance.ranks(found).methods == ["<b>&_1 {x}", "Own"]
    assert reference_of(gather([folder], "Own (p=2)")[0]) == "Own (p=2)"
    with pytest.raises(ValueError, match=r"'Ovn' is not run .*; did you mean 'Own'"):
        gather([folder], "Ovn")


@pytest.mark.parametrize("wrong", ["Mine!", "my.file:Metho", "my.file:Method (p=3)"])
def test_a_wrong_reference_is_told_near_names_as_shown_and_as_written(tmp_path, wrong):
    runs = [record("x", "my.file:Method", override=o) for o in ({}, {"p": 2})]
    folder = log(tmp_path / "a", runs, names={"my.file:Method": "Mine"})
    with pytest.raises(ValueError, match=r"did you mean '(Mine|my\.file:Method)"):
        gather([folder], wrong)


def test_two_logs_may_not_give_two_methods_one_name(tmp_path):
    one = log(tmp_path / "a", [record("x", "a")], names={"a": "X"})
    other = log(tmp_path / "b", [record("x", "b")], names={"b": "X"})
    with pytest.raises(ValueError, match="two methods are named 'X'"):
        gather([one, other])


MINE = {"names": {"m:A": "Mine"}, "groups": {"ours": ["Mine"]}, "reference": "Mine"}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("more", "n_notes"),
    [
        ({}, 0),
        (MINE, 0),
        ({"names": {"b": "B"}, "set_names": {"x": "X"}}, 0),
        ({"names": {"m:A": "Other"}}, 1),
        ({"names": {"m:A": "Other"}, "groups": {"no": ["Other"]}}, 2),
    ],
)
def test_names_of_one_log_are_for_all(tmp_path, more, n_notes, turned):
    """A method is one row, whichever log names it; of two names the first counts."""
    tried = [record(s, m) for s in "xy" for m in ("m:A", "b")]
    logs = [log(tmp_path / "a", tried, **MINE), log(tmp_path / "b", tried[:2], **more)]
    found, notes = gather(logs[::-1] if turned else logs)
    (row,) = {(r["label"], r["group"]) for r in found if r["method"] == "m:A"}
    first = ["Mine", "ours"]
    if turned:
        first = [
            more.get("names", {}).get("m:A", "Mine"),
            *more.get("groups", ["ours"]),
        ]
    assert list(row) == first
    assert reference_of(found) == row[0]
    assert {r["set"] for r in found} == {more.get("set_names", {}).get("x", "x"), "y"}
    assert sum(note.startswith("The logs differ in the ") for note in notes) == n_notes
    assert len(export.methods_by_sets(found).rows) == 2


def test_two_sets_may_not_become_one_by_a_name_of_another_log(tmp_path):
    one = log(tmp_path / "a", [record("x", "a")], set_names={"x": "y"})
    other = log(tmp_path / "b", [record("y", "a")])
    with pytest.raises(ValueError, match="two sets are named 'y'"):
        gather([one, other])


@pytest.mark.parametrize("text", ["{", "[]", '{"names": 3}', '{"reference": 1}'])
def test_damaged_names_are_a_sentence(tmp_path, text):
    folder = log(tmp_path / "a", [record()])
    (folder / naming.NAME).write_text(text)
    with pytest.raises(ValueError, match=r"names\.json.*run mvgraph bench again"):
        gather([folder])


METHODS = """
import time
import numpy as np

class Own:
    def __init__(self, n_clusters):
        self.k = n_clusters
    def fit(self, views):
        self.labels_ = np.argsort(np.argsort(views[0][:, 0])) * self.k // len(views[0])

class Slow(Own):
    def fit(self, views):
        time.sleep(1000)

class Late(Slow):
    pass

class Greedy(Own):
    def fit(self, views):
        np.ones((10**9, 10**9))

class Broken(Own):
    def fit(self, views):
        raise KeyError("no")
"""
PLAN = """
sets:
  - {generate: ambiguous, n_samples: 60, n_clusters: 3, noise: [1, 2]}
time_limit: 6
reference: Own
names: {"mine.py:Own": Own}
runs:
  - methods: [all, "-[!k]*", "mine.py:Own", "mine.py:Slow", "mine.py:Late",
      "mine.py:Greedy", "mine.py:Broken"]
"""


@pytest.mark.slow
def test_a_plan_with_every_end_of_a_trial(tmp_path, monkeypatch, capsys):
    """Her row is marked, the tests are hers, and every state is what it was."""
    (tmp_path / "mine.py").write_text(METHODS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "plan.yaml").write_text(PLAN)
    for words in (
        ["bench", "plan.yaml", "-o", "out", "--jobs", "1"],
        *(["report", "out", "-o", f"t.{end}"] for end in ("md", "tex", "csv", "html")),
    ):
        with pytest.raises(SystemExit) as end:
            cli.main(words)
        assert end.value.code == 0
    done = "4 trials done, 4 time limit, 2 out of memory, 2 failed, 0 done before: out"
    assert done in capsys.readouterr().out
    ends = {"Slow": "time limit", "Late": "time limit", "Greedy": "out of memory"}
    ends["Broken"] = "failed"
    texts = {e: (tmp_path / f"t.{e}").read_text() for e in ("md", "tex", "csv", "html")}
    for name, word in ends.items():
        for text in texts.values():
            rows = [s for s in re.split(r"\n(?=\S)|</tr>", text) if f":{name}" in s]
            assert any(word in row for row in rows), (name, rows)
    assert "| **Own** |" in texts["md"]
    assert "Own against each method on 2 sets" in texts["tex"]
    assert "How good is Own?" in texts["html"]
