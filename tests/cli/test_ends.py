"""Outputs that are closed, full or gone: no traceback, the right exit status."""

import os
import shutil
import subprocess
import sys

import pytest

MVGRAPH = f"{sys.executable} -m mvgraph"
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def shell(line):
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "methods --json",
        pytest.param("cluster digits --n-clusters 3", marks=pytest.mark.slow),
    ],
)
def test_the_reader_goes(command):
    method = "--method kmeans-concat -q" if "cluster" in command else ""
    line = f"{MVGRAPH} {command} {method} | true; exit ${{PIPESTATUS[0]}}"
    status, out, err = shell(line)
    assert (out, err) == ("", "")
    # what fits into the buffer of the pipe may have been taken before the end
    assert status in (0, 141)
    assert "cluster" in command or status == 141


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("methods --json >&-", 0),
        ("methods --json >&- 2>&- <&-", 0),
        ("methods nothing 2>&-", 2),
        ("methods --json > /dev/full", 2),
        pytest.param("datasets info digits > /dev/full", 2, marks=pytest.mark.slow),
        ("--version > /dev/full", 2),
    ],
)
def test_standard_output_is_closed_or_full(line, status):
    if "full" in line and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    code, out, err = shell(f"{MVGRAPH} {line}")
    assert (code, out) == (status, ""), err
    if "full" in line:
        assert err == "error: standard output: No space left on device\n"
    else:
        assert err == ""


@pytest.mark.slow
def test_labels_into_a_closed_standard_output_harm_no_file(tmp_path):
    """With descriptor 1 free, the next file that is opened would be written to."""
    data = tmp_path / "x.csv"
    data.write_text("a,b\n" + "".join(f"{i % 2 * 9},{i % 3}\n" for i in range(40)))
    before = data.read_bytes()
    line = f"{MVGRAPH} cluster {data} --n-clusters 2 --method kmeans-concat -q >&-"
    assert shell(line) == (0, "", "")
    assert data.read_bytes() == before
