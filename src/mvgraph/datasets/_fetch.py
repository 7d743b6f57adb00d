"""Download published data sets by name: several mirrors, checked by SHA-256."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from mvgraph.ops.wording import nearest

FOLDER_VARIABLE = "MVGRAPH_DATA"
#: Called with the bytes so far and the bytes in all.
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
    """Return the files that can be downloaded, by name.

    The package contains none of them, only their SHA-256 and the addresses where
    others have published them. A name stands for one content: two files of the same
    name may contain different data.
    """
    text = files("mvgraph.datasets").joinpath("registry.json").read_text("utf-8")
    entries = [Entry(**item) for item in json.loads(text)]
    return {entry.name: entry for entry in entries}


def find_entry(name: str) -> Entry | None:
    """Return the entry of a name, or None; ``msrc_v5`` and ``MSRC-v5`` are one name."""
    entries = {_plain(key): entry for key, entry in registry().items()}
    return entries.get(_plain(name))


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def entry_of(name: str) -> Entry:
    """Return the entry of a name; see `find_entry`.

    Raises
    ------
    ValueError
        If there is none; the message suggests the closest.
    """
    entry = find_entry(name)
    if entry is None:
        known = nearest(_plain(name), registry())
        raise ValueError(f"no data set to download is called {name!r}; {known}")
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
    """Download a published file into the cache, unless it is there; return its path.

    pooch writes the file under a temporary name, checks its SHA-256 and renames it. A
    file with another hash is removed, and the next mirror is asked. Servers may
    redirect to https only.

    Parameters
    ----------
    name : str
        A key of :func:`registry`; hyphens and underscores are the same, and so are
        capitals and small letters. Check the licence given there.
    cache : str or Path, optional
        Folder; default: the environment variable MVGRAPH_DATA, else the cache folder
        that pooch finds for the operating system. A file that you put at
        ``cache/name/file`` yourself is used if its hash is right.
    mirrors : sequence of str
        Addresses to try first: of the file, or of the folder that contains it.
    offline : bool, default=False
        Use the cache only.
    timeout : float, default=30.0
        Seconds without an answer before the next mirror is tried.
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
        No mirror delivered the file; the message lists what went wrong with each.
    ImportError
        If pooch is needed and not installed.

    Notes
    -----
    The addresses in the registry are pinned to commits of public repositories. The
    tests use a local server and do not check that the addresses still answer.
    """
    entry = entry_of(name)
    folder = _cache_folder(cache) / entry.name
    target = folder / entry.file
    if target.is_file() and digest(target) == entry.sha256:
        return target
    if offline:
        _refuse_offline(entry, target)
    pooch = _pooch()
    failures = []
    for url in _addresses(entry, mirrors):
        try:
            _download(pooch, url, entry, folder, timeout, progress)
        except (OSError, ValueError) as error:  # those of requests are OSErrors
            failures.append(f"{url}: {error}")
        else:
            return target
    raise ConnectionError(
        f"{entry.file} could not be downloaded from any of {len(failures)} addresses:"
        f" {'; '.join(failures)}. Give another with mirrors=[...], or save the file"
        f" as {target} yourself (sha256 {entry.sha256})"
    )


def _download(
    pooch: Any,
    url: str,
    entry: Entry,
    folder: Path,
    timeout: float,
    progress: Progress | None,
) -> None:
    """Download one file, no more bytes than it should have."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError("not a http or https address")
    downloader = pooch.HTTPDownloader(
        progressbar=_Meter(entry.bytes, progress),
        timeout=timeout,
        headers={"User-Agent": "mvgraph", "Accept-Encoding": "identity"},
        hooks={"response": _refuse_unsafe_redirect},
    )
    pooch.retrieve(
        url, f"sha256:{entry.sha256}", entry.file, folder, downloader=downloader
    )


class _Meter:
    """Report progress to the caller of `fetch`; pooch calls it like a bar of tqdm."""

    def __init__(self, size: int, progress: Progress | None) -> None:
        self.size, self.progress, self.done = size, progress, 0

    def update(self, n_bytes: int) -> None:
        """Count a chunk; the last one may be shorter than pooch says."""
        if self.done >= self.size:
            raise ValueError(f"larger than the {self.size} bytes it should have")
        self.done = min(self.done + n_bytes, self.size)
        if self.progress is not None:
            self.progress(self.done, self.size)

    def reset(self) -> None:
        """Start again: pooch reports the whole size at the end."""
        self.done = 0

    def close(self) -> None:
        """Have nothing to close."""


def _refuse_unsafe_redirect(answer: Any, **_: Any) -> None:
    """Allow redirects to https only."""
    target = answer.headers.get("Location") if answer.is_redirect else None
    if target and urlsplit(urljoin(answer.url, target)).scheme != "https":
        raise ValueError(f"redirected to {target}, which is not https")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _addresses(entry: Entry, mirrors: Sequence[str]) -> list[str]:
    """Return the caller's mirrors, completed to addresses of the file, then ours."""
    name = quote(entry.file)
    given = [
        url if url.endswith(name) else f"{url.rstrip('/')}/{name}" for url in mirrors
    ]
    return list(dict.fromkeys([*given, *entry.urls]))


def _cache_folder(cache: str | Path | None) -> Path:
    chosen = cache or os.environ.get(FOLDER_VARIABLE)
    return Path(chosen or _pooch().os_cache("mvgraph")).expanduser()


def _refuse_offline(entry: Entry, target: Path) -> None:
    remedy = (
        f"put {entry.file} there (sha256 {entry.sha256}), choose another cache, or"
        " download it without offline"
    )
    if target.is_file():
        raise ValueError(f"{target} has the wrong content: {remedy}")
    raise FileNotFoundError(f"{target} is not in the cache: {remedy}")


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            "downloading data sets needs pooch: pip install 'mvgraph[fetch]'; to use"
            " files you already have, give their folder with cache=, --cache or"
            f" {FOLDER_VARIABLE}"
        ) from error
    pooch.get_logger().setLevel("WARNING")  # callers get progress, not log lines
    return pooch
