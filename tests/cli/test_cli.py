import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from typer.testing import CliRunner

from data import planted
from mvgraph import cli, datasets, metrics
from mvgraph.cli import _output, _terminal
from mvgraph.persistence import files
from pairs import slow

SCORES = ["acc", "nmi", "purity", "precision", "recall", "f_score", "ari"]
SCORES += ["ami", "balanced_accuracy"]
KEYS = [
    *["data", "method", "preset", "order", "n", "k", "views", "repeats"],
    *[*SCORES, "std", "components", "seconds", "cpu_seconds", "peak_mb"],
    *["params", "reading"],
]
REGISTRY_KEYS = [
    *["name", "title", "paper", "year", "doi", "cost", "memory"],
    *["order_free", "needs_n_by_n"],
]
METHODS = ["graph-consensus", "anchor-filter", "kmeans-concat"]


@pytest.fixture
def mat(tmp_path):
    views, y = planted(120, rows="sorted", centres="axes")
    X = np.empty((1, 2), dtype=object)
    X[0, :] = views
    path = tmp_path / "blobs.mat"
    scipy.io.savemat(path, {"X": X, "Y": y[:, None] + 1})
    return str(path)


@pytest.fixture
def unlabelled(tmp_path):
    first, second = planted(120, rows="sorted", centres="axes")[0]
    path = tmp_path / "plain.npz"
    np.savez(path, first=first, second=second)
    return str(path)


def assert_one_line_error(result, *words):
    status, out, err = result
    assert status == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


# ------------------------------------------------------------------ plain commands
def test_version_and_help(run):
    assert run("--version") == (0, "0.1.0\n", "")
    status, out, _ = run()
    assert status == 0
    assert "evaluate" in out
    assert run("cluster", "--help")[0] == 0
    said = " ".join(out.split())
    assert "Exit status: 0 done; 1 a defect" in said
    assert all(f"{n} " in said for n in (2, 3, 130, 141, 143))
    assert all(name in said for name in ("--log-format", "--verbose", "--quiet"))


def test_methods_json(run):
    status, out, err = run("methods", "--json")
    rows = json.loads(out)
    assert (status, err) == (0, "")
    assert {row["name"] for row in rows} >= set(METHODS)
    assert rows[0]["name"] == "graph-consensus"
    needed = [
        "name",
        "title",
        "paper",
        "year",
        "doi",
        "reference",
        "cost",
        "memory",
        "order_free",
        "needs_n_by_n",
    ]
    assert all(set(needed) <= set(row) for row in rows)


def test_methods_by_name(run):
    rows = json.loads(run("methods", "mgl", "clr", "--json")[1])
    assert [row["name"] for row in rows] == ["mgl", "clr"]
    status, out, err = run("methods", "mgll")
    assert (status, out) == (2, "")
    assert "did you mean 'mgl'" in err


def test_methods_bibtex(run):
    status, out, err = run("methods", "--bibtex", "clr", "clr-concat", "mgl")
    assert (status, err) == (0, "")
    assert re.findall("^@.*", out, re.MULTILINE) == [
        "@inproceedings{nie2016clr,",
        "@misc{jiang2021mgl,",
    ]
    status, out, err = run("methods", "--bibtex", "--json")
    assert (status, out) == (2, "")
    assert "--json and --bibtex" in err


def test_methods_table(run):
    status, out, _ = run("methods")
    assert status == 0
    assert all(name in out for name in METHODS)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160])
