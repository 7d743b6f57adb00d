"""Where data lie: paths, patterns of paths, addresses, standard input."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from mvgraph.datasets.formats.limits import size_in_words
from mvgraph.datasets.formats.parts import TableFiles, files_in
from mvgraph.datasets.formats.table import MAGIC, is_table
from mvgraph.ops.wording import extra

__all__ = [
    "Data",
    "Place",
    "is_address",
    "locate",
    "origin",
    "path_of",
    "remove_copies",
]

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
        return _copied(str(data))
    path = Path(data).expanduser()
    if path.exists():
        return path
    if not PATTERN.search(str(data)):
        return None
    return _several([data])


def path_of(place: str | Place) -> Path:
    """Return the path that a place is called by."""
    return place.path if isinstance(place, TableFiles) else Path(place).expanduser()


def origin(path: Path) -> str:
    """Return the path of a file, or the address that it was copied from."""
    return _ORIGINS.get(path, str(path))


def _several(data: Sequence[str | Path]) -> Place:
    """Return the files of one table; a single one that is no table as it is."""
    if len(data) == 1 and not PATTERN.search(str(data[0])):
        only = locate(data[0])
        if only is None:
            raise FileNotFoundError(f"there is no file or folder {str(data[0])!r}")
        return only
    roots, files = [], []
    for one in data:
        root, found = _matched(one)
        roots.append(root)
        files += found
    if len(files) == 1 and not is_table(files[0]):
        return files[0]
    other = [file for file in files if not is_table(file)]
    if other:
        raise ValueError(
            f"{other[0]} is not a table, and only tables can have several files: CSV,"
            " TSV, Parquet or Arrow. Name one file, or one folder with a file per view"
        )
    root = Path(os.path.commonpath(roots))
    called = Path(data[0]) if len(data) == 1 else _pattern_of(root, files)
    return TableFiles.of(called, root, files)


def _matched(one: str | Path) -> tuple[Path, list[Path]]:
    """Return the folder below which a path or pattern is, and its files."""
    if is_address(one):
        place = _copied(str(one))
        if isinstance(place, TableFiles):
            raise ValueError(f"{one}: name one pattern of addresses, or addresses")
        return place.parent, [place]
    path = Path(one).expanduser()
    if path.exists():
        paths, root = [path], path if path.is_dir() else path.parent
    else:
        paths = [Path(p) for p in glob.glob(str(path), recursive=True)]
        fixed = [p for p in path.parents if not PATTERN.search(str(p))]
        root = fixed[0]
    if not paths:
        raise FileNotFoundError(f"there is no file {str(one)!r}; check the path")
    files = [p for p in paths if p.is_file()]
    inner = [file for p in paths if p.is_dir() for file in files_in(p)]
    return root.absolute(), [p.absolute() for p in (*files, *inner)]


def _pattern_of(root: Path, files: Sequence[Path]) -> Path:
    """Return what several files are called together: what their names begin with."""
    start = os.path.commonprefix([file.name for file in files])
    return root / f"{start.rstrip('0123456789')}*{files[0].suffix}"


@cache
def _scratch() -> tempfile.TemporaryDirectory:
    """Return a folder that is removed at exit; views may be read from it until then."""
    return tempfile.TemporaryDirectory(prefix="mvgraph-")


def remove_copies() -> None:
    """Remove what was copied, where a process ends without the usual exit."""
    if _scratch.cache_info().currsize:
        _scratch().cleanup()


def _copied(address: str) -> Place:
    """Copy a file, the files of a pattern or a folder from an address."""
    into = Path(tempfile.mkdtemp(dir=_scratch().name))
    try:
        return _copy(address, into)
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise


def _copy(address: str, into: Path) -> Place:
    with _reachable(address):
        system, path = _file_system(address)
        web = address.lower().startswith("http")
        # a question mark begins the query of an address of the web
        wild = "*" in path if web else PATTERN.search(path)
        if wild:
            sources = sorted(system.glob(path))
        elif not web and system.isdir(path):
            sources = sorted(system.find(path))
        else:
            sources = [path]
        names = [_local_name(source) for source in sources]
        base = os.path.commonpath([str(Path(name).parent) for name in names] or ["."])
        if not wild and sources != [path]:
            base = _local_name(path.rstrip("/"))
        places = [into / Path(base).name / os.path.relpath(n, base) for n in names]
        _refuse_no_room(system, sources, into)
        for source, place in zip(sources, places, strict=True):
            place.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(source, str(place))
            _ORIGINS[place] = system.unstrip_protocol(source)
    if not places:
        raise FileNotFoundError(f"there is no file {address!r}; check the address")
    if wild:
        root = into / Path(base).name
        named = Path(_local_name(path)).name
        return TableFiles.of(root / named, root, places)
    return places[0] if sources == [path] else into / Path(base).name


def _local_name(path: str) -> str:
    """Return the path in an address, without the query of the web."""
    return re.sub(ADDRESS, "", path).partition("?")[0].strip("/") or "data"


def _file_system(address: str) -> tuple[Any, str]:
    with extra(f"{address} is an address, which", "fsspec", "remote"):
        from fsspec.core import url_to_fs
    if not address.lower().startswith("http"):
        return url_to_fs(address)
    from aiohttp import ClientTimeout

    timeout = ClientTimeout(total=None, sock_connect=CONNECT, sock_read=WAIT)
    return url_to_fs(address, client_kwargs={"timeout": timeout})


def _refuse_no_room(system: Any, sources: Sequence[str], into: Path) -> None:
    """Reject copies that are larger than the space that is left."""
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
    path = Path(_scratch().name, "stdin")
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
    return path.rename(path.with_name(f"stdin{suffix}"))
