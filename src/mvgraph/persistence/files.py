"""Atomic writes: a file is written next to its target and renamed.

A file that is being written is locked by its writer. The system drops the lock when the
writer ends, however that happens; the next writer removes files without a lock.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: a file that is open cannot be removed there
    fcntl = None  # type: ignore[assignment]


PAGES = (".html",)
#: Part of a temporary file name that identifies its writer.
TOKEN = "[0-9a-f]{16}"
#: Seconds after which a file counts as abandoned on a file system without locks.
LEFT_AFTER = 86_400


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
        problem = "it is a folder; name a file"
    elif _is_stream(path):
        return Path(path)
    elif suffix and endings and suffix not in endings:
        known = ", ".join(endings)
        problem = f"the ending {suffix!r} is unknown; use one of {known}"
    elif not target.parent.is_dir():
        problem = f"there is no folder {target.parent}; create it first"
    elif not os.access(target.parent, os.W_OK):
        problem = f"no permission in {target.parent}; choose another"
    else:
        return target
    raise ValueError(f"cannot write {path}: {problem}")


def _is_stream(path: str | Path) -> bool:
    """Return True for devices and pipes, such as /dev/null."""
    return Path(path).exists() and not Path(path).is_file()


def replace_text(path: str | Path, text: str) -> int:
    """Write a text file as `replace_bytes` does; return its size in bytes."""
    return replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: str | Path, content: bytes) -> int:
    """Write a file completely or not at all; on failure the old file is kept."""
    with replacing(path) as file:
        return file.write(content)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file that replaces the target when the block ends without an error.

    On failure the old file is kept. Devices and pipes are written to directly.
    """
    target = check_target(path)
    if _is_stream(path):
        with open(target, "wb") as stream:
            yield stream
        return
    head, folder = f".{target.name}.", target.parent
    remove_left(folder, re.compile(re.escape(head) + TOKEN + r"\.tmp"))
    try:
        with new_file(folder, head, ".tmp") as file:
            yield file
            finish(file, target)
    except OSError as error:
        if str(error.filename).startswith(str(folder / head)):
            # the temporary file, whose name means nothing to the user
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


def finish(file: BinaryIO, target: Path) -> None:
    """Replace the target by a file that was written."""
    file.flush()
    os.fsync(file.fileno())
    if fcntl is None:
        file.close()
    os.replace(file.name, target)
    _sync(target.parent)


@contextmanager
def new_file(
    folder: Path, head: str, tail: str, keep: Callable[[str], bool] | None = None
) -> Iterator[BinaryIO]:
    """Create a locked file; after an error it is removed.

    Parameters
    ----------
    folder : Path
    head, tail : str
        The name around 16 random digits.
    keep : callable, optional
        Called with the name after an error; True: the file is already needed.
    """
    file = _create(folder, head, tail)
    path = Path(file.name)
    try:
        yield file
    except BaseException as error:
        if isinstance(error, OSError) and error.errno and error.filename is None:
            error.filename = str(folder)  # a full disk: say which
        with suppress(OSError):  # what could not be written to the disk
            file.close()
        if keep is None or not keep(path.name):
            path.unlink(missing_ok=True)
        raise
    finally:
        file.close()


def _create(folder: Path, head: str, tail: str) -> BinaryIO:
    while True:
        file = open(folder / f"{head}{secrets.token_hex(8)}{tail}", "x+b")  # noqa: SIM115
        if fcntl is None:
            return file
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # mistaken for an abandoned file before it was locked


def remove_left(
    folder: Path, names: re.Pattern[str], keep: Callable[[str], bool] | None = None
) -> None:
    """Remove files of writers that have ended.

    Parameters
    ----------
    folder : Path
    names : pattern
        Matches the whole name of every file that may be removed.
    keep : callable, optional
        Called with the name of a file without a writer; True: it is needed.
    """
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if names.fullmatch(path.name) is None:
                continue
            file = take_over(path)
            if file is None:
                continue
            with file, suppress(OSError):
                if keep is None or not keep(path.name):
                    if fcntl is None:
                        file.close()
                    path.unlink(missing_ok=True)


def take_over(path: Path) -> BinaryIO | None:
    """Open and lock a file whose writer has ended; None if it has a writer."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        file = open(path, "r+b")  # noqa: SIM115
    except OSError:
        return None
    if fcntl is None:
        return file
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = os.fstat(file.fileno()).st_nlink > 0
    except BlockingIOError:
        free = False
    except OSError:  # a file system without locks
        free = time.time() - os.fstat(file.fileno()).st_mtime > LEFT_AFTER
    if free:
        return file
    file.close()
    return None


def _sync(folder: Path) -> None:
    """Wait until a renamed file is on disk under its new name."""
    if fcntl is None:  # folders cannot be opened
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
