"""Data from standard input, kept in a file until the process ends."""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

__all__ = ["spool"]

_MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow"}


@cache
def _folder() -> tempfile.TemporaryDirectory:
    """Return a folder that is removed with the process; views may stay in its files."""
    return tempfile.TemporaryDirectory(prefix="mvgraph-")


def spool() -> Path:
    """Copy standard input into a file, whose ending says what it holds.

    Returns
    -------
    Path
        Text is taken for a table.

    Raises
    ------
    ValueError
        There is nothing to read.
    """
    path = Path(_folder().name, "stdin")
    with path.open("wb") as target:
        shutil.copyfileobj(sys.stdin.buffer, target)
    with path.open("rb") as stream:
        head = stream.read(4)
    if not head:
        raise ValueError(
            "standard input is empty. Remedy: pipe a table into it, or name a file"
        )
    binary = head[:1] in (b"\x89", b"\x93") or head[:2] == b"PK" or b"\0" in head
    market = head.startswith(b"%%Ma")
    suffix = _MAGIC.get(head, "" if binary or market else ".csv")
    if head[:2] == b"\x1f\x8b":
        suffix = ".csv.gz"
    return path.rename(path.with_name(f"stdin{suffix}"))
