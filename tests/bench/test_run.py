import json
import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from damage import write_all

from bench_data import gone, save
from mvgraph import Views, datasets
from mvgraph.bench import plan, records, sets, trial
from mvgraph.bench.run import run
from mvgraph.ops.wording import counted

SMALL = """
title: small
sets: [three]
repeats: 2
time_limit: 120
runs:
  - {methods: [kmeans-concat], orders: [published, shuffled]}
"""


def done(results):
    return [r for r in records.read(results) if r["status"] == "done"]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Run a small plan once, for all that only look at its records."""
    from bench_data import save

    base = tmp_path_factory.mktemp("bench")
    (base / "data").mkdir()
    save(base / "data" / "three__plain.npz")
    result = run(plan.parse(SMALL, "small"), base / "out", base / "data", jobs=2)
    return base, result


def test_records_say_everything(outcome):
    base, result = outcome
    assert (result.done, result.lost, result.earlier) == (4, {}, 0)
    found = done(base / "out")
    assert len({r["key"] for r in found}) == 4
    first = found[0]
    assert first["scores"]["acc"] == 1.0
    assert len(first["data_sha256"]) == 64
    assert {"numpy", "scipy", "python", "mvgraph", "threads"} <= set(
        first["environment"]
    )
    assert {
        "seconds",
        "cpu_seconds",
        "peak_mb",
        "params",
        "seed",
        "order",
        "n",
        "k",
    } <= set(first)
    assert str(base) not in json.dumps(records.read(base / "out"))


def test_trials_keep_to_the_number_of_threads_asked_for(monkeypatch):
    from mvgraph.ops.parallel import n_threads as _threads

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert (_threads(4), _threads(0)) == (4, 1)
    for asked, expected in {"2": 2, "8": 4, "2,1": 2, "many": 4, "0": 4}.items():
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
        assert _threads(4) == expected


def test_a_set_that_is_absent_is_skipped_with_a_reason(tmp_path):
    text = "{sets: ['ambiguous:30', absent], runs: [{methods: [kmeans-concat]}]}"
    result = run(plan.parse(text, "x"), tmp_path, jobs=1)
    assert (result.done, result.lost) == (1, {"skipped": 1})
    lost = [r for r in records.read(tmp_path) if r["status"] == "skipped"]
    reason = "data set not found; try --data FOLDER"
    assert [(r["set"], r["reason"]) for r in lost] == [("absent", reason)]


def test_started_again_it_runs_nothing_twice(outcome):
    base, _ = outcome
    before = (base / "out" / records.NAME).read_bytes()
    again = run(plan.parse(SMALL, "small"), base / "out", base / "data", jobs=1)
    assert (again.done, again.lost, again.earlier) == (0, {}, 4)
    assert (base / "out" / records.NAME).read_bytes() == before


def test_a_torn_last_line_is_repaired(outcome, tmp_path):
    base, _ = outcome
    lines = (base / "out" / records.NAME).read_bytes().splitlines(keepends=True)
    out = tmp_path / "torn"
    out.mkdir()
    (out / records.NAME).write_bytes(b"".join(lines[:-1]) + lines[-1][:37])
    assert len(records.read(out)) == len(lines) - 1
    again = run(plan.parse(SMALL, "small"), out, base / "data", jobs=1)
    assert again.ended.total() == 1
    assert len(records.read(out)) == len(lines)


def test_a_broken_line_in_the_middle_is_an_error(tmp_path):
    (tmp_path / records.NAME).write_text('{"key": 1\n{"key": "a", "status": "done"}\n')
    with pytest.raises(ValueError, match="line 1: not a record"):
        records.read(tmp_path)


def test_no_results_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="run mvgraph bench first"):
        records.read(tmp_path)


def test_two_runs_do_not_share_a_folder(tmp_path):
    with (
        records.open_log(tmp_path),
        pytest.raises(ValueError, match="another mvgraph bench"),
        records.open_log(tmp_path),
    ):
        pass


def test_what_fails_is_skipped_with_its_reason(tmp_path, folder):
    np.savez(folder / "plain.npz", a=np.eye(30), b=np.ones((30, 2)))
    text = "{sets: [three, plain], runs: [{methods: [mgl], params: {p: 7}}]}"
    run(plan.parse(text, "bad"), tmp_path / "out", folder, jobs=1)
    reasons = {r["set"]: r["reason"] for r in records.read(tmp_path / "out")}
    assert "p must be a number in (0, 1]" in reasons["three"]
    assert reasons["plain"].startswith("ValueError")


def test_the_time_limit_ends_a_trial_and_spares_its_like(tmp_path):
    """CSMSC needs minutes for so many samples, whatever the machine."""
    text = """
    sets: ["ambiguous:3000"]
    repeats: 2
    time_limit: 1
    runs: [{methods: [csmsc], orders: [published, shuffled]}]
    """
    slow = plan.parse(text, "slow")
    run(slow, tmp_path, jobs=1)
    reasons = [r["reason"] for r in records.read(tmp_path)]
    assert reasons[0] == "exceeded the time limit of 1 s"
    assert reasons[1:] == ["an earlier trial exceeded the time limit of 1 s"] * 3
    assert run(slow, tmp_path, jobs=1).earlier == 4  # not tried again
    longer = slow.narrow(time_limit=1.5, repeats=1)
    assert run(longer, tmp_path, jobs=1).earlier == 0  # tried with more time


HANDS = """
import multiprocessing, time
if multiprocessing.parent_process():
    time.sleep({seconds})
