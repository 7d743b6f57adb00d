"""A process that is ended while it writes labels, models, pages, records: old or new.

What ends it comes at random moments: SIGKILL, SIGTERM, SIGHUP, a full disk, a reader
of standard output that goes.
"""

import multiprocessing as mp
import os
import random
import signal
import sys
import time

import numpy as np
import pytest

from bench_data import record
from data import planted
from mvgraph import GraphConsensus, load_model
from mvgraph.bench import records
from mvgraph.cli import _ends
from mvgraph.cli._output import write_csv, write_labels
from mvgraph.persistence.files import replace_text
from mvgraph.persistence.scratch import Scratch

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]
TIMES, N = 20, 20_000
IDS = [f"sample {i}" for i in range(N)]


@pytest.fixture(scope="module")
def model():
    return GraphConsensus(3, random_state=0).fit(planted(300)[0])


def write_all(place, model, number):
    """Write every kind of file; its number tells what one writing has written."""
    for name in ("labels.csv", "labels.parquet"):
        blocks = [{"label": np.full(N // 4, number)} for _ in range(4)]
        write_labels(place / name, IDS, blocks, "", model)
    model.set_params(random_state=number).save(place / "model")
    # as the page of clusters, reports, comparisons, manifests and settings are written
    replace_text(place / "page.html", f"{number}\n" * N)
    with Scratch(place) as folder:
        (folder / "0.npy").write_bytes(bytes(100_000))
    with records.open_log(place / "out") as (file, _):
        records.append(file, record(seed=number))


def check(place):
    """Every file is whole, of one writing."""
    import pyarrow.parquet as pq

    head, *lines = (place / "labels.csv").read_text().splitlines()
    assert head == "id,label"
    assert len(lines) == N
    assert len({line.rpartition(",")[2] for line in lines}) == 1
    labels = pq.read_table(place / "labels.parquet")["label"].to_numpy()
    assert labels.shape == (N,)
    assert len(set(labels.tolist())) == 1
    assert len(set(page := (place / "page.html").read_text().split())) == 1
    assert len(page) == N
    assert load_model(place / "model").labels_.shape == (300,)
    seeds = [r["seed"] for r in records.read(place / "out")]
    assert seeds == sorted(set(seeds))


def clean(place, model, number):
    """The next run leaves its own files and nothing else."""
    write_all(place, model, number)
    check(place)
    names = ["labels.csv", "labels.parquet", "model", "out", "page.html"]
    assert sorted(p.name for p in place.iterdir()) == names
    assert len(list((place / "model").iterdir())) == 2


def started(target, *args):
    """Run a function as the program does, in a fork; it ends with its status."""

    def run():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        with _ends.Signals() as signals:
            status = _ends.guarded(lambda: target(*args) or 0, signals)
            sys.stderr.flush()
            os._exit(status)

    process = mp.get_context("fork").Process(target=run, daemon=True)
    process.start()
    return process


def write_often(place, model, number):
    while True:
        write_all(place, model, number)
        number += 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [(signal.SIGKILL, -9), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_signals(model, tmp_path, sent, code):
    rng = random.Random(int(sent))
    write_all(tmp_path, model, 1)
    for i in range(TIMES):
        process = started(write_often, tmp_path, model, 1000 * (i + 1))
        time.sleep(0.05 + rng.uniform(0.0, 0.5))
        os.kill(process.pid, sent)
        process.join(20)
        assert process.exitcode == code
        check(tmp_path)
    clean(tmp_path, model, 10**6)


def write_on_a_full_disk(place, model, limit):
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    work = [
        lambda: write_all(place, model, 2),
        lambda: model.set_params(random_state=2).save(place / "model"),
    ]
    failed = 0
    for write in work:
        try:
            write()
        except OSError as error:
            failed += 1 if str(place) in str(error.filename) else 100
    return failed


def test_full_disk(model, tmp_path):
    rng = random.Random(0)
    write_all(tmp_path, model, 1)
    size = max(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file())
    failed = 0
    for i in range(TIMES):
        limit = rng.randrange(size if i % 2 else size // 20)
        process = started(write_on_a_full_disk, tmp_path, model, limit)
        process.join(20)
        assert process.exitcode in (0, 1, 2)
        failed += process.exitcode
        check(tmp_path)
    assert failed > TIMES / 2
    clean(tmp_path, model, 10**6)


def print_labels(mine, theirs):
    os.close(mine)
    os.dup2(theirs, 1)
    sys.stdout = open(1, "w")  # noqa: SIM115
    write_csv(sys.stdout, IDS, [{"label": np.zeros(N, dtype=int)}])


def test_reader_goes():
    rng = random.Random(0)
    for _ in range(TIMES):
        mine, theirs = os.pipe()
        process = started(print_labels, mine, theirs)
        os.close(theirs)
        os.read(mine, 1 + rng.randrange(60_000))
        os.close(mine)
        process.join(20)
        assert process.exitcode == _ends.PIPE
