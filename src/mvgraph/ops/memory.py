"""How much memory the machine has at hand."""

from __future__ import annotations

__all__ = ["TooLargeError", "free_bytes", "private_bytes"]


class TooLargeError(ValueError):
    """An input that is right, but larger than the memory or the limit allows."""


def free_bytes() -> int | None:
    """Return the bytes that could be allocated now; None where that is unknown."""
    try:
        with open("/proc/meminfo") as f:
            fields = dict(line.split(":") for line in f)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def private_bytes() -> int | None:
    """Return the private memory of this process; None on systems other than Linux.

    The maximum resident size would include the pages of memory-mapped files.
    """
    try:
        with open("/proc/self/status") as f:
            fields = dict(line.split(":") for line in f if ":" in line)
        return int(fields["RssAnon"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
