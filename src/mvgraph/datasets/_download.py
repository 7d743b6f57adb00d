"""Download one file: resumed, checked by its SHA-256, beside other processes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    Request,
    build_opener,
)

from mvgraph.persistence.files import TOKEN, new_file, remove_left, take_over

__all__ = ["Loader", "Progress", "digest", "open_part"]

_CHUNK = 1 << 16
_ATTEMPTS = 3  # at one mirror, as long as bytes keep coming
PARTIAL, RANGE_NOT_SATISFIABLE = 206, 416
#: Called with bytes so far and bytes in all.
Progress = Callable[[int, int], None]


@contextmanager
def open_part(folder: Path, name: str) -> Iterator[BinaryIO]:
    """Open what an earlier download left, or a new file; no other process writes it.

    It stays for the next download unless it is empty or was renamed.
    """
    names = re.compile(rf"\.{re.escape(name)}(\.{TOKEN})?\.part")
    left = sorted(path for path in folder.iterdir() if names.fullmatch(path.name))
    taken = next(filter(None, map(take_over, left)), None)
    fresh = new_file(folder, f".{name}.", ".part", keep=lambda _: True)
    with fresh if taken is None else taken as file:
        path = Path(file.name)
        try:
            yield file
        finally:
            if path.exists() and path.stat().st_size == 0:
                path.unlink()
    if not path.exists():  # it was finished, and what others left is of no use
        remove_left(folder, names)


class _ResumeError(ValueError):
    """What is there does not go together with what the server has."""


class Loader:
    """Download into a file that may hold the start already, and ask for the rest."""

    def __init__(
        self,
        file: BinaryIO,
        size: int,
        sha256: str,
        timeout: float,
        progress: Progress | None,
    ) -> None:
        self.file, self.size, self.sha256, self.timeout = file, size, sha256, timeout
        self.progress = progress or (lambda done, total: None)

    def load(self, url: str) -> None:
        """Download until the content has the right hash; a bad start is dropped."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("not a http or https address")
        if self._done():
            try:
                self._read_all(url)
                self._check()
                return
            except _ResumeError:
                self.file.truncate(0)
        self._read_all(url)
        self._check()

    def _read_all(self, url: str) -> None:
        """Read until all bytes are there, again if the connection breaks."""
        for attempt in range(_ATTEMPTS):
            before = self._done()
            try:
                self._read(url, before)
                return
            except (OSError, HTTPException):
                if self._done() <= before or attempt == _ATTEMPTS - 1:
                    raise

    def _check(self) -> None:
        self.file.flush()
        if self._done() and digest(Path(self.file.name)) == self.sha256:
            return
        self.file.truncate(0)
        raise _ResumeError("wrong content, another SHA-256")

    def _done(self) -> int:
        return self.file.seek(0, os.SEEK_END)

    def _read(self, url: str, done: int) -> None:
        """Append what is missing; start over where the server cannot skip."""
        if done == self.size:
            return
        headers = {"User-Agent": "mvgraph", "Accept-Encoding": "identity"}
        if done:
            headers["Range"] = f"bytes={done}-"
        try:
            answer = _opener().open(Request(url, headers=headers), timeout=self.timeout)
        except HTTPError as error:
            if done and error.code == RANGE_NOT_SATISFIABLE:
                raise _ResumeError("the server has less than is there") from error
            raise
        with answer:
            if done and answer.status == PARTIAL:
                span = answer.headers.get("Content-Range", "")
                if not span.startswith(f"bytes {done}-"):
                    raise _ResumeError(f"other bytes than asked for: {span}")
            else:  # from the start, whatever was asked for
                self.file.truncate(0)
            self._append(answer)

    def _append(self, answer: Any) -> None:
        size, done = self.size, self._done()
        while done <= size and (chunk := answer.read(_CHUNK)):
            done += self.file.write(chunk)
            if done <= size:
                self.progress(done, size)
        self.file.flush()
        if done > size:
            self.file.truncate(0)
            raise _ResumeError(f"larger than the {size} bytes that it should have")
        if done < size:
            raise ConnectionError(f"ended after {done} of {size} bytes")


class _Redirects(HTTPRedirectHandler):
    """Follow redirections to https only: what is encrypted must stay so."""

    def http_error_302(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any
    ) -> Any:
        """Look at the address before the library does, which knows other rules."""
        target = headers.get("location") or headers.get("uri") or ""
        scheme = urlsplit(urljoin(req.full_url, target)).scheme
        if scheme != "https":
            fp.close()
            raise ValueError(f"redirected to {target}, which is not https")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_302
    http_error_307 = http_error_308 = http_error_302


@cache
def _opener() -> OpenerDirector:
    return build_opener(_Redirects)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
