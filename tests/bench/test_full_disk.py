"""A disk that is full while a benchmark runs: the file is named, records stay whole."""

import json
import signal
import subprocess
import sys

import pytest

from bench_data import record, save
from mvgraph.bench import records

resource = pytest.importorskip("resource")


def test_the_error_names_the_file_and_the_record_is_not_half(tmp_path):
    with records.open_log(tmp_path) as (file, _):
        records.append(file, record())
    size = (tmp_path / records.NAME).stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with records.open_log(tmp_path) as (file, _):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))
            with pytest.raises(OSError, match=r"trials\.jsonl"):
                records.append(file, record(seed=1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert [r["seed"] for r in records.read(tmp_path)] == [0]
    with records.open_log(tmp_path) as (file, earlier):
        assert len(earlier) == 1
        records.append(file, record(seed=1))
    assert [r["seed"] for r in records.read(tmp_path)] == [0, 1]


@pytest.mark.slow
def test_the_command_says_it_in_one_line(tmp_path):
    save(tmp_path / "three.npz")
    plan = "{sets: [three], repeats: 9, runs: [{methods: [kmeans-concat]}]}"
    (tmp_path / "plan.yaml").write_text(plan)
    (tmp_path / "out").mkdir()
    with records.open_log(tmp_path / "out") as (file, _):  # other files are smaller
        records.append(file, record(status="skipped", reason="x" * 8_190_000))
    command = f"ulimit -f 8000; exec {sys.executable} -m mvgraph bench plan.yaml"
    done = subprocess.run(
        ["bash", "-c", f"{command} --data . -o out --jobs 1 -q"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines() or [""]
    assert line.startswith("error: out/trials.jsonl: ")
    whole = (tmp_path / "out" / records.NAME).read_bytes().split(b"\n")[:-1]
    assert all(json.loads(one)["set"] for one in whole)
