"""How much memory the machine has available, and how much this process takes."""

from __future__ import annotations

import threading
from pathlib import Path

from mvgraph.ops.wording import size_in_words


class TooLargeError(ValueError):
    """A valid input that is larger than the memory or the limit allows."""


#: Share of the free memory that one thing may take if the caller sets no limit.
SHARE = 0.8
#: Limits of a control group and what its processes take, versions 2 and 1.
CGROUPS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


def free_bytes(cgroups: str | Path = "/sys/fs/cgroup") -> int | None:
    """Return the bytes that could be allocated now; None where that is unknown.

    The least of what the machine has available, and of what a control group (as in a
    container) and the limits of this process (``ulimit -v``) leave.
    """
    left = [_read("/proc/meminfo", "MemAvailable"), _limit_left()]
    for limit, taken in CGROUPS:
        most, used = _number(Path(cgroups, limit)), _number(Path(cgroups, taken))
        if most is not None and used is not None:
            left.append(max(0, most - used))
    known = [size for size in left if size is not None]
    return min(known) if known else None


def room(limit: int | None) -> int:
    """Return the bytes that what is read next may take.

    A limit is of the whole process, so what it has taken is subtracted.
    """
    if limit is not None:
        return max(0, limit - (private_bytes() or 0))
    free = free_bytes()
    return 2**62 if free is None else int(SHARE * free)


def check_room(
    where: str, n_bytes: float, limit: int | None, remedy: str = "store fewer values"
) -> None:
    """Raise before something is read that would not fit.

    Raises
    ------
    TooLargeError
        The message starts with `where` and ends with the remedy.
    """
    available = room(limit)
    if n_bytes <= available:
        return
    most, in_use = f"available memory of {size_in_words(available)}", ""
    if limit is not None:
        most = f"limit of {size_in_words(limit)}"
        in_use = f" on top of {size_in_words(private_bytes() or 0)} of this process"
    raise TooLargeError(
        f"{where}: takes {size_in_words(n_bytes)} in memory{in_use}, more than the"
        f" {most}. Raise memory_limit (on the command line --memory-limit) if the file"
        f" is right, or {remedy}"
    )


def _limit_left() -> int | None:
    """Return what the limit of addresses of this process leaves; None without one."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    taken = _read("/proc/self/status", "VmSize")
    if most == resource.RLIM_INFINITY or taken is None:
        return None
    return max(0, most - taken)


def _number(file: Path) -> int | None:
    """Return the number in a file; None if there is none, or the word max."""
    try:
        with open(file) as f:
            return int(f.read())
    except (OSError, ValueError):
        return None


def private_bytes() -> int | None:
    """Return the private memory of this process; None on systems other than Linux.

    The maximum resident size would include the pages of memory-mapped files.
    """
    return _read("/proc/self/status", "RssAnon")


def _read(file: str, field: str) -> int | None:
    """Return a number of kB in a file of Linux, in bytes; None if it is not there."""
    try:
        with open(file) as f:
            fields = dict(line.split(":", 1) for line in f if ":" in line)
        return int(fields[field].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise an error before an allocation that exceeds the available memory.

    Parameters
    ----------
    n_bytes : float
    what : str
        Start of the message, for example ``"A dense similarity"``.
    remedy : str
        End of the message.

    Raises
    ------
    MemoryError
        The message names the needed and the available memory and the remedy.
    """
    free = free_bytes()
    if free is None:
        return  # unknown: let the allocation itself decide
    if n_bytes > 0.9 * free:
        raise MemoryError(
            f"{what} needs {n_bytes / 1e9:.1f} GB ({int(n_bytes)} bytes) but "
            f"{free / 1e9:.1f} GB are available; {remedy}"
        )


class PeakMemory:
    """Sample the private memory of the process while a block runs.

    ``peak_mb`` is the largest value found, in MiB, including interpreter and data; None
    on systems other than Linux. Only private pages count: the maximum resident size
    would include the pages of memory-mapped files.

    Examples
    --------
    >>> from mvgraph.ops.memory import PeakMemory
    >>> with PeakMemory() as memory:
    ...     total = sum(range(1000))
    >>> memory.peak_mb is None or memory.peak_mb > 1
    True
    """

    def __init__(self, interval: float = 0.01) -> None:
        self.peak_mb: float | None = None
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._look()
        if self.peak_mb is not None:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._stop.wait(self._interval):
            self._look()

    def _look(self) -> None:
        size = private_mb()
        if size is not None:
            self.peak_mb = max(size, self.peak_mb or 0.0)


def private_mb() -> float | None:
    """Return the private resident memory in MiB, or None if it is unknown."""
    size = private_bytes()
    return None if size is None else size / 2**20
