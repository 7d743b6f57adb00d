"""Folders for temporary files, which the next run removes where a process was killed.

A folder is locked by its process. The system drops the lock when the process ends,
however that happens; the next run removes those without a lock.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

from mvgraph.persistence.files import TOKEN, fcntl

HEAD = "mvgraph-"
NAMES = re.compile(HEAD + TOKEN)


class Scratch:
    """A folder for temporary files.

    The name is known before the folder is made, so that it can be removed even if
    making it is interrupted. A context manager: makes the folder, and removes it.

    Parameters
    ----------
    parent : path, optional
        Default: the temporary folder of the system.
    """

    def __init__(self, parent: str | Path | None = None) -> None:
        self.parent = Path(parent or tempfile.gettempdir())
        self.path = self._new()
        self._lock: int | None = None

    def __enter__(self) -> Path:
        return self.make()

    def __exit__(self, *error: object) -> None:
        self.remove()

    def make(self) -> Path:
        """Make and lock the folder, unless it is there, and return its path."""
        if self._lock is None:
            collect(self.parent)
            self.path.mkdir(0o700)
            while not self._take():
                self.path = self._new()
                self.path.mkdir(0o700)
        return self.path

    def remove(self) -> None:
        """Remove the folder and its contents, even if a signal arrives meanwhile."""
        try:
            shutil.rmtree(self.path, ignore_errors=True)
        finally:
            if self.path.exists():
                shutil.rmtree(self.path, ignore_errors=True)
            if self._lock is not None and self._lock >= 0:
                os.close(self._lock)
            self._lock = None

    def _new(self) -> Path:
        return self.parent / f"{HEAD}{secrets.token_hex(8)}"

    def _take(self) -> bool:
        """Lock the folder; False if another run took it for one without an owner."""
        self._lock = -1
        if fcntl is None:
            return True
        with suppress(FileNotFoundError):
            self._lock = os.open(self.path, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            if self.path.exists():
                return True
            os.close(self._lock)
        return False


def collect(parent: Path | None = None) -> None:
    """Remove the folders of processes that have ended.

    Parameters
    ----------
    parent : path, optional
        Default: the temporary folder of the system. Without locks nobody knows who
        has ended, and nothing is removed.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        for path in sorted((parent or Path(tempfile.gettempdir())).iterdir()):
            if NAMES.fullmatch(path.name):
                _remove_without_owner(path)


def _remove_without_owner(path: Path) -> None:
    with suppress(OSError):  # in use, or of another user
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(number).st_uid == os.geteuid():
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(number)


@cache
def _of_process() -> Scratch:
    scratch = Scratch()
    # after multiprocessing has removed its own folder, which may be in this one
    Finalize(None, scratch.remove, exitpriority=-200)
    return scratch


def folder_of_process() -> Path:
    """Return a folder of this process, which is removed at its end."""
    return _of_process().make()


def remove_folder_of_process() -> None:
    """Remove that folder now, where a process ends without the usual exit."""
    if _of_process.cache_info().currsize:
        _of_process().remove()
