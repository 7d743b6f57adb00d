"""The program, ended by a signal at random moments: nothing stays behind."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from data import planted_files
from pairs import slow

CODES = {
    signal.SIGINT: (130, "interrupted"),
    signal.SIGTERM: (143, "terminated"),
    signal.SIGHUP: (129, "the terminal was closed"),
}
pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="reads /proc"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return planted_files(tmp_path_factory.mktemp("views"), 20_000)


def as_from_a_terminal():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(folder, place, *options):
    """Start a clustering in a session of its own, with scratch files in one place."""
    scratch = place / "scratch"
    scratch.mkdir()
    words = ["cluster", folder, "--n-clusters", 3, "-q", "-o", place / "labels.csv"]
    words += ["--save", place / "model", *options]
    temporary = {"TMPDIR": str(scratch), "DASK_TEMPORARY_DIRECTORY": str(scratch)}
    return subprocess.Popen(
        [sys.executable, "-m", "mvgraph", *map(str, words)],
        env=os.environ | temporary,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # whatever runs the tests may have been started with the signals ignored
        preexec_fn=as_from_a_terminal,
    )


def await_handlers(process):
    """Wait until the program, and not Python alone, answers signals."""
    caught = 0
    while not caught >> (signal.SIGTERM - 1) & 1:
        assert process.poll() is None
        with open(f"/proc/{process.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        caught = int(lines["SigCgt"], 16)


def of_session(number):
    """List the live processes of a session."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == number and fields[0] != "Z":
            found.append(int(name))
    return found


def stop_at(folder, place, moment, number, group, *options):
    """Send a signal at a moment; return how many seconds the program then took."""
    place.mkdir()
    process = start(folder, place, *options)
    await_handlers(process)
    time.sleep(moment)
    sent = time.monotonic()
    if process.poll() is None:
        (os.killpg if group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    seconds = time.monotonic() - sent
    lines = err.splitlines()
    left = sorted(p.name for p in place.iterdir())
    time.sleep(0.3)
    assert of_session(process.pid) == [], ("orphans", moment, err)
    assert list((place / "scratch").iterdir()) == [], (
        "scratch",
        moment,
        err,
        process.returncode,
    )
    code, text = CODES[number]
    if process.returncode == 0:  # it was done before
        assert left == ["labels.csv", "model", "scratch"]
        return 0.0
    assert (process.returncode, out) == (code, ""), (moment, number, err)
    assert lines == [f"error: {text}"], (moment, err)
    assert set(left) <= {"scratch", "model"}  # the model is saved before the labels
    return seconds


def stop_often(folder, tmp_path, times, span, group, *options):
    """Stop at random moments, one signal and the other; return the longest wait."""
    rng = random.Random(0)
    waits = []
    for i in range(times):
        moment = rng.uniform(0, span)
        number = list(CODES)[i % 3]
        place = tmp_path / str(i)
        waits.append(stop_at(folder, place, moment, number, group, *options))
    return max(waits)


ENGINES = {
    "default": (15.0, False, []),
    "memory": (6.5, False, ["--method", "anchor-filter", "--engine", "memory"]),
    "chunked": (6.0, False, ["--method", "anchor-filter", "--engine", "chunked"]),
    "distributed": (
        19.0,
        True,
        ["--method", "anchor-filter", "--engine", "distributed"],
    ),
}


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *slow(signal.SIGINT, signal.SIGHUP)]
)
def test_a_signal_while_modules_are_imported(folder, tmp_path, number):
    for i, moment in enumerate((0, 0.1, 0.4)):
        assert stop_at(folder, tmp_path / str(i), moment, number, False) < 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["default", "memory", "chunked"])
def test_signals_at_random_moments(folder, tmp_path, engine):
    span, group, options = ENGINES[engine]
    stop_often(folder, tmp_path, 6, span, group, *options)


@pytest.mark.dask
@pytest.mark.slow
def test_signals_at_random_moments_on_dask(folder, tmp_path):
    pytest.importorskip("distributed")
    span, group, options = ENGINES["distributed"]
    assert stop_often(folder, tmp_path, 6, span, group, *options) < 2
