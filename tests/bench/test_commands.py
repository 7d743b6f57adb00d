import json
import os
import sys

import pytest

from bench_data import record, some_records
from mvgraph import cli
from mvgraph.bench import plan
from mvgraph.bench.naming import Naming
from mvgraph.cli._bench import Trials

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
    assert said == f"1 trial done, 0 done before: {out}\n"
    block, _, trial = err.partition("[1/1] ")
    assert block.startswith("read three (.npz file)\n  views: a 60 x 4 float64; b 60")
    assert trial.startswith("three kmeans-concat shuffled seed 0: acc 1.000")
    assert run(*command)[1].startswith("0 trials done, 1 done before")
    page = tmp_path / "report.html"
    status, said, err = run("report", out, "-o", page)
    assert (status, err) == (0, "")
    assert "<!doctype html>" in page.read_text()[:20]


def test_trials_are_named_as_in_tables_and_failures_alike_are_counted(capsys):
    naming = Naming(names={"mine:Own": "Ours"}, set_names={"a": "First"})
    trials = Trials(naming)
    ends = [{"status": "failed", "reason": "no labels_"}] * 3 + [{}]
    ends += [{"status": "failed", "reason": "other"}]
    for seed, end in enumerate(ends):
        made = record("a", "mine:Own", seed=seed, override={"power": 1}, **end)
        trials.report(seed + 1, 5, made)
    trials.count_alike()
    assert capsys.readouterr().err.splitlines() == [
        "[1/5] First Ours (power=1) shuffled seed 0: failed: no labels_",
        "[4/5] First Ours (power=1) shuffled seed 3: acc 0.500 in 0.5 s",
        "[5/5] First Ours (power=1) shuffled seed 4: failed: other",
        "Ours (power=1): 3 trials: failed: no labels_",
    ]


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
            "no set 'nothing': data set not found",
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


def test_a_folder_without_the_sets_ends_it(run, folder, tmp_path):
    """What lies there is named; digits and generated data are never run instead."""
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "notes.txt").write_text("no data")
    for chosen, data, words in (
        ("honest", tmp_path / "none", ["no data set in", "notes.txt"]),
        ("scale", folder, ["no data set 'ambiguous:1000' in", "four, ", "three"]),
    ):
        status, out, err = run("bench", chosen, "--data", data, "-o", tmp_path / "out")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert all(word in err for word in words), err
        assert not (tmp_path / "out").exists()


