import json
import sys

import pytest

from bench_data import record
from mvgraph import cli
from mvgraph.bench import plan

PLAN = "{sets: [three], runs: [{methods: [kmeans-concat], orders: [shuffled]}]}"


@pytest.fixture
def run(capsys):
    def call(*args):
        with pytest.raises(SystemExit) as exit_:
            cli.main([str(a) for a in args])
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return call


def test_bench_then_report(run, folder, tmp_path):
    plan, out = tmp_path / "plan.yaml", tmp_path / "out"
    plan.write_text(PLAN)
    command = ["bench", plan, "--data", folder, "-o", out, "--jobs", 1]
    status, said, err = run(*command)
    assert status == 0
    assert said == f"1 trials done, 0 skipped, 0 done before: {out}\n"
    block, _, trial = err.partition("[1/1] ")
    assert block.startswith("read three (.npz file)\n  views: a 60 x 4 float64; b 60")
    assert trial.startswith("three kmeans-concat default shuffled seed 0: acc 1.000")
    assert run(*command)[1].startswith("0 trials done, 0 skipped, 1 done before")
    page = tmp_path / "report.html"
    status, said, err = run("report", out, "-o", page)
    assert (status, err) == (0, "")
    assert "<!doctype html>" in page.read_text()[:20]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["bench", "publish"], "did you mean 'published'"),
        (["bench", "published", "--data", "nowhere"], "no folder"),
        (["bench", "published", "--methods", "mgk"], "did you mean 'mgl'"),
        (["bench", "p-sweep", "--methods", "sfmc"], "none of the methods sfmc"),
        (["bench", "published", "--repeats", "0"], "--repeats"),
        (
            ["bench", "published", "--only", "nothing"],
            "none of the data sets was found",
        ),
        (["report", "nowhere"], "run mvgraph bench first"),
        (["report", "nowhere", "-o", "no/such/report.html"], "no folder"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert words in err
    assert not list(tmp_path.iterdir())  # nothing was begun


def test_a_bad_plan_has_one_line_a_fault(run, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("{sets: [a], repeats: 0, runs: [{methods: [mgk]}]}")
    status, out, err = run("bench", plan, "-o", tmp_path / "out")
    assert (status, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == 2
    assert "repeats: 0 is below 1" in lines[0]
    assert "'mgk'" in lines[1]


def test_a_missing_extra_is_named(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "yaml", None)
    status, _, err = run("bench", "published")
    assert status == 2
    assert "pip install 'mvgraph[bench]'" in err
    monkeypatch.setitem(sys.modules, "jinja2", None)
    (tmp_path / "trials.jsonl").write_text(json.dumps(record()) + "\n")
    status, _, err = run("report", tmp_path, "-o", tmp_path / "report.html")
    assert status == 2
    assert "pip install 'mvgraph[report]'" in err
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ImportError, match=r"mvgraph\[bench\]"):
        plan.load("published")
