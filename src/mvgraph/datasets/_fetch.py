"""Fetch published data sets by name: several mirrors, resumed, checked by SHA-256."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

FOLDER_VARIABLE = "MVGRAPH_DATA"
_CHUNK = 1 << 16
_ATTEMPTS = 3  # at one mirror, as long as bytes keep coming
Progress = Callable[[int, int], None]


class Entry(NamedTuple):
    """A published file: what it must be, where it comes from, on what terms."""

    name: str
    file: str
    bytes: int
    sha256: str
    source: str
    licence: str
    urls: tuple[str, ...]


@cache
def registry() -> dict[str, Entry]:
    """Return the files that can be fetched, by name.

    Nothing of them is part of this package: it knows their SHA-256 and where others
    have published them. Two files of one name can hold different data, so that names
    here stand for a content, not for a file name.
    """
    text = files("mvgraph.datasets").joinpath("registry.json").read_text("utf-8")
    entries = [Entry(**item) for item in json.loads(text)]
    return {entry.name: entry for entry in entries}


def find_entry(name: str) -> Entry | None:
    """Return the entry of a name, or None; ``msrc_v5`` and ``MSRC-v5`` are one name."""
    known = {_plain(key): entry for key, entry in registry().items()}
    return known.get(_plain(name))


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def entry_of(name: str) -> Entry:
    """Return the entry of a name; see `find_entry`.

    Raises
    ------
    ValueError
        If there is none; the message suggests the closest.
    """
    known = registry()
    entry = find_entry(name)
    if entry is None:
        close = get_close_matches(_plain(name), known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"no data set to fetch is called {name!r}; {hint}known: {', '.join(known)}"
        )
    return entry


def fetch(
    name: str,
    cache: str | Path | None = None,
    *,
    mirrors: Sequence[str] = (),
    offline: bool = False,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> Path:
    """Fetch a published file into the cache, unless it is there, and return its path.

    The file is written under a temporary name, checked by its SHA-256 and then
    renamed; what has another hash is removed, and the next mirror is asked. A download
    that broke off is resumed, also from another mirror.

    Parameters
    ----------
    name : str
        A key of :func:`registry`; hyphens and underscores are the same, and so are
        capitals and small letters. Mind the licence that stands there.
    cache : str or Path, optional
        Folder; default: the environment variable MVGRAPH_DATA, else the cache folder
        that pooch finds for the operating system. A file that was put by hand to
        ``cache/name/file`` counts if its hash is right.
    mirrors : sequence of str
        Addresses asked first: of the file, or of a folder that holds it.
    offline : bool, default=False
        Use the cache only.
    timeout : float, default=30.0
        Seconds without an answer after which a mirror is given up.
    progress : callable, optional
        Called with (bytes so far, bytes in all).

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        Unknown name, or a wrong file in the cache while offline.
    FileNotFoundError
        Offline, and the file is not in the cache.
    ConnectionError
        No mirror gave the file; the message lists them all with what went wrong.
    ImportError
        If a download is needed and pooch is not installed.

    Notes
    -----
    The addresses in the registry are pinned to commits of public repositories. The
    tests of this package run against a local server and never fetched them; whether
    they still answer is not known here.
    """
    entry = entry_of(name)
    folder = _cache_folder(cache) / entry.name
    target = folder / entry.file
    if target.is_file() and _sha256(target) == entry.sha256:
        return target
    if offline:
        _refuse_offline(entry, target)
    retrieve = _pooch().retrieve
    failures = []
    for url in _addresses(entry, mirrors):
        load = _Loader(folder / f".{entry.file}.part", entry.bytes, timeout, progress)
        try:
            with _quiet_pooch():
                path = retrieve(
                    url, f"sha256:{entry.sha256}", entry.file, folder, downloader=load
                )
            return Path(path)
        except (OSError, HTTPException, ValueError) as error:
            failures.append(f"{url}: {_reason(error)}")
    raise ConnectionError(
        f"{entry.file} could not be fetched from any of {len(failures)} addresses:"
        f" {'; '.join(failures)}. Name another with mirrors=[...], or put the file"
        f" to {target} by hand (sha256 {entry.sha256})"
    )


class _Loader:
    """A downloader for pooch that keeps what came so far and asks for the rest."""

    def __init__(
        self, part: Path, size: int, timeout: float, progress: Progress | None
    ) -> None:
        self.part, self.size, self.timeout = part, size, timeout
        self.progress = progress or (lambda done, total: None)

    def __call__(self, url: str, output_file: Any, pooch: Any = None) -> None:
        """Download to the partial file, and rename that to the name pooch checks."""
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("not a http or https address")
        for attempt in range(_ATTEMPTS):
            before = self._done()
            try:
                self._read(url, before)
                break
            except (OSError, HTTPException):
                if self._done() <= before or attempt == _ATTEMPTS - 1:
                    raise
        os.replace(self.part, output_file)

    def _done(self) -> int:
        done = self.part.stat().st_size if self.part.exists() else 0
        if done <= self.size:
            return done
        self.part.unlink()
        return 0

    def _read(self, url: str, done: int) -> None:
        """Append what is missing; start over where the server cannot skip."""
        if done == self.size:
            return
        headers = {"User-Agent": "mvgraph", "Accept-Encoding": "identity"}
        if done:
            headers["Range"] = f"bytes={done}-"
        with urlopen(Request(url, headers=headers), timeout=self.timeout) as answer:
            span = answer.headers.get("Content-Range", "")
            resumed = answer.status == 206 and span.startswith(f"bytes {done}-")
            done = done if resumed else 0
            with self.part.open("ab" if resumed else "wb") as stream:
                while chunk := answer.read(_CHUNK):
                    done += stream.write(chunk)
                    if done > self.size:
                        break
                    self.progress(done, self.size)
        if done > self.size:
            self.part.unlink()
            raise ValueError(f"larger than the {self.size} bytes that it should have")
        if done < self.size:
            raise ConnectionError(f"ended after {done} of {self.size} bytes")


def _addresses(entry: Entry, mirrors: Sequence[str]) -> list[str]:
    """Return the caller's mirrors, completed to addresses of the file, then ours."""
    name = quote(entry.file)
    own = [
        url if url.endswith(name) else f"{url.rstrip('/')}/{name}" for url in mirrors
    ]
    return list(dict.fromkeys([*own, *entry.urls]))


def _cache_folder(cache: str | Path | None) -> Path:
    chosen = cache or os.environ.get(FOLDER_VARIABLE)
    return Path(chosen or _pooch().os_cache("mvgraph")).expanduser()


def _refuse_offline(entry: Entry, target: Path) -> None:
    remedy = (
        f"put {entry.file} there (sha256 {entry.sha256}), name another cache, or fetch"
        " it without offline"
    )
    if target.is_file():
        raise ValueError(f"{target} is another file than it should be: {remedy}")
    raise FileNotFoundError(f"{target} is not in the cache: {remedy}")


def _reason(error: Exception) -> str:
    text = str(error)
    return "wrong content, another SHA-256" if "does not match" in text else text


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            "fetching data sets needs pooch: pip install 'mvgraph[fetch]'"
        ) from error
    return pooch


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Keep pooch from writing to the terminal: errors carry all that it would say."""
    logger = _pooch().get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
