"""Ctrl-C at a terminal goes to the whole group of processes: one line is said."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mvgraph
from bench_data import gone, save
from mvgraph.bench import records
from mvgraph.bench.processes import start_server

pytestmark = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="needs forks"
)
SLEEPS = """
import time
import numpy as np

class Sleeps:
    def __init__(self, n_clusters):
        self.k = n_clusters

    def fit(self, X):
        self.labels_ = np.arange(len(X[0])) % self.k
        time.sleep(0.3)
"""


def bench(folder):
    """Start a benchmark of twenty trials in a session of its own."""
    command = ["bench", "plan.yaml", "--data", ".", "-o", "out", "--jobs", "2", "-q"]
    package = str(
        Path(mvgraph.__file__).parents[1]
    )  # also where PYTHONPATH is relative
    return subprocess.Popen(
        [sys.executable, "-m", "mvgraph", *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": package},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # whatever runs the tests may have been started with the signal ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def server_of(process, seconds=60):
    """Wait until the server of the forks is there; return its number."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read()
                if b"forkserver" in words and os.getpgid(int(name)) == process.pid:
                    return int(name)
            except OSError:
                continue
        time.sleep(0.005)
    raise AssertionError("no server of forks")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads /proc")
def test_ctrl_c_is_one_line_at_any_moment(tmp_path):
    save(tmp_path / "three.npz")
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    (tmp_path / "plan.yaml").write_text(
        "{sets: [three], repeats: 20, runs: [{methods: ['sleeps:Sleeps', mgl]}]}"
    )
    rng = random.Random(0)
    # while the server starts, while it imports, while trials run
    for moment in (0.0, 0.05, 0.3, 0.8, rng.uniform(2, 5), rng.uniform(2, 5)):
        process = bench(tmp_path)
        server_of(process)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, ""), (moment, err)
        assert err == "error: interrupted\n", moment
        assert gone(process.pid, 10), moment
    if (tmp_path / "out" / records.NAME).stat().st_size:
        assert {r["status"] for r in records.read(tmp_path / "out")} == {"done"}


def test_the_handler_is_back_after_the_start():
    before = signal.getsignal(signal.SIGINT)
    start_server()
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
