"""What a fit will take, told before it runs; limits and engines of the command line."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import mvgraph
from mvgraph import MGL, cli, methods
from mvgraph.cli import _terminal
from mvgraph.cli._limits import parse_bytes
from mvgraph.evaluation import forecast
from mvgraph.mgl.method import STEPS


def run(capsys, *args):
    with pytest.raises(SystemExit) as end:
        cli.main([str(a) for a in args])
    return end.value.code, *capsys.readouterr()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("views")
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3
    for v, d in enumerate((4, 6)):
        x = rng.normal(size=(3, d))[y] * 6 + rng.normal(size=(3000, d))
        np.save(path / f"v{v}.npy", x.astype(np.float32))
    return path


@pytest.mark.parametrize("name", methods.names())
def test_every_method_has_a_forecast(name):
    small = mvgraph.estimate((1000, (5, 9)), name, 4)
    large = mvgraph.estimate((8000, (5, 9)), name, 4)
    for part in ("least", "peak"):
        assert 0 < small["bytes"][part] < large["bytes"][part]
    assert small["fits"]
    if name in ("mgl", "graph-consensus"):
        assert 0 < small["seconds"] <= small["seconds_most"]
    else:
        assert small["seconds"] is None
    json.dumps(small)


def test_growth_is_linear_for_both_estimators():
    for name in ("mgl", "graph-consensus"):
        a, b = (mvgraph.estimate((n, (9, 9)), name, 5) for n in (10**6, 10**7))
        assert 5 < b["bytes"]["peak"] / a["bytes"]["peak"] <= 10.5


def test_views_and_their_shape_give_the_same_but_mapped_files_are_not_held(folder):
    maps = [np.load(folder / f"v{v}.npy", mmap_mode="r") for v in range(2)]
    mapped = mvgraph.estimate(maps, "mgl", 3)["bytes"]
    held = mvgraph.estimate([np.array(x) for x in maps], "mgl", 3)["bytes"]
    assert mapped["views"] == 0
    assert held["views"] == 3000 * 10 * 4
    assert held["fixed"] == mapped["fixed"]


def test_the_seconds_are_of_the_right_order():
    data = mvgraph.datasets.make_ambiguous_views(4000)
    MGL(10, random_state=0).fit(data.views[:300])  # loads the kernels
    start = time.perf_counter()
    model = MGL(10, random_state=0).fit(data.views)
    seconds = time.perf_counter() - start
    told = mvgraph.estimate(data.views, "mgl", 10)["seconds"] * model.n_iter_
    assert seconds / 20 < told / STEPS < 20 * seconds  # a busy machine


def test_a_limit_below_the_outputs_is_refused_with_a_limit_that_would_do():
    for name in ("graph-consensus", "mgl"):
        told = mvgraph.estimate((10**7, (10, 10)), name, 10, memory_limit=10**8)
        assert not told["fits"]
        with pytest.raises(MemoryError, match=r"memory_limit=100 MB: .*allow at least"):
            forecast.refuse(told, 10**8)
        enough = told["bytes"]["least"]
        told = mvgraph.estimate((10**7, (10, 10)), name, 10, memory_limit=enough)
        assert told["fits"]
        forecast.refuse(told, enough)


def test_memory_engine_counts_the_rows():
    shape = (10**6, (10, 10))
    between = mvgraph.estimate(shape, "mgl", 10)["bytes"]["least"] + 10**6
    for engine, fits in (("memory", False), ("auto", True), ("chunked", True)):
        told = mvgraph.estimate(shape, "mgl", 10, memory_limit=between, engine=engine)
        assert told["fits"] == fits


@pytest.mark.parametrize(
    ("text", "value"),
    [("4GB", 4 * 10**9), ("1.5 GiB", 3 * 2**29), ("500m", 5 * 10**8), ("123", 123)],
)
def test_sizes(text, value):
    assert parse_bytes(text) == value


@pytest.mark.parametrize("text", ["", "four", "4XB", "-3", "0", "1.2.3GB"])
def test_sizes_that_are_none(text):
    with pytest.raises(ValueError, match="is no size"):
        parse_bytes(text)


def test_dry_run_prints_bytes_and_seconds_and_does_not_fit(capsys, folder, monkeypatch):
    monkeypatch.setattr(MGL, "fit", None)
    base = ["cluster", folder, "--n-clusters", 3, "--method", "mgl", "--dry-run"]
    code, out, _ = run(capsys, *base)
    assert code == 0
    assert "expected seconds: " in out
    assert "state of all rows" in out
    code, out, _ = run(capsys, *base, "--json", "--memory-limit", "1MB")
    assert code == 0
    assert not json.loads(out)["fits"]
    code, out, _ = run(capsys, *base[:4], "--method", "rmsc", "--dry-run")
    assert "time grows as O(N^3)" in out


def test_a_small_limit_is_refused_before_the_fit(capsys, folder, monkeypatch):
    monkeypatch.setattr(MGL, "fit", None)
    base = ["cluster", folder, "--n-clusters", 3, "--memory-limit", "1MB", "-q"]
    for method in ("mgl", "graph-consensus"):
        code, out, err = run(capsys, *base, "--method", method)
        assert code == 2
        assert out == ""
        assert "memory_limit=1 MB" in err
        assert "allow at least" in err
        assert err.count("\n") == 1


def test_engines_from_the_command_line_give_the_same_labels(capsys, folder):
    base = ["cluster", folder, "--n-clusters", 3, "--method", "mgl"]
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
        *(("mgl", engine) for engine in ("auto", "memory", "chunked")),
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
    assert "does not hold" in out
    _, _, err = run(capsys, *base, "--memory-limit", least - 1)
    assert f"allow at least {least} bytes" in err
    _, out, _ = run(capsys, *base, "--dry-run", "--memory-limit", least)
    assert "memory limit (holds)" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "chunked"], "graph-consensus has no engine chunked: it reads"),
        (["--scheduler", "tcp://x:1"], "has no engine tcp://x:1"),
        (["--method", "mgl", "--scheduler", "host"], "is no address"),
        (
            ["--method", "mgl", "--scheduler", "tcp://x:1", "--engine", "memory"],
            "goes with --engine distributed",
        ),
        (["--memory-limit", "lots"], "is no size"),
        (["--engine", "gpu"], "gpu"),
    ],
)
def test_options_that_do_not_go_together(capsys, folder, options, message):
    code, _, err = run(capsys, "cluster", folder, "--n-clusters", 3, *options)
    assert code == 2
    assert message in err


@pytest.mark.dask
def test_scheduler_from_the_command_line(capsys, folder):
    distributed = pytest.importorskip("distributed")
    base = ["cluster", folder, "--n-clusters", 3, "--method", "mgl"]
    _, memory, _ = run(capsys, *base)
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster:
        code, out, _ = run(capsys, *base, "--scheduler", cluster.scheduler_address)
    assert code == 0
    assert out == memory


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    for v in range(2):
        np.save(tmp_path / f"v{v}.npy", rng.normal(size=(60_000, 20)))
    scratch, output = tmp_path / "scratch", tmp_path / "labels.csv"
    scratch.mkdir()
    command = [
        *(sys.executable, "-m", "mvgraph", "cluster", tmp_path, "--n-clusters", "3"),
        *("--method", "mgl", "--engine", "chunked", "-o", output),
    ]
    process = subprocess.Popen(
        [str(a) for a in command],
        env=os.environ | {"TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while not list(scratch.rglob("*.npy")) and time.monotonic() < end:
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "error: interrupted"
    assert list(scratch.iterdir()) == []
    assert not output.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "scratch", "v0.npy", "v1.npy",
    ]  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_has_stage_count_rate_and_time_left(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")
    with _terminal.progress("mgl on x", delay=0.0) as report:
        for step in range(6):
            report(step, 10, {"stage": "base partitions", "seconds": 0.1})
            time.sleep(0.15)
        time.sleep(0.3)
    text = shown.getvalue()
    assert "mgl on x: base partitions" in text
    assert "/s" in text
    assert "5/10" in text
    assert "left" in text


def test_no_bar_before_the_delay_nor_without_a_terminal(monkeypatch):
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with _terminal.progress("quick") as report:
            report(1, 2)
        assert stream.getvalue() == ""


@pytest.mark.parametrize("name", ["mgl", "graph-consensus"])
def test_fit_tells_a_callback_and_forgets_it(name):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = [6 * np.eye(3, d)[y] + rng.normal(size=(120, d)) for d in (4, 5)]
    seen = []
    model = methods.get(name).make(3, 0)
    model.fit(X, callback=lambda *told: seen.append(told))
    assert all(total is None or 0 <= step <= total for step, total, _ in seen)
    assert all(record["seconds"] >= 0 for _, _, record in seen)
    assert all(record["seconds"] >= 0 for record in model.history_)
    if name == "mgl":
        assert [step for step, _, _ in seen] == list(range(1, model.n_iter_ + 1))
    else:
        stages = list(dict.fromkeys(record["stage"] for _, _, record in seen))
        assert stages == [record["stage"] for record in model.history_]
    assert "_callback" not in vars(model)
    seen.clear()
    expected = model.labels_
    np.testing.assert_array_equal(model.fit(X).labels_, expected)
    assert seen == []


def test_an_error_in_the_callback_ends_the_fit():
    X = np.random.default_rng(0).normal(size=(60, 3))

    def stop(*told):
        raise KeyboardInterrupt

    model = MGL(2, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, callback=stop)
    assert not hasattr(model, "labels_")
    assert "_callback" not in vars(model)