def test_methods_are_readable_at_any_width(run, monkeypatch, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    out = re.sub("\x1b[^m]*m", "", run("methods")[1])
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    said = " ".join(line[19:].strip() for line in out.splitlines())
    for row in json.loads(run("methods", "--json")[1]):
        assert f"\n  {row['name']} " in out
        assert row["title"] in said
        assert row["paper"].removeprefix("none: ") in said
        assert f"cost {row['cost']}; " in said
    assert len(out.splitlines()) < 8 * out.count("cost O(") + 20


def test_datasets_list(run):
    status, out, _ = run("datasets", "list")
    assert status == 0
    assert "digits" in out
    rows = json.loads(run("datasets", "list", "--json")[1])
    assert [row["name"] for row in rows] == ["digits", "ambiguous", "misleading"]


def test_datasets_info(run, mat):
    status, out, _ = run("datasets", "info", mat)
    assert status == 0
    assert "120 samples, 3 classes" in out
    result = json.loads(run("datasets", "info", mat, "--json")[1])
    assert [view["shape"] for view in result["views"]] == [[120, 4], [120, 6]]
    assert result["label_counts"] == {"1": 40, "2": 40, "3": 40}


@pytest.mark.parametrize("name", ["digits", "ambiguous", "misleading"])
def test_built_in_datasets_open(run, name):
    result = json.loads(run("datasets", "info", name, "--json")[1])
    assert len(result["views"]) >= 3
    assert result["k"] == 10
    assert run("datasets", "info", name)[0] == 0


@pytest.mark.parametrize("name", ["digits", "ambiguous", "misleading"])
def test_python_and_commands_take_the_same_names(run, name):
    data = datasets.load(name)
    assert data.name.startswith(name)
    printed = json.loads(run("datasets", "info", name, "--json")[1])
    assert printed == json.loads(json.dumps(datasets.info(name)))
    assert [view["name"] for view in printed["views"]] == list(data.views.names)


def test_names_that_are_none(run):
    result = run("datasets", "info", "digit")
    assert_one_line_error(result, "no file or folder 'digit'", "digits, ambiguous, mis")
    with pytest.raises(FileNotFoundError, match="built-in data set: digits"):
        datasets.load("digit")
    result = run("cluster", "digits", "--n-clusters", 3, "--views", "a")
    assert_one_line_error(result, "built-in data set takes no options")


# ------------------------------------------------------------------------- cluster
@pytest.mark.parametrize("method", METHODS)
def test_cluster_writes_labels(run, mat, tmp_path, method):
    target = tmp_path / "labels.csv"
    args = ("--n-clusters", 3, "--method", method, "-o", target)
    assert run("cluster", mat, *args) == (0, "", "")
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [row["id"] for row in rows] == [str(i) for i in range(120)]
    assert (
        metrics.accuracy(np.repeat([1, 2, 3], 40), [row["label"] for row in rows])
        == 1.0
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["blobs.mat", "labels.csv"]


def test_cluster_prints_without_output(run, unlabelled):
    status, out, err = run(
        "cluster", unlabelled, "--n-clusters", 3, "--method", "kmeans-concat"
    )
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == ["id,label", "0,0"]
    assert len(out.splitlines()) == 121


def test_what_to_read_can_be_said(run, unlabelled):
    args = ("--labels", "second", "--views", "first")
    result = run("datasets", "info", unlabelled, *args)
    assert_one_line_error(result, "second")
    args = ("--views", "first", "--orientation", "columns", "--json")
    result = json.loads(run("datasets", "info", unlabelled, *args)[1])
    assert [view["shape"] for view in result["views"]] == [[4, 120]]


def test_seed_repeats_labels(run, mat):
    args = ("cluster", mat, "--n-clusters", 5, "--method", "kmeans-concat")
    assert run(*args, "--seed", 3) == run(*args, "--seed", 3)


def test_failure_keeps_the_old_file(run, mat, tmp_path):
    target = tmp_path / "labels.csv"
    target.write_text("precious")
    result = run("cluster", mat, "--n-clusters", 121, "-o", target)
    assert_one_line_error(result, "121", "120")
    assert target.read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["blobs.mat", "labels.csv"]


def test_interrupted_writing_keeps_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "labels.csv"
    target.write_text("precious")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        files.replace_text(target, "new")
    assert target.read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["labels.csv"]


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    files.replace_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_ids_are_quoted_as_csv_needs():
    file = io.StringIO()
    blocks = [{"label": np.array([k])} for k in (0, 1)]
    _output.write_csv(file, ["a,b", 'c"d'], blocks)
    assert list(csv.reader(file.getvalue().splitlines())) == [
        ["id", "label"],
        ["a,b", "0"],
        ['c"d', "1"],
    ]


# ------------------------------------------------------------------------ evaluate
@pytest.mark.parametrize("method", METHODS)
def test_evaluate_json(run, mat, method):
    status, out, err = run("evaluate", mat, "--method", method, "--json")
    result = json.loads(out)
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert list(result) == KEYS
    assert list(result["std"]) == SCORES
    assert [result[key] for key in SCORES] == pytest.approx([1.0] * 9)
    facts = [result[key] for key in KEYS[:8]]
    assert facts == ["blobs", method, "default", "shuffled", 120, 3, 2, 1]
    assert result["seconds"] > 0
    assert result["params"]["n_clusters"] == 3
    assert result["params"]["random_state"] == 0


def test_evaluate_table(run, mat):
    args = ("--method", "kmeans-concat", "--repeats", 2)
    status, out, err = run("evaluate", mat, *args)
    assert (status, err) == (0, "")
    assert "1.000 ± 0.000" in out


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["evaluate", "--method", "kmeans-concat"], [*SCORES, "seconds", "1.000"]),
        (
            ["evaluate", "--method", "kmeans-concat", "--repeats", "2"],
            [*SCORES, "seconds", "1.000 ± 0.000"],
        ),
        (
            ["datasets info"],
            ["nonzero_fraction", "constant_columns", "120 x 4", "missing_rows"],
        ),
    ],
)
def test_tables_are_readable_at_any_width(run, mat, monkeypatch, width, options, words):
    command, *rest = options
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    out = re.sub("\x1b[^m]*m", "", run(*command.split(), mat, *rest)[1])
    assert (
        max(len(line) for line in out.splitlines() if "samples are" not in line)
        <= width
    )
    assert "…" not in out
    assert all(word in out for word in words)


