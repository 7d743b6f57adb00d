"""Where data lie: paths, patterns of paths, addresses, standard input."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from mvgraph.datasets.formats.parts import TableFiles, files_in
from mvgraph.datasets.formats.table import MAGIC, is_table
from mvgraph.ops.wording import extra, size_in_words
from mvgraph.persistence.scratch import folder_of_process

#: What is named by a caller: one place, or the files of one table.
Data: TypeAlias = str | Path | Sequence[str | Path]
Place: TypeAlias = Path | TableFiles

PATTERN = re.compile(r"[*?\[]")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
#: Seconds to connect with a server, and to wait for its next bytes.
CONNECT, WAIT = 30, 60
#: The addresses of copied files.
_ORIGINS: dict[Path, str] = {}


def is_address(data: Any) -> bool:
    """Return whether text is an address such as ``s3://bucket/file``."""
    return isinstance(data, str) and ADDRESS.match(data) is not None


def locate(data: Data) -> Place | None:
    """Return where data lie on this machine; None if there is no such file.

    Addresses are copied into a folder that is removed at exit. Several paths, and the
    files that a pattern matches, are the parts of one table.

    Raises
    ------
    ConnectionError
        An address could not be read to its end.
    FileNotFoundError
        A pattern matches nothing, or one of several files does not exist.
    ImportError
        The package that reads such addresses is not installed.
    ValueError
        Several files are named that are not tables, or standard input is empty.
    """
    if not isinstance(data, str | Path):
        return _several([*data])
    if data == "-":
        return _spool()
    if is_address(data):
        wild = _is_pattern(str(data))
        return _several([data]) if wild else _copied([str(data)])[0]
    path = Path(data).expanduser()
    if str(data).strip() and path.exists():  # no name at all would be this folder
        return path
    return _several([data]) if _is_pattern(str(data)) else None


def path_of(place: str | Place) -> Path:
    """Return the path that a place is called by."""
    return place.path if isinstance(place, TableFiles) else Path(place).expanduser()


def origin(path: Path) -> str:
    """Return the path of a file, or the address that it was copied from."""
    return _ORIGINS.get(path, str(path))


def _several(data: Sequence[str | Path]) -> Place:
    """Return the files of one table; a single one that is no table as it is."""
    if len(data) == 1 and not _is_pattern(str(data[0])):
        only = locate(data[0])
        if only is None:
            raise FileNotFoundError(f"there is no file or folder {str(data[0])!r}")
        return only
    far = [str(one) for one in data if is_address(one)]
    if far and len(far) < len(data):
        raise ValueError(
            f"{far[0]} is an address, and others are paths. Name only addresses, or"
            " only paths"
        )
    found = (
        [_copied(far)] if far else [_matched(Path(one).expanduser()) for one in data]
    )
    files = [file for _, own in found for file in own]
    if len(files) == 1 and not is_table(files[0]):
        return files[0]
    other = [file for file in files if not is_table(file)]
    if other:
        raise ValueError(
            f"{origin(other[0])} is not a table, and only tables can have several"
            " files: CSV, TSV, Parquet or Arrow. Name one file, or one folder with a"
            " file per view"
        )
    root = Path(os.path.commonpath([root for root, _ in found]))
    called = Path(data[0]) if len(data) == 1 else _pattern_of(root, files)
    if far:
        parent = origin(files[0]).rpartition("/")[0]
        _ORIGINS[called] = far[0] if len(far) == 1 else f"{parent}/{called.name}"
    return TableFiles.of(called, root, files)


def _matched(path: Path) -> tuple[Path, list[Path]]:
    """Return the folder below which a path or pattern is, and its files."""
    if path.exists():
        paths, root = [path], path if path.is_dir() else path.parent
    else:
        paths = [Path(p) for p in glob.glob(str(path), recursive=True)]
        root = next(p for p in path.parents if not PATTERN.search(str(p)))
    if not paths:
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the path")
    files = [p for p in paths if p.is_file()]
    inner = [file for p in paths if p.is_dir() for file in files_in(p)]
    return root.absolute(), [p.absolute() for p in (*files, *inner)]


def _pattern_of(root: Path, files: Sequence[Path]) -> Path:
    """Return what several files are called together: what their names begin with."""
    letters = zip(*(file.name for file in files), strict=False)
    start = "".join(own[0] for own in takewhile(lambda own: len({*own}) == 1, letters))
    return root / f"{start.rstrip('0123456789')}*{files[0].suffix}"