def test_a_bad_plan_has_one_line_a_fault(run, tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text("{sets: [a], repeats: 0, runs: [{methods: [mgk]}]}")
    status, out, err = run("bench", plan, "-o", tmp_path / "out")
    assert (status, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == 2
    assert "'mgk'" in lines[0]
    assert "repeats: Input should be greater than or equal to 1" in lines[1]


def test_a_missing_extra_is_named(run, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.delattr(plan.__name__)
        patch.delitem(sys.modules, plan.__name__)
        patch.setitem(sys.modules, "yaml", None)
        status, _, err = run("bench", "published")
        assert status == 2
        assert "pip install 'mvgraph[bench]'" in err
    monkeypatch.setitem(sys.modules, "jinja2", None)
    (tmp_path / "trials.jsonl").write_text(json.dumps(record()) + "\n")
    status, _, err = run("report", tmp_path, "-o", tmp_path / "report.html")
    assert status == 2
    assert "pip install 'mvgraph[report]'" in err


ONE_RUN = "sets: [digits]\nruns: [{methods: [mgl]}]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ONE_RUN + "time_limit: .inf",
            "time_limit: Input should be a finite number",
        ),
        (
            ONE_RUN + "time_limit: .nan",
            "time_limit: Input should be a finite number",
        ),
        (
            ONE_RUN + "time_limit: 1.0e+300",
            "time_limit: Input should be less than",
        ),
        (ONE_RUN + f"time_limit: {10**400}", "time_limit: "),
        (ONE_RUN + f"repeats: {10**12}", "more than 1000000 trials"),
        (ONE_RUN + f"repeats: {10**30}", "more than 1000000 trials"),
        (ONE_RUN + "repeats: 2020-01-01", "repeats: "),
        (ONE_RUN.replace("]}", "], params: {mu: 2020-01-01}}"), "write a number"),
        (ONE_RUN.replace("]}", "], params: {mu: 2020-99-01}}"), "month must be"),
        (ONE_RUN.replace("]}", "], grid: {mu: [1, 2020-01-01]}}"), "write a number"),
        (ONE_RUN.replace("]}", "], params: {mu: .inf}}"), "finite number; got inf"),
        (ONE_RUN.replace("]}", "], params: {mu: !!set {a}}}"), "write a number"),
        (ONE_RUN.replace("]}", "], params: {mu: &a [*a]}}"), "nested too deeply"),
        ("sets: " + "[" * 900 + "]" * 900, "nested too deeply"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nsets: *b\nruns: [*b]", "sets[0]"),
        ("\x00", "plan.yaml"),
    ],
)
def test_plans_that_hold_strange_values(run, tmp_path, text, words):
    (tmp_path / "plan.yaml").write_text(text)
    status, out, err = run("bench", tmp_path / "plan.yaml", "-o", tmp_path / "out")
    assert (status, out) == (2, ""), err
    assert all(line.startswith("error: plan ") for line in err.splitlines())
    assert words in err
    assert max(map(len, err.splitlines())) < 500
    assert not (tmp_path / "out").exists()


def test_a_plan_that_is_no_text(run, tmp_path):
    (tmp_path / "plan.yaml").write_bytes(b"\xff\xfe\x00")
    status, _, err = run("bench", tmp_path / "plan.yaml")
    assert (status, err.count("\n")) == (2, 1)
    assert "not text in UTF-8" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--time-limit", "inf"], "time_limit: Input should be a finite number"),
        (["--time-limit", "1e308"], "time_limit: Input should be less than"),
        (["--repeats", str(10**15)], "more than 1000000 trials"),
        (["--jobs", str(10**9)], "is not between 1 and 1024"),
    ],
)
def test_limits_without_a_limit(run, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("bench", "honest", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["bench", "report"])
def test_a_record_file_that_is_a_device(run, tmp_path, command):
    plan = tmp_path / "plan.yaml"
    plan.write_text(ONE_RUN)
    for name, target in (("zero", "/dev/zero"), ("full", "/dev/full"), ("pipe", None)):
        folder = tmp_path / name
        folder.mkdir()
        if target is None:
            os.mkfifo(folder / "trials.jsonl")
        else:
            (folder / "trials.jsonl").symlink_to(target)
        if command == "bench":
            result = run("bench", plan, "-o", folder)
        else:
            result = run("report", folder, "-o", tmp_path / "r.html")
        assert result[0] == 2, result
        assert result[2].count("\n") == 1
        assert "device" in result[2] or "no results" in result[2]


ODD = [None, True, -1, 1e400, "x", [], {}, [[1]], {"a": {}}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "least"), [("done", 100), ("failed", 100), ("skipped", 50)]
)
def test_damaged_records_are_one_line(run, tmp_path, status, least):
    """Every field of a record, left out or replaced."""
    pytest.importorskip("jinja2")
    whole = next(r for r in some_records() if r["status"] == status)
    whole |= {"artefacts": {}, "time_limit": 1.0, "reading": {}}
    lines = ["{", "[]", "[" * 20_000, "\udc80", '{"status": "done", "key": "a"}']
    for key in whole:
        lines.append(json.dumps({k: v for k, v in whole.items() if k != key}))
        lines += [json.dumps(whole | {key: odd}) for odd in ODD]
    path, page = tmp_path / "trials.jsonl", tmp_path / "report.html"
    refused = 0
    for line in lines:
        content = "\n".join([json.dumps(record()), line, ""])
        path.write_text(content, errors="surrogateescape")
        code, out, err = run("report", tmp_path, "-o", page)
        if code == 0:
            continue
        refused += 1
        assert (code, out, err.count("\n")) == (2, "", 1), line
        assert f"{path}, line 2: not a record" in err
        assert path.read_text(errors="surrogateescape") == content
    assert refused > least


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-o r.svg --figure ranks", "figure: r.svg"),
        ("-o t.csv --scores ari,nmi", "table: t.csv"),
        ("-o r.svg", "add --figure ranks, tradeoff, scores or growth"),
        ("-o r.html --figure ranks", "write -o ranks.pdf, .svg or .png"),
        ("-o r.svg --figure ranks --scores ari,nmi", "write --scores ari"),
        ("-o r.svg --figure ranks --scores arii", "choose among acc, nmi"),
        ("-o r.svg --figure other", "'ranks', 'tradeoff', 'scores', 'growth'"),
        ("-o t.csv --scores ari,,nmi", "contains an empty name"),
        ("-o r.svg --figure ranks --caption x", "are for a table"),
        ("-o r.html --scores arii", "choose among acc, nmi"),
    ],
)
def test_options_of_figures_and_scores(run, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    lines = map(json.dumps, some_records())
    (tmp_path / "trials.jsonl").write_text("\n".join(lines) + "\n")
    _, out, err = run("report", ".", *options.split())
    assert said in out + err
    wanted = options.split()[1]
    assert (tmp_path / wanted).exists() == (wanted in said)
