"""Limits of memory and engines of the command line, dry runs, and interruptions."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import typer

from data import planted_files
from mvgraph import AnchorFilter, ChooseK, GraphConsensus, cli
from mvgraph.baselines.kmeans_concat import KMeansConcat
from mvgraph.cli._input import parse_bytes

pytestmark = pytest.mark.usefixtures("alone")


def run(capsys, *args):
    with pytest.raises(SystemExit) as end:
        cli.main([str(a) for a in args])
    return end.value.code, *capsys.readouterr()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return planted_files(tmp_path_factory.mktemp("views"), 1500)


@pytest.mark.parametrize(
    ("text", "value"),
    [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("500m", 5 * 10**8), ("123", 123)],
)
def test_sizes(text, value):
    assert parse_bytes(text) == value


@pytest.mark.parametrize("text", ["", "four", "4XB", "-3", "0", "1.2.3GB"])
def test_sizes_that_are_none(text):
    with pytest.raises(typer.BadParameter, match="is not a size"):
        parse_bytes(text)


def test_dry_run_prints_bytes_and_does_not_fit(capsys, folder, monkeypatch):
    monkeypatch.setattr(AnchorFilter, "fit", None)
    base = [
        "cluster",
        folder,
        "--n-clusters",
        3,
        "--method",
        "anchor-filter",
        "--dry-run",
    ]
    code, out, _ = run(capsys, *base)
    assert code == 0
    assert "time grows as O(" in out
    assert "state of all rows" in out
    code, out, _ = run(capsys, *base, "--json", "--memory-limit", "1MB")
    assert code == 3
    assert not json.loads(out)["fits"]
    code, out, _ = run(capsys, *base[:4], "--method", "rmsc", "--dry-run")
    assert "time grows as O(N^3)" in out


def test_dry_run_without_a_limit_looks_at_the_memory_at_hand(
    capsys, folder, monkeypatch
):
    base = ["cluster", folder, "--n-clusters", 3, "--dry-run", "-q"]
    assert run(capsys, *base)[0] == 0
    monkeypatch.setattr("mvgraph.ops.memory.free_bytes", lambda: 2 * 10**6)
    monkeypatch.setattr("mvgraph.cli._cluster.free_bytes", lambda: 2 * 10**6)
    code, out, err = run(capsys, *base)
    assert (code, err.count("\n")) == (3, 1)
    assert "does not fit into the memory at hand (2000000 bytes); at least" in err
    assert "memory at hand (is not enough)" in out
    code, out, _ = run(capsys, *base, "--json")
    assert code == 3
    assert not json.loads(out)["fits"]


def test_a_small_limit_is_refused_before_the_fit(capsys, folder, monkeypatch):
    for estimator in (AnchorFilter, GraphConsensus, KMeansConcat):
        monkeypatch.setattr(estimator, "_fit", None)
    base = ["cluster", folder, "--n-clusters", 3, "--memory-limit", "1MB", "-q"]
    for method in ("anchor-filter", "graph-consensus", "kmeans-concat"):
        code, out, err = run(capsys, *base, "--method", method)
        assert code == 3
        assert out == ""
        assert "memory_limit=1 MB" in err
        assert "allow at least" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "estimator"),
    [
        pytest.param(
            ["choose-k", "--k", "2:5", "--json"], ChooseK, marks=pytest.mark.slow
        ),
        (["explain", "--n-clusters", "3", "--json"], GraphConsensus),
    ],
)
def test_other_commands_keep_to_a_limit(capsys, folder, words, estimator):
    base = [words[0], folder, *words[1:], "-q"]
    _, free, _ = run(capsys, *base)
    code, out, err = run(capsys, *base, "--memory-limit", "1MB")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert f"{estimator.__name__} on 1500 samples does not fit" in err
    least = re.search(r"allow at least (\d+) bytes", err)[1]
    assert run(capsys, *base, "--memory-limit", least)[:2] == (0, free)


@pytest.mark.parametrize(
    "words",
    [
        ["cluster", "--n-clusters", "3"],
        ["choose-k"],
        ["explain", "--n-clusters", "3"],
        ["datasets", "info"],
    ],
)
def test_every_reader_refuses_a_file_beyond_the_limit(capsys, tmp_path, words):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, a=np.zeros((2000, 50)), b=np.zeros((2000, 50)))
    code, out, err = run(capsys, *words, path, "--memory-limit", "100KB")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "more than the limit" in err


def test_engines_from_the_command_line_give_the_same_labels(capsys, folder):
    base = ["cluster", folder, "--n-clusters", 3, "--method", "anchor-filter"]
    _, memory, _ = run(capsys, *base)
    code, chunked, _ = run(capsys, *base, "--engine", "chunked")
    assert code == 0
    assert chunked == memory
    _, out, _ = run(capsys, *base, "--dry-run", "--json", "--memory-limit", "1MB")
    limit = json.loads(out)["bytes"]["least"]
    code, limited, _ = run(capsys, *base, "--memory-limit", limit)
    assert code == 0
    assert limited == memory


@pytest.mark.parametrize(
    ("method", "engine"),
    [
        *(("anchor-filter", engine) for engine in ("auto", "memory", "chunked")),
        *(("graph-consensus", "auto"), ("kmeans-concat", "memory")),
    ],
)
def test_one_least_limit_is_told_and_kept_to(capsys, folder, method, engine):
    base = ["cluster", folder, "--n-clusters", 3, "--method", method]
    base += ["--engine", engine]
    _, out, _ = run(capsys, *base, "--dry-run", "--json")
    least = json.loads(out)["bytes"]["least"]
    _, out, _ = run(capsys, *base, "--dry-run", "--memory-limit", least - 1)
    assert f" {least} " in out
    assert "is not enough" in out
    _, _, err = run(capsys, *base, "--memory-limit", least - 1)
    assert f"allow at least {least} bytes" in err
    _, out, _ = run(capsys, *base, "--dry-run", "--memory-limit", least)
    assert "memory limit (is enough)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "chunked"], "graph-consensus has no engine chunked; leave"),
        (
            ["--method", "kmeans-concat", "--scheduler", "tcp://x:1"],
            "has no engine tcp://x:1",
        ),
        (["--method", "anchor-filter", "--scheduler", "host"], "needs an address"),
        (
            [
                "--method",
                "anchor-filter",
                "--scheduler",
                "tcp://x:1",
                "--engine",
                "memory",
            ],
            "no engine other than distributed",
        ),
        (["--memory-limit", "lots"], "is not a size"),
        (["--engine", "gpu"], "neither one of auto, memory, chunked, distributed nor"),
    ],
)
def test_options_that_do_not_go_together(capsys, folder, options, message):
    code, _, err = run(capsys, "cluster", folder, "--n-clusters", 3, *options)
    assert code == 2
    assert message in err


@pytest.mark.dask
@pytest.mark.parametrize("option", ["--scheduler", "--engine"])
@pytest.mark.parametrize("method", ["anchor-filter", "graph-consensus"])
def test_scheduler_from_the_command_line(capsys, folder, method, option):
    distributed = pytest.importorskip("distributed")
    base = ["cluster", folder, "--n-clusters", 3, "--method", method]
    _, memory, _ = run(capsys, *base)
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster:
        code, out, _ = run(capsys, *base, option, cluster.scheduler_address)
    assert code == 0
    assert out == memory


#: The command line, interrupted at its first step, when its scratch files lie there.
INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from mvgraph import cli
from mvgraph.engines.chunked import ChunkedEngine

def step(engine, f):
    print(len(list(Path(os.environ["TMPDIR"]).rglob("*.npy"))), flush=True)
    signal.raise_signal(signal.SIGINT)  # in this thread, so at this line

# a shell starts what it puts in the background with this signal ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
ChunkedEngine.step = step
cli.main(sys.argv[1:])
"""


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(folder, tmp_path):
    scratch, output = tmp_path / "scratch", tmp_path / "labels.csv"
    scratch.mkdir()
    words = ["cluster", folder, "--n-clusters", 3, "--method", "anchor-filter"]
    words += ["--engine", "chunked", "-o", output]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *map(str, words)],
        env=os.environ | {"TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130, done.stderr
    assert int(done.stdout) > 0
    assert done.stderr.strip().splitlines()[-1] == "error: interrupted"
    assert list(scratch.iterdir()) == []
    assert list(tmp_path.iterdir()) == [scratch]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_too_many_rows_are_refused_before_they_are_read(tmp_path, ending):
    pa, csv = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.csv")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = np.zeros(400_000, dtype=np.int8)
    table, path = pa.table({"a": rows, "b": rows}), tmp_path / f"t.{ending}"
    (parquet.write_table if ending == "parquet" else csv.write_csv)(table, path)
    words = "cluster", path, "--n-clusters", "3", "--memory-limit", "240MB"
    # in a process of its own, which holds nothing else
    ended = subprocess.run([sys.executable, "-m", "mvgraph", *words],
                           capture_output=True, text=True)  # fmt: skip
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr.count("\n") == 1, ended.stderr  # and nothing is read
    assert "400000 samples does not fit" in ended.stderr
