"""Results of other data or of other code are kept in the file, and do not count."""

import json
import sys

import pytest

from bench_data import record, save
from mvgraph import cli
from mvgraph.bench import compare, export, figures, plan, records, report, significance
from mvgraph.bench.run import Runner, run
from mvgraph.bench.sets import Found
from mvgraph.bench.trial import Trial, code_sha256, key_of

PLAN = "{sets: [three], repeats: 2, runs: [{methods: [kmeans-concat]}]}"
OLD, NEW = "0" * 64, "1" * 64


def mixed():
    """Two seeds of old data, then two of new, and a set that stayed as it is."""
    old = [
        record("x", "a", seed=s, acc=0.9, data_sha256=OLD, key=f"o{s}") for s in (0, 1)
    ]
    new = [
        record("x", "a", seed=s, acc=0.4, data_sha256=NEW, key=f"n{s}") for s in (0, 1)
    ]
    return [*old, *new, record("y", "a", acc=0.7), record("x", "b", data_sha256=OLD)][
        :5
    ]


def test_only_the_newest_data_of_a_set_count():
    found = mixed()
    assert [r["key"] for r in records.latest_records(found)][:2] == ["n0", "n1"]
    (group,) = (g for g in compare.shuffled(found) if g.set == "x")
    assert group.score("acc") == (pytest.approx(0.4), 0)
    assert figures.scores_of(found, "x").shuffled == [(pytest.approx(0.4), 0)]
    words = "Left out, set x: 2 of 4 records are of other data under this name"
    assert [line.startswith(words) for line in records.left_out(found)] == [True]
    table = export.methods_by_sets(found)
    assert table.notes == records.left_out(found)
    both = [*found, *(r | {"method": "b"} for r in found)]
    assert all(p.difference == 0 for p in significance.pairs(both))


def test_the_age_of_records_is_their_order():
    """Data that are back are the newest again, whatever was between."""
    first, second = mixed()[:2], mixed()[2:4]
    back = records.latest_records([*first, *second, *first[:1]])
    assert [r["key"] for r in back] == ["o0", "o1"]


def test_the_last_record_of_a_trial_counts_whatever_its_key():
    twice = [record(acc=0.1, key="a"), record(acc=0.8, key="b")]
    assert [r["key"] for r in records.latest_records(twice)] == ["b"]
    apart = [record(seed=1), record(order="published"), record(grid={"p": 1}), record()]
    assert records.latest_records(apart) == apart
    assert records.left_out([*twice, *apart]) == []


def test_only_the_newest_code_of_a_method_counts():
    old = [record("x", "m:A", seed=s, code_sha256=OLD) for s in (0, 1, 2)]
    new = [record("x", "m:A", seed=0, code_sha256=NEW), record("x", "mgl")]
    assert records.latest_records([*old, *new]) == new
    (line,) = records.left_out([*old, *new])
    assert line.startswith("Left out, method m:A: 3 of 4 records are of other code")
    without = [{k: v for k, v in r.items() if k != "code_sha256"} for r in old]
    assert records.latest_records([*without, *new]) == new


@pytest.mark.usefixtures("undrawn")
def test_page_and_table_and_command_line_say_what_is_left_out(tmp_path, capsys):
    pytest.importorskip("jinja2")
    found = mixed()
    (line,) = records.left_out(found)
    (tmp_path / records.NAME).write_text("".join(json.dumps(r) + "\n" for r in found))
    assert line in report.render(found)
    for name in ("r.html", "t.md", "t.csv"):
        with pytest.raises(SystemExit) as end:
            cli.main(["report", str(tmp_path), "-o", str(tmp_path / name)])
        assert end.value.code == 0
        assert capsys.readouterr().err == line + "\n"
    assert line in (tmp_path / "t.md").read_text()


# ------------------------------------------------------------------------------ runs
def test_data_that_are_replaced_run_again_and_old_ones_need_no_run(tmp_path, folder):
    chosen, out = plan.parse(PLAN, "x"), tmp_path / "out"
    path = folder / "three__plain.npz"
    first = path.read_bytes()
    run(chosen, out, folder, jobs=1)
    old = records.read(out)
    save(path, seed=5)
    again = run(chosen, out, folder, jobs=1)
    assert (again.done, again.earlier) == (2, 0)
    assert [r in old for r in records.latest_records(records.read(out))] == [False] * 2
    path.write_bytes(first)  # the records of these data are there: they count again
    back = run(chosen, out, folder, jobs=1)
    assert (back.done, back.earlier) == (0, 2)
    assert records.latest_records(records.read(out)) == old
    size = (out / records.NAME).stat().st_size
    run(chosen, out, folder, jobs=1)
    assert (out / records.NAME).stat().st_size == size


MINE = """
import numpy as np

class Mine:
    def __init__(self, n_clusters):
        self.n_clusters = n_clusters

    def fit(self, X):
        self.labels_ = np.arange(len(X[0])) % self.n_clusters
"""


def test_code_that_was_edited_runs_again(tmp_path, folder, monkeypatch):
    """A trial that failed is tried again too; those of the library are not."""
    module = f"mine_{tmp_path.name.replace('-', '_')}"
    file = tmp_path / f"{module}.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    name = f"{module}:Mine"
    text = f"{{sets: [three], runs: [{{methods: [kmeans-concat, '{name}']}}]}}"
    out, ends = tmp_path / "out", []
    for body in (MINE + "        self.labels_[0] = 1 / 0\n", MINE, MINE):
        file.write_text(body)
        sys.modules.pop(module, None)
        found = run(plan.parse(text, "x"), out, folder, jobs=1)
        ends.append((found.done, sum(found.lost.values()), found.earlier))
    assert ends == [(1, 1, 0), (1, 0, 1), (0, 0, 2)]
    kept = records.read(out)
    assert len({r["code_sha256"] for r in kept if r["method"] == name}) == 2
    assert {r["code_sha256"] for r in kept if r["method"] != name} == {None}
    states = {r["method"]: r["status"] for r in records.latest_records(kept)}
    assert states == {"kmeans-concat": "done", name: "done"}
    assert code_sha256(name) == kept[-1]["code_sha256"]
    assert code_sha256("no.such:Thing") is None


def test_slow_code_that_was_edited_is_not_taken_for_slow(tmp_path, folder):
    """Too slow once is too slow for the next seeds, but of the same data and code."""
    chosen = plan.parse(PLAN, "x")
    found = [Found("three", "p", NEW)]
    slow = record("three", "kmeans-concat", seed=9, status="skipped", time_limit=600.0)
    for sha256, expected in ((NEW, 1), (OLD, 0)):
        earlier = [slow | {"data_sha256": sha256}]
        assert len(Runner(chosen, None, earlier, found, 1, None).slow) == expected


def test_keys_of_the_library_s_methods_stay_as_they_are():
    trial = Trial("msrc_v5", "mgl", "paper", "shuffled", 3, {"p": 0.5}, {})
    assert key_of(trial, OLD) == KEY
    assert key_of(trial, OLD, code_sha256("mgl")) == KEY
    assert key_of(trial, OLD, NEW) != KEY


KEY = "a5a9d6191b11bc0f"
