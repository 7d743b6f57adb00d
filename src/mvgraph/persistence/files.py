"""A file written beside its target and renamed, so that it is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PAGES", "check_target", "replace_bytes", "replace_text"]

PAGES = (".html",)


def check_target(path: str | Path, endings: tuple[str, ...] = ()) -> Path:
    """Find out before a long computation whether a file can be written here.

    Follows links, so that the file behind a link is replaced and not the link.

    Raises
    ------
    ValueError
        The folder does not exist or is read-only, the target is a folder, or its name
        has an ending that is none of those given.
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
    """Tell devices and pipes, such as /dev/null, from plain files and new names."""
    return Path(path).exists() and not Path(path).is_file()


def replace_text(path: str | Path, text: str) -> None:
    """Write a text file whole or not at all; an older file survives any failure."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all; an older file survives any failure.

    Devices and pipes are written to as they are.
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
