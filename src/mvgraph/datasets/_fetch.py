"""Fetch published data sets by name: several mirrors, resumed, checked by SHA-256."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from mvgraph.datasets._download import Loader, Progress, digest, open_part
from mvgraph.persistence.files import finish

FOLDER_VARIABLE = "MVGRAPH_DATA"


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

    The file is written under a temporary name of its own, checked by its SHA-256 and
    then renamed; what has another hash is removed, and the next mirror is asked. A
    download that broke off is resumed, also from another mirror; if what was there does
    not fit, it starts from zero. Servers may redirect to https only.

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
        If no cache is named and pooch is not installed.

    Notes
    -----
    The addresses in the registry are pinned to commits of public repositories. The
    tests of this package run against a local server and never fetched them; whether
    they still answer is not known here.
    """
    entry = entry_of(name)
    folder = _cache_folder(cache) / entry.name
    target = folder / entry.file
    if target.is_file() and digest(target) == entry.sha256:
        return target
    if offline:
        _refuse_offline(entry, target)
    folder.mkdir(parents=True, exist_ok=True)
    failures = []
    with open_part(folder, entry.file) as file:
        loader = Loader(file, entry.bytes, entry.sha256, timeout, progress)
        for url in _addresses(entry, mirrors):
            try:
                loader.load(url)
                finish(file, target)
                return target
            except (OSError, HTTPException, ValueError) as error:
                failures.append(f"{url}: {error}")
    raise ConnectionError(
        f"{entry.file} could not be fetched from any of {len(failures)} addresses:"
        f" {'; '.join(failures)}. Name another with mirrors=[...], or put the file"
        f" to {target} by hand (sha256 {entry.sha256})"
    )


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


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            "finding the cache folder needs pooch: pip install 'mvgraph[fetch]', or "
            f"name a folder: cache=, --cache, or {FOLDER_VARIABLE}"
        ) from error
    return pooch