def test_many_wide_rows_become_several_tables(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    head = [f"column_{i}" for i in range(8)]
    rows = [[f"value_{r}_{i}" for i in range(8)] for r in range(5)]
    _terminal.print_table("title", head, rows)
    out = capsys.readouterr().out
    assert all(cell in out for row in [head, *rows] for cell in row)
    assert out.count("title") == 1


def test_n_clusters_overrides_the_classes(run, mat):
    args = ("--method", "kmeans-concat", "--n-clusters", 2, "--json")
    result = json.loads(run("evaluate", mat, *args)[1])
    assert result["k"] == 2
    assert result["acc"] == pytest.approx(2 / 3)


# ----------------------------------------------------------------------- bad input
def test_usage_errors(run, mat):
    assert_one_line_error(run("cluster", mat, "--n-clusters", "many"), "--n-clusters")
    assert_one_line_error(run("evaluate", mat, "--order", "random"), "published")
    assert_one_line_error(run("evaluate", mat, "--repeats", 0), "--repeats")
    assert_one_line_error(run("no-such-command"), "no-such-command")


def test_bad_input_errors(run, mat, unlabelled, tmp_path):
    junk = tmp_path / "junk.mat"
    junk.write_bytes(b"this is no matlab file")
    assert_one_line_error(run("cluster", "no.mat", "--n-clusters", 2), "no.mat")
    assert_one_line_error(run("cluster", junk, "--n-clusters", 2), "junk.mat")
    assert_one_line_error(run("evaluate", unlabelled), "no labels", "mvgraph cluster")
    assert_one_line_error(run("cluster", mat, "--n-clusters", 1), "n_clusters")
    assert_one_line_error(run("cluster", junk, "--n-clusters", 1), "n_clusters")
    assert_one_line_error(
        run("evaluate", mat, "--method", "kmeans-conct"), "did you mean 'kmeans-concat'"
    )
    assert_one_line_error(
        run("evaluate", mat, "--method", "kmeans-concat", "--preset", "paper"), "paper"
    )


def test_bad_output_is_refused_before_the_work(run, mat, tmp_path):
    args = ("cluster", mat, "--n-clusters", 3, "-o")
    assert_one_line_error(run(*args, tmp_path / "no" / "x.csv"), "no folder")
    assert_one_line_error(run(*args, tmp_path), "is a folder; name a file")


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (["cluster", "digits", "--n-clusters", 3], ".csv, .tsv, .parquet, .pq"),
        (["choose-k", "digits"], ".png, .svg, .pdf"),
        (["demo"], ".html"),
        (["report", "."], ".html"),
    ],
)
def test_unknown_endings_are_refused_before_the_work(run, tmp_path, command, known):
    result = run(*command, "-o", tmp_path / "x.foo")
    assert_one_line_error(result, "ending '.foo' is unknown; use one of " + known)
    assert list(tmp_path.iterdir()) == []