class Slow:
    def fit(self, views):
        lost = [i for i, row in enumerate(views[0]) if row[0] == 0]
        raise ValueError("no use of rows " + ", ".join(map(str, lost)))
"""


@pytest.mark.parametrize("seconds", [0.6, pytest.param(60, marks=pytest.mark.slow)])
def test_the_limit_counts_from_the_timed_fit_and_failures_name_rows_of_the_file(
    seconds, tmp_path, monkeypatch
):
    """What comes before the fit is preparation, which ends, too."""
    hands = f"hands_{seconds:.0f}"  # imported once
    (tmp_path / f"{hands}.py").write_text(HANDS.format(seconds=seconds))
    values = np.arange(1.0, 41)[:, None] * [1, 1]
    values[[7, 30]] = 0
    np.savez(tmp_path / "x.npz", a=values, b=values, labels=np.arange(40) % 2)
    monkeypatch.chdir(tmp_path)
    runs = f"[{{methods: ['{hands}.py:Slow']}}]"
    text = f"{{sets: [x], repeats: 2, time_limit: 0.5, runs: {runs}}}"
    limits = {"preparation": 30 if seconds < 1 else 3}  # a busy machine is slow
    run(plan.parse(text, "p"), tmp_path / "out", tmp_path, jobs=2, **limits)
    reasons = {r["reason"] for r in records.read(tmp_path / "out")}
    (reason,) = reasons
    words = "no use of rows 7, 30 (" if seconds < 1 else "by 3 s before the timed fit"
    assert words in reason


def test_a_failure_names_the_same_ids_for_every_seed():
    x = np.random.default_rng(0).normal(size=(40, 3))
    x[[5, 20]] = np.nan
    views = Views([x, np.ones((40, 2))], ids=[f"s{i}" for i in range(40)])
    data = datasets.load("digits")._replace(views=views, labels=np.arange(40) % 2)
    for seed in range(3):
        one = trial.Trial("x", "mgl", "default", "shuffled", seed)
        with pytest.raises(ValueError, match=r"\(ids s5, s20\)"):
            trial.measure(one, data, keep=False)


def count(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_killed_it_loses_at_most_the_trial_in_flight(tmp_path, folder):
    (tmp_path / "plan.yaml").write_text(
        "{sets: [three], repeats: 4, runs: [{methods: [kmeans-concat]}]}"
    )
    out = tmp_path / "out"
    log = out / records.NAME
    command = [
        *(sys.executable, "-m", "mvgraph", "bench", str(tmp_path / "plan.yaml")),
        *("--data", str(folder), "-o", str(out), "--jobs", "1"),
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    give_up = time.monotonic() + 300
    while count(log) < 1 and time.monotonic() < give_up and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert gone(process.pid, 120)  # the trial in flight and the server went with it
    before = count(log)
    assert before >= 1
    kept = log.read_bytes()[: log.read_bytes().rfind(b"\n") + 1]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr
    assert (
        f"{counted(4 - before, 'trial')} done, {before} done before" in finished.stdout
    )
    assert log.read_bytes().startswith(kept)
    assert sorted(r["seed"] for r in records.read(out)) == list(range(4))


# ------------------------------------------------------------------------ data sets
def names_of(chosen, folder):
    return [found.name for found in sets.find_sets(chosen, folder)]


def test_sets_are_found_by_what_stands_before_two_underscores(folder):
    three, four = sets.find_sets(["three", "four"], folder)
    assert three.path.endswith("three__plain.npz")
    assert four.sha256 != three.sha256
    assert names_of(["four.npz", "three__plain"], folder) == [
        "four.npz",
        "three__plain",
    ]


@pytest.mark.usefixtures("walked")
def test_a_set_is_what_the_readers_read(tmp_path):
    """Every format, and no list of them; what is left out is said."""
    write_all(tmp_path)
    (tmp_path / "README.md").write_text("About these data.")
    (tmp_path / ".hidden.npz").write_bytes(b"")
    read = set()
    for path in tmp_path.iterdir():
        with suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            datasets.load(path)
            read.add(str(path))
    assert {Path(path).suffix for path in read} >= {".txt", ".h5ad", ".mat", ".csv", ""}
    with pytest.warns(UserWarning, match=r"left out of .*: .*README\.md"):
        found = sets.find_sets(["all"], tmp_path)
    assert {f.path for f in found} == read
    assert len({f.name for f in found}) == len(read)


def test_with_a_folder_only_the_folder_counts(folder, tmp_path):
    (folder / "notes.txt").unlink()
    assert names_of(["all"], folder) == ["four", "three"]
    for name in ("digits", "ambiguous:100", "x", "five"):
        with pytest.raises(ValueError, match=f"no data set '{name}' in .* four, three"):
            sets.find_sets(["three", name], folder)
    for text in ("", "no data"):
        empty = tmp_path / f"empty{len(text)}"
        empty.mkdir()
        if text:
            (empty / "notes.txt").write_text(text)
        words = "notes.txt; the first reason: " if text else "nothing; .* it is empty"
        with pytest.raises(ValueError, match=f"no data set in .* contains {words}"):
            sets.find_sets(["all"], empty)


def test_a_name_that_fits_two_files_asks_which(folder):
    save(folder / "three__other.npz", k=5)
    with pytest.raises(ValueError, match="three__other, three__plain; name one"):
        sets.find_sets(["three"], folder)
    np.savetxt(folder / "four.csv", np.eye(4), delimiter=",")
    (folder / "three__other.txt").write_text("Where these data are from.")
    with pytest.warns(UserWarning, match=r"left out .*: notes.txt, three__other"):
        names = names_of(["all"], folder)
    assert names == ["four.csv", "four.npz", "three__other", "three__plain"]
    assert names_of(["three__other"], folder) == ["three__other"]  # not its description


def test_a_size_generates_so_many_samples():
    found = sets.find_sets(["ambiguous:200", "digits:200"], None)
    assert found[0].missing is None
    assert "digits has a fixed size" in found[1].missing
    assert sets.open_set("ambiguous:200", None).views.n_samples == 200


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        sets.find_sets(["all"], tmp_path / "nowhere")


def test_a_set_that_was_fetched_before_is_found(folder, tmp_path, monkeypatch):
    import hashlib

    from mvgraph.datasets import _fetch

    content = (folder / "four.npz").read_bytes()
    code = hashlib.sha256(content).hexdigest()
    entry = _fetch.Entry("cached", "a.npz", len(content), code, "", "", ())
    monkeypatch.setitem(_fetch.registry(), "cached", entry)
    monkeypatch.setenv("MVGRAPH_DATA", str(tmp_path / "cache"))
    (lost,) = sets.find_sets(["cached"], None)
    assert lost.missing.endswith("try mvgraph datasets fetch cached")
    target = tmp_path / "cache" / "cached" / "a.npz"
    target.parent.mkdir(parents=True)
    target.write_bytes(content)
    (found,) = sets.find_sets(["cached"], None)
    assert (found.path, found.sha256) == (str(target), code)
