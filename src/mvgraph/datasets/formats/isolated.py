"""Read in a process of its own what can abort, never end, or take all memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from mvgraph.datasets.formats.limits import check_size, limit_of
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.memory import TooLargeError
from mvgraph.ops.wording import size_in_words

#: Bytes that Python and a reader take before they read; SciPy has a stack per core.
START = {
    "sheets": 2**25, "structure": 2**27, "values": 2**27, "arrow": 2**28,
    "market": 2**28 + 2**23 * (os.cpu_count() or 1),
}  # fmt: skip
#: One thread, and no memory that is reserved for later.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}  # fmt: skip
#: Seconds of a processor for any file, and more by its size on disk: a workbook of
#: 50 MB takes 25 s.
SECONDS, SECONDS_PER_MB = 15, 2
#: Seconds of waiting per second of a processor: the machine may be busy.
PATIENCE = 10
PIECE = 1 << 20
#: Exit status of a child that has written the reason to standard error.
REFUSED = 3


def output_of(work: str, path: Path, options: ReadOptions) -> bytes:
    """Run `child` on a file, and return what it writes.

    It gets the name of its work, the path, its limit of private bytes and its
    limit of processor seconds.

    Raises
    ------
    TooLargeError
        If it takes more memory than there is.
    ValueError
        If the reader refuses the file, crashes, or does not end in time.
    """
    seconds = SECONDS + SECONDS_PER_MB * path.stat().st_size // 10**6
    most = limit_of(options)
    # -P: the modules of this folder do not take the names of others
    command = [sys.executable, "-P", Path(__file__).with_name("child.py"), work, path]
    limits = [min(START[work] + most, 2**62), seconds]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [str(part) for part in (*command, *limits)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            env=os.environ | ENVIRONMENT,
        )  # fmt: skip
        waits = threading.Timer(PATIENCE * seconds, child.kill)
        waits.start()
        try:
            output = _read(child, path, options)
            status = child.wait()
        finally:
            waits.cancel()
            child.kill()
            child.communicate()
        errors.seek(0)
        error = errors.read(10_000).decode(errors="replace").strip()
    _refuse(path, status, error, most, seconds)
    return output


def _read(child: subprocess.Popen[bytes], path: Path, options: ReadOptions) -> bytes:
    assert child.stdout is not None
    pieces = []
    while piece := child.stdout.read(PIECE):
        check_size(path.name, len(piece), options)
        pieces.append(piece)
    return b"".join(pieces)


def _refuse(path: Path, status: int, error: str, most: int, seconds: int) -> None:
    if status == 0:
        return
    if "memory allocation" in error or error == "MemoryError":
        raise TooLargeError(
            f"{path.name}: takes more in memory than the {size_in_words(most)} that are"
            " left. Raise memory_limit (on the command line --memory-limit) if the"
            " file is right, or store fewer cells"
        )
    if -status in (getattr(signal, "SIGXCPU", None), getattr(signal, "SIGKILL", None)):
        raise ValueError(f"reading it does not end within {seconds} s of a processor")
    raise ValueError(error if status == REFUSED else f"its reader crashed ({status})")