def test_labels_to_a_device_or_a_name_without_ending(run, mat, tmp_path):
    args = ("cluster", mat, "--n-clusters", 3, "--method", "kmeans-concat", "-o")
    assert run(*args, "/dev/null") == (0, "", "")
    assert Path("/dev/null").is_char_device()
    assert run(*args, tmp_path / "labels") == (0, "", "")
    assert (tmp_path / "labels").read_text().startswith("id,label\n0,")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert run(*args, pipe) == (0, "", "")
        assert reader.stdout.read() == (tmp_path / "labels").read_text()


def test_plots_are_refused_before_the_work_without_matplotlib(run, mat, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert_one_line_error(run("choose-k", mat, "-o", "k.png"), "mvgraph[plots]")


def test_same_status_through_typer(mat):
    result = CliRunner().invoke(cli.app, ["cluster", mat, "--n-clusters", "1"])
    assert result.exit_code == 2
    assert CliRunner().invoke(cli.app, ["cluster"]).exit_code == 2


# ---------------------------------------------------------------------------- demo
@pytest.fixture
def small_digits(monkeypatch):
    whole = datasets.load_digits_views()
    rows = np.arange(0, 120)
    part = whole._replace(views=whole.views[rows], labels=whole.labels[rows], ids=None)
    monkeypatch.setattr(datasets, "load", lambda name: part)


@pytest.mark.slow
def test_demo(run, small_digits, tmp_path, monkeypatch):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("demo")
    assert status == 0
    assert all(name in out for name in METHODS)
    # the clusters first, with pictures of the digits; the methods second
    assert out.startswith("clusters: clusters.html (")
    assert out.rstrip().splitlines()[-1].startswith("comparison of the methods: report")
    assert "Digits" not in out.splitlines()[0]
    assert (tmp_path / "clusters.html").read_text().startswith("<!doctype html>")
    page = (tmp_path / "report.html").read_text()
    assert all(name in page for name in METHODS)
    assert "What was learned" in page


@pytest.mark.parametrize("lacking", ["jinja2", *slow("matplotlib")])
def test_demo_of_a_plain_installation(
    run, small_digits, tmp_path, monkeypatch, lacking
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, lacking, None)
    status, out, err = run("demo")
    assert status == 0
    assert all(name in out for name in METHODS)
    assert "no page is written" in err
    assert "pip install 'mvgraph[report]'" in err
    assert list(tmp_path.iterdir()) == []
    assert_one_line_error(run("demo", "-o", tmp_path / "a.html"), "mvgraph[report]")
    ran = run("demo", "-o", tmp_path / "report.html")
    assert_one_line_error(ran, "the name of the report")


@pytest.mark.slow
def test_demo_without_report(run, small_digits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--no-report")[0] == 0
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ the terminal
def test_progress_is_silent_off_a_terminal(capsys):
    with _terminal.progress("work", delay=0) as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


def test_progress_shows_on_a_terminal_only_after_the_delay(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with _terminal.progress("work", delay=60) as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


def test_warnings_become_one_line(run, monkeypatch):
    import warnings

    from mvgraph import methods

    def table():
        warnings.warn("two\nlines", UserWarning, stacklevel=1)
        warnings.warn("old", FutureWarning, stacklevel=1)
        return []

    monkeypatch.setattr(methods, "table", table)
    monkeypatch.setattr(sys, "warnoptions", [])
    assert run("methods", "--json") == (0, "[]\n", "warning: two lines\n")


def test_defects_are_not_disguised(monkeypatch):
    from mvgraph import methods

    def table():
        raise KeyError("a defect")

    monkeypatch.setattr(methods, "table", table)
    with pytest.raises(KeyError):
        cli.main(["methods"])


def test_python_dash_m():
    command = [sys.executable, "-m", "mvgraph", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "0.1.0\n"


def test_reader_may_stop_early():
    command = f"{sys.executable} -m mvgraph methods --json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[", "")


def test_labels_never_replace_the_data(tmp_path, capsys):
    path = tmp_path / "data.npz"
    np.savez(path, x=np.random.default_rng(0).normal(size=(20, 3)))
    before = path.read_bytes()
    words = ["cluster", str(path), "--n-clusters", "2", "-o", str(path)]
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    assert "would replace the data" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_cluster_json_holds_sizes_weights_and_labels(run, mat, tmp_path):
    command = ["cluster", mat, "--n-clusters", "3", "--json"]
    found = json.loads(run(*command)[1])
    assert sum(found["sizes"].values()) == found["n"] == len(found["labels"])
    assert len(found["ids"]) == found["n"]
    assert sum(found["view_weights"].values()) == pytest.approx(1)
    path = tmp_path / "labels.csv"
    written = json.loads(run(*command, "-o", str(path))[1])
    assert written["output"] == str(path)
    assert "labels" not in written
    assert len(path.read_text().splitlines()) == found["n"] + 1


def test_a_dash_is_standard_output(run, mat, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("cluster", mat, "--n-clusters", "3", "-o", "-")
    assert result[1].startswith("id,label\n")
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("data", ["", "  "])
def test_empty_data_is_refused(run, data):
    assert_one_line_error(run("cluster", data, "--n-clusters", "3"), "empty")


def test_spaces_between_names_of_views_do_not_matter(run, unlabelled):
    command = ["cluster", unlabelled, "--n-clusters", "3", "--method", "kmeans-concat"]
    spaced = run(*command, "--views", " first, second")
    assert spaced[0] == 0
    assert spaced == run(*command, "--views", "first,second")


@pytest.mark.parametrize("views", ["first,,second", "", ",first", " "])
@pytest.mark.parametrize("command", [["cluster", "--n-clusters", 3], ["choose-k"]])
def test_empty_names_of_views_are_refused(run, unlabelled, command, views):
    result = run(*command, unlabelled, "--views", views)
    assert_one_line_error(result, f"--views={views!r} contains an empty name", "A,B,C")


@pytest.mark.parametrize(
    "options",
    [
        ["cluster", "--n-clusters", "NUMBER"],
        ["cluster", "--n-clusters", "NUMBER", "--dry-run"],
        ["cluster", "--n-clusters", "3", "--seed", "NUMBER"],
        ["cluster", "--n-clusters", "3", "--memory-limit", "NUMBER"],
        ["evaluate", "--n-clusters", "NUMBER"],
        ["evaluate", "--seed", "NUMBER"],
        ["explain", "--n-clusters", "NUMBER"],
        ["choose-k", "--seed", "NUMBER"],
    ],
)
def test_integers_beyond_64_bits_are_bad_input(run, mat, options):
    command, *rest = options
    rest = [str(10**20) if word == "NUMBER" else word for word in rest]
    assert_one_line_error(run(command, mat, *rest), str(10**20))
