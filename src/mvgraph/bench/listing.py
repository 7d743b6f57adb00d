"""Lists in plans: ``all``, names, what a minus leaves out; grids of sets; manifests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from math import isfinite, prod
from pathlib import Path
from typing import Any

from mvgraph.datasets._catalogue import MAKERS, built_in, defaults_of, name_of
from mvgraph.ops.wording import nearest

ALL, WITHOUT = "all", "-"
KEY = "generate"
#: More sets in one grid are a mistake.
MOST_SETS = 10_000
#: A list of more files is no list of data sets.
MOST_FILES = 10_000


def expand(
    entries: Iterable[str],
    every: Callable[[], Iterable[str]],
    find: Callable[[str], Iterable[str]],
) -> list[str]:
    """Return the names that a list means, each once, in the order of the list.

    Parameters
    ----------
    entries : iterable of str
        ``all`` stands for every name, wherever it is in the list; ``-NAME`` leaves a
        name out, wherever it is, ``-PATTERN`` those that are not listed themselves.
    every : callable
        Returns all names.
    find : callable
        Returns the names that any other entry means.

    Raises
    ------
    ValueError
        If an entry leaves out nothing, or nothing is left.

    Examples
    --------
    >>> from mvgraph.bench.listing import expand
    >>> expand(["-b", "mine", "all"], lambda: ["a", "b"], lambda name: [name])
    ['mine', 'a']
    """
    listed: list[str] = []
    minus: list[str] = []
    for entry in entries:
        (minus if entry.startswith(WITHOUT) else listed).append(entry)
    found: dict[str, None] = {}
    for entry in listed:
        found |= dict.fromkeys(every() if entry == ALL else find(entry))
    kept = dict(found)
    for entry in minus:
        name = entry.removeprefix(WITHOUT)
        gone = [each for each in found if fnmatchcase(each, name)]
        if name not in found:  # a pattern
            gone = [each for each in gone if each not in listed]
        if not gone:
            hint = nearest(name, found) if found else f"add names, or {ALL!r}"
            raise ValueError(f"{entry!r} leaves out nothing; {hint}")
        for each in gone:
            kept.pop(each, None)
    if not kept:
        raise ValueError("nothing is left in the list; leave out less")
    return list(kept)


def generated_names(entry: dict[Any, Any], where: str) -> list[str]:
    """Return the names of the sets of one grid.

    Parameters
    ----------
    entry : dict
        ``generate`` and, for any parameters of the function that generates the set, a
        number or a list of numbers.
    where : str
        Begins the message of an error.

    Raises
    ------
    ValueError
        If no such set is generated, a parameter does not exist, or a value is none.

    Examples
    --------
    >>> from mvgraph.bench.listing import generated_names
    >>> generated_names({"generate": "ambiguous", "n_samples": [50, 60]}, "entry 1")
    ['ambiguous:50', 'ambiguous:60']
    """
    grid = {str(key): value for key, value in entry.items()}
    base = grid.pop(KEY, None)
    if str(base) not in MAKERS:  # it may be a list
        raise ValueError(
            f"{where}: {KEY}: {base!r} is not generated; {nearest(str(base), MAKERS)}"
        )
    known = defaults_of(base)
    for key, values in grid.items():
        if key not in known:
            raise ValueError(f"{where}: {key!r} is unknown; {nearest(key, known)}")
        grid[key] = values if isinstance(values, list) else [values]
        for value in grid[key] or [None]:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (is_number and isfinite(value)):
                raise ValueError(
                    f"{where}: {key}: {value!r} is not a number; write one, or a list "
                    "of numbers"
                )
    if prod(map(len, grid.values())) > MOST_SETS:
        raise ValueError(f"{where}: more than {MOST_SETS} sets; list fewer values")
    points = (
        dict(zip(grid, values, strict=True)) for values in product(*grid.values())
    )
    names = list(dict.fromkeys(name_of(base, point) for point in points))
    for name in names:
        built_in(name)  # raises ValueError with what is wrong
    return names


@dataclass(frozen=True)
class Listed:
    """A file or folder, and the hash that a manifest says it has."""

    path: Path
    sha256: str | None = None

    def checked(self, sha256: str) -> str:
        """Return the hash of the file.

        Raises
        ------
        ValueError
            If the manifest has another one.
        """
        if self.sha256 not in (None, sha256):
            raise ValueError(
                f"{self.path} is not the file in the manifest: its SHA-256 is "
                f"{sha256[:12]}..., not {self.sha256[:12]}...; fetch it again"
            )
        return sha256


def is_manifest(path: Path) -> bool:
    """Return whether a path is that of a manifest: no data are read from .json."""
    return path.suffix.lower() == ".json"


def read_manifest(path: Path) -> list[Listed]:
    """Read a manifest: a list of objects with ``file`` and, if known, ``sha256``.

    Files are relative to the folder of the manifest or, if not there, to the one above
    it.

    Raises
    ------
    ValueError
        If it is no such list, or a file does not exist.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_FILES:
        raise ValueError(
            f"{path} is no manifest: write a list of objects, "
            '[{"file": "a.mat", "sha256": "..."}]'
        )
    return [_entry(entry, i, path) for i, entry in enumerate(entries, 1)]


def _entry(entry: Any, number: int, path: Path) -> Listed:
    name = entry.get("file") if isinstance(entry, dict) else None
    sha256 = entry.get("sha256") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not isinstance(sha256, str | None):
        raise ValueError(
            f"{path}, entry {number}: needs a text 'file', and 'sha256' as a text if "
            "there is one"
        )
    folders = path.parent, path.parent.parent
    for folder in folders:
        if name.strip() and (folder / name).exists():
            return Listed(folder / name, sha256)
    raise ValueError(f"{path}, entry {number}: there is no file {folders[0] / name}")