def _copied(addresses: Sequence[str]) -> tuple[Path, list[Path]]:
    """Copy what addresses name; return a folder below which it is, and the files."""
    into = Path(tempfile.mkdtemp(dir=folder_of_process()))
    try:
        found = [_copy(address, into) for address in addresses]
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    root = Path(os.path.commonpath([root for root, _ in found]))
    return root, [file for _, files in found for file in files]


def _copy(address: str, into: Path) -> tuple[Path, list[Path]]:
    """Copy a file, the files of a pattern or a folder, each to its path in `into`.

    The folder of a pattern, or the file or folder itself, is returned with the files.
    """
    with _reachable(address):
        system, path = _file_system(address)
        root, sources = into / _local_name(path), [path]
        if _is_pattern(address):
            sources = sorted(system.glob(path))
            root = next(p for p in root.parents if not PATTERN.search(p.name))
        elif not _is_web(address) and system.isdir(path):
            sources = sorted(system.find(path))
        places = [into / _local_name(source) for source in sources]
        _refuse_no_room(system, sources, into)
        for source, place in zip(sources, places, strict=True):
            place.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(source, str(place))
            _ORIGINS[place] = system.unstrip_protocol(source)
        _ORIGINS[root] = address
    if not places:
        raise FileNotFoundError(f"there is no file {address!r}; check the address")
    return root, places


def _is_web(address: str) -> bool:
    return address.lower().startswith("http")


def _is_pattern(address: str) -> bool:
    """Return whether text has wildcards; in the web, ``?`` begins a query."""
    return "*" in address if _is_web(address) else bool(PATTERN.search(address))


def _local_name(path: str) -> Path:
    """Return the path in an address; a query becomes a folder."""
    plain, _, query = re.sub(ADDRESS, "", path).partition("?")
    file = Path(plain.strip("/") or "data")
    return file.parent / quote(query, safe="") / file.name


def _file_system(address: str) -> tuple[Any, str]:
    with extra(f"{address} is an address, which", "fsspec", "remote"):
        from fsspec.core import url_to_fs
    if not _is_web(address):
        return url_to_fs(address)
    from aiohttp import ClientTimeout

    timeout = ClientTimeout(total=None, sock_connect=CONNECT, sock_read=WAIT)
    return url_to_fs(address, client_kwargs={"timeout": timeout})


def _refuse_no_room(system: Any, sources: Sequence[str], into: Path) -> None:
    """Reject copies that are larger than the space that is left."""
    sizes = []
    with suppress(FileNotFoundError):  # of servers that cannot be reached too
        sizes = [system.info(source).get("size") for source in sources]
    total, free = sum(size or 0 for size in sizes), shutil.disk_usage(into).free
    if total > free:
        raise ValueError(
            f"a copy takes {size_in_words(total)}, and {into.parent.parent} has"
            f" {size_in_words(free)} left. Set TMPDIR to a folder with more space"
        )


@contextmanager
def _reachable(address: str) -> Iterator[None]:
    """Turn whatever a file system raises into one line with the address."""
    try:
        yield
    except ImportError as error:
        raise ImportError(
            f"{address}: {error}. Install the package for such addresses, such as s3fs"
            " for s3:// or gcsfs for gs://"
        ) from error
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{address}: there is no such file") from error
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ConnectionError(
            f"{address}: could not be read to its end ({reason}). Nothing was kept; try"
            " again, or copy it to this machine yourself"
        ) from error


def _spool() -> Path:
    """Copy standard input into a file whose ending shows its format.

    Returns
    -------
    Path
        Text is read as a table.

    Raises
    ------
    ValueError
        If there is nothing to read.
    """
    path = folder_of_process() / "stdin"
    with path.open("wb") as target:
        shutil.copyfileobj(sys.stdin.buffer, target)
    with path.open("rb") as stream:
        head = stream.read(4)
    if not head:
        raise ValueError(
            "standard input is empty. Pipe a table into it, or name a file"
        )
    binary = head[:1] in (b"\x89", b"\x93") or head[:2] == b"PK" or b"\0" in head
    market = head.startswith(b"%%Ma")
    suffix = MAGIC.get(head, "" if binary or market else ".csv")
    if head[:2] == b"\x1f\x8b":
        suffix = ".csv.gz"
    path = path.rename(path.with_name(f"stdin{suffix}"))
    _ORIGINS[path] = "-"
    return path
