"""Saving while processes are killed, and while others write and read the same model."""

import multiprocessing as mp
import os
import random
import signal
import time

import pytest

from data import planted
from mvgraph import GraphConsensus, load_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]
FORK = mp.get_context("fork") if hasattr(os, "fork") else None


@pytest.fixture(scope="module")
def model():
    return GraphConsensus(3, random_state=0).fit(planted(300)[0])


def save_often(model, folder, seed):
    """Save without end, with a random state that tells the models apart."""
    while True:
        model.set_params(random_state=seed).save(folder)
        seed += 1


def start(model, folder, seed):
    process = FORK.Process(target=save_often, args=(model, folder, seed), daemon=True)
    process.start()
    return process


def kill_during_save(model, folder, times):
    """Kill a saving process at random moments; the model is loadable each time."""
    rng = random.Random(0)
    model.save(folder)
    states = set()
    for i in range(times):
        process = start(model, folder, 1000 * i)
        time.sleep(rng.uniform(0.0, 0.12))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        states.add(len(list(folder.iterdir())))
        assert load_model(folder).labels_.shape == (300,)
    model.save(folder)
    assert len(list(folder.iterdir())) == 2
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    return states


def write_and_read(model, folder, seconds):
    """Two writers, one killed and started again now and then; one reader."""
    rng, loads, seen = random.Random(0), 0, set()
    model.save(folder)
    writers = [start(model, folder, 0), start(model, folder, 10**6)]
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            seen.add(load_model(folder).random_state)
            loads += 1
            if rng.random() < 0.05:
                os.kill(writers[0].pid, signal.SIGKILL)
                writers[0].join()
                writers[0] = start(model, folder, 1000 * loads)
            assert all(writer.is_alive() for writer in writers)
    finally:
        for writer in writers:
            writer.kill()
            writer.join()
    model.save(folder)
    assert len(list(folder.iterdir())) == 2
    return loads, len(seen)


def test_killed_during_save(model, tmp_path):
    states = kill_during_save(model, tmp_path / "m", 40)
    assert len(states) > 1  # some were killed between two steps


def test_two_writers_and_a_reader(model, tmp_path):
    loads, models = write_and_read(model, tmp_path / "m", 6.0)
    assert loads > 20
    assert models > 10


@pytest.mark.parametrize("made", [False, True])
def test_killed_before_the_first_model(model, tmp_path, made):
    """What is left of a save without any model is no obstacle to the next."""
    folder = tmp_path / "m"
    if made:
        folder.mkdir()
        (folder / "arrays-0123456789abcdef.npz").write_bytes(b"half")
        (folder / ".model.json.0123456789abcdef.tmp").write_bytes(b"half")
        with pytest.raises(ValueError, match="no model"):
            load_model(folder)
    model.save(folder)
    load_model(folder)
    assert len(list(folder.iterdir())) == 2
