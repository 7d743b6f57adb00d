"""Atomic writes: a file is written beside its target and renamed."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PAGES", "check_target", "replace_bytes", "replace_text"]

PAGES = (".html",)


def check_target(path: str | Path, endings: tuple[str, ...] = ()) -> Path:
    """Check before a long computation that a file can be written.

    Parameters
    ----------
    path : str or Path
    endings : tuple of str
        Allowed suffixes; empty: any.

    Returns
    -------
    Path
        The target of the path if it is a link, so that the link itself is kept.

    Raises
    ------
    ValueError
        If the folder does not exist or is read-only, the target is a folder, or the
        name has another suffix.
    """
    target, suffix = Path(os.path.realpath(path)), Path(path).suffix.lower()
    if target.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder; name a file")
    if _is_stream(path):
        return Path(path)
    if suffix and endings and suffix not in endings:
        raise ValueError(
            f"cannot write {path}: the ending {suffix!r} is unknown; use one of "
            f"{', '.join(endings)}"
        )
    if not target.parent.is_dir():
        raise ValueError(
            f"cannot write {path}: there is no folder {target.parent}; create it first"
        )
    if not os.access(target.parent, os.W_OK):
        raise ValueError(
            f"cannot write {path}: no permission in {target.parent}; choose another"
        )
    return target


def _is_stream(path: str | Path) -> bool:
    """Return True for devices and pipes, such as /dev/null."""
    return Path(path).exists() and not Path(path).is_file()


def replace_text(path: str | Path, text: str) -> None:
    """Write a text file completely or not at all; on failure the old file is kept."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: str | Path, content: bytes) -> None:
    """Write a file completely or not at all; on failure the old file is kept.

    Devices and pipes are written to directly.
    """
    target = check_target(path)
    if _is_stream(path):
        target.write_bytes(content)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
