"""Temporary folders: locked by their process, removed by the next run after a kill."""

import os
import signal
import subprocess
import sys

import pytest

from mvgraph.persistence.files import fcntl
from mvgraph.persistence.scratch import Scratch

MAKES = """
import sys, time
from mvgraph.persistence.scratch import Scratch
folder = Scratch(sys.argv[1]).make()
(folder / "0.npy").write_bytes(b"x" * 1000)
print(folder.name, flush=True)
time.sleep(60)
"""


def test_a_folder_is_there_until_it_is_removed(tmp_path):
    with Scratch(tmp_path) as folder:
        (folder / "inner").mkdir()
        assert [folder] == list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []
    never = Scratch(tmp_path)
    never.remove()
    assert not never.path.exists()


@pytest.mark.skipif(fcntl is None, reason="needs locks")
def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", MAKES, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    name = process.stdout.readline().strip()
    others = [tmp_path / "mvgraph-mine", tmp_path / "mvgraph-0123456789abcdef0"]
    for other in others:
        other.mkdir()
    link = tmp_path / ("mvgraph-" + "0" * 16)
    link.symlink_to(others[0])
    try:
        with Scratch(tmp_path):  # of a process that lives
            assert (tmp_path / name / "0.npy").exists()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert (tmp_path / name).exists()
    with Scratch(tmp_path) as mine:
        assert sorted(tmp_path.iterdir()) == sorted([*others, link, mine])


def test_many_at_once_do_not_take_each_others(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    def use(i):
        with Scratch(tmp_path) as folder:
            (folder / "x").write_text(str(i))
            return (folder / "x").read_text() == str(i)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(200)))
    assert list(tmp_path.iterdir()) == []
