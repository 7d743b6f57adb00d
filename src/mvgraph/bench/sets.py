"""Find the data sets of a plan: in files, a folder or a manifest, built in, fetched."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from mvgraph import datasets
from mvgraph.bench.listing import Listed, expand, is_manifest, read_manifest
from mvgraph.datasets._catalogue import BUILT_IN, built_in, name_of, settings_of
from mvgraph.datasets._fetch import find_entry
from mvgraph.datasets._places import PATTERN
from mvgraph.ops.arrays import dense
from mvgraph.ops.wording import first_few, nearest

RELATIVE = "paths in a plan are relative to its folder"
#: Names of files in a message.
SHOWN = 12
#: Samples of the set whose hash stands for all sizes of a generated one.
SMALL = 100


@dataclass(frozen=True)
class Found:
    """Path and hash of a set, or the reason why it is missing."""

    name: str
    path: str | None = None
    sha256: str | None = None
    missing: str | None = None


def find_sets(
    entries: list[str], data: Path | None = None, only: list[str] | None = None
) -> list[Found]:
    """Look up every set of a plan.

    Parameters
    ----------
    entries : list of str
        Names, ``all``, or ``-NAME`` to leave a set out; ``*`` and ``?`` in a name match
        several. What has a slash is a path: a file, a folder, a pattern or a manifest;
        ``sets/`` with a slash at its end is everything in that folder.
    data : Path or None
        Folder or manifest, whose sets are then those that names mean: of a folder its
        files and folders, up to ``__`` or the suffix; ``all`` is every one that
        `mvgraph.datasets.load` reads, and a warning names the others. Without it, names
        mean built-in sets, where ``name:1000`` generates 1000 samples, and sets that
        were fetched; all others are returned as missing.
    only : list of str, optional
        Look up these: sets of the entries by name or pattern, or other entries.

    Raises
    ------
    ValueError
        If a folder, a file or a manifest does not exist or has no set, a name is not
        there or matches several files, or two sets have one name.
    """
    shelf = Shelf(data)
    find = partial(shelf.find_among, entries) if only else shelf.find
    found = [shelf.take(x) for x in expand(only or entries, shelf.every, find)]
    first: dict[str, str] = {}
    for each in found:
        if each.sha256 and first.setdefault(each.sha256, each.name) != each.name:
            warnings.warn(
                f"sets {first[each.sha256]!r} and {each.name!r} are the same data: "
                "they count twice in means, ranks and tests; leave one out",
                UserWarning,
                stacklevel=3,
            )
    return found


class Shelf:
    """The sets that the entries of a list may mean."""

    def __init__(self, data: Path | None) -> None:
        self.data, self.listed = data, None if data is None else _contents(data)
        self.taken: dict[str, Listed | None] = {}  # None: not from a file
        self.names: dict[Path, str] = {}

    def every(self) -> list[str]:
        """Return the names that ``all`` means."""
        if self.listed is None:
            return self._keep_all(dict.fromkeys(BUILT_IN))
        return self._keep_all(_named(_readable(self.listed, str(self.data))))

    def find(self, entry: str) -> list[str]:
        """Return the names that one entry means."""
        if "/" in entry:
            return self._keep_all(_named(_at(entry)))
        if not PATTERN.search(entry):
            found = self.listed and _find_in(entry, self.listed, self.data)
            return [self._keep(entry, found or None)]
        known = dict.fromkeys(BUILT_IN) if self.listed is None else _named(self.listed)
        chosen = {name: known[name] for name in known if fnmatchcase(name, entry)}
        if not chosen:
            known = {**self.taken, **known}
            raise ValueError(f"no set matches {entry!r}; {nearest(entry, known)}")
        return self._keep_all(chosen)

    def find_among(self, entries: list[str], entry: str) -> list[str]:
        """Return the names that an entry means, first of all among those of others."""
        if "/" in entry or entry in entries:
            return self.find(entry)
        whole = expand(entries, self.every, self.find)
        chosen = [x for x in whole if x == entry or fnmatchcase(x, entry)]
        for name in (found := chosen or self.find(entry)):
            if (
                not chosen
                and self.taken[name] is None
                and (why := _find_elsewhere(name).missing)
            ):
                raise ValueError(f"no set {name!r}: {why}; {nearest(name, whole)}")
        return found

    def take(self, name: str) -> Found:
        """Return where a set is."""
        listed = self.taken[name]
        if listed is None:
            return _find_elsewhere(name)
        return Found(name, str(listed.path), listed.checked(_hash_path(listed.path)))

    def _keep_all(self, named: Mapping[str, Listed | None]) -> list[str]:
        return [self._keep(name, listed) for name, listed in named.items()]

    def _keep(self, name: str, listed: Listed | None) -> str:
        """Keep a set under its name, or find it under the name that it has already."""
        place = None if listed is None else listed.path.resolve()
        if place is not None:
            name = self.names.setdefault(place, name)
        other = self.taken.setdefault(name, listed)
        if (other and other.path.resolve()) != place:
            places = [str(x.path) if x else "built in" for x in (other, listed)]
            raise ValueError(
                f"two sets are named {name!r}: {' and '.join(places)}; leave one out, "
                "or rename its file"
            )
        return name


def _at(entry: str) -> list[Listed]:
    """Return the files that a path or a pattern means."""
    place = Path(entry).expanduser()
    if PATTERN.search(entry):
        paths = Path(place.anchor).glob(str(place.relative_to(place.anchor)))
        found = [Listed(path) for path in sorted(paths)]
        if not found:
            raise ValueError(f"no file matches {entry!r}; {RELATIVE}")
        return _readable(found, repr(entry))
    if entry.endswith("/") or is_manifest(place):
        return _readable(_contents(place), repr(entry))
    if not place.exists():
        raise ValueError(f"there is no file {entry!r}; {RELATIVE}")
    return [Listed(place)]


def _contents(data: Path) -> list[Listed]:
    """List what is in a folder or a manifest."""
    if data.is_file() and is_manifest(data):
        return read_manifest(data)
    if not data.is_dir():
        raise ValueError(
            f"there is no folder or manifest {data}; check --data, or data in the plan"
        )
    return [Listed(p) for p in sorted(data.iterdir()) if p.name[0] != "."]


def open_set(name: str, path: str | None) -> Any:
    """Open a set that was found, under its name in the plan."""
    if path is not None:
        return datasets.load(path)._replace(name=name)
    generated = built_in(name)
    if generated is None:
        raise ValueError(f"there is no built-in set {name!r}")
    return generated.open()._replace(name=name)


def _readable(found: list[Listed], place: str) -> list[Listed]:
    """Keep what the readers can read; warn of the rest."""
    reasons = [_why_not(listed.path) for listed in found]
    lost = [x.path.name for x, why in zip(found, reasons, strict=True) if why]
    first = next(filter(None, reasons), "it is empty")
    if len(lost) == len(found):
        raise ValueError(
            f"there is no data set in {place}, which contains "
            f"{first_few(lost, SHOWN) or 'nothing'}; the "
            f"first reason: {first}"
        )
    if lost:
        text = f"left out of {place} because they cannot be read as data: "
        text += f"{first_few(lost, SHOWN)}; the first reason: {first}"
        warnings.warn(text, UserWarning, stacklevel=6)
    return [x for x, why in zip(found, reasons, strict=True) if not why]


def _why_not(path: Path) -> str | None:
    """Try to read a file or folder; return the reason if that fails."""
    try:
        with warnings.catch_warnings(action="ignore"):  # the trials show them
            datasets.load(path)
    except (ValueError, OSError, ImportError) as error:
        return str(error)
    return None


def _base(listed: Listed) -> str:
    return listed.path.stem.split("__")[0]


def _stem(listed: Listed) -> str:
    return listed.path.stem


def _whole(listed: Listed) -> str:
    return listed.path.name


def _named(found: list[Listed]) -> dict[str, Listed]:
    """Give sets their shortest distinct names: up to ``__``, the stem, or all of it."""
    named: dict[str, Listed] = {}
    rest = found
    for name_of_file in (_base, _stem, _whole):
        n_paths = Counter(map(name_of_file, rest))
        named |= {name_of_file(x): x for x in rest if n_paths[name_of_file(x)] == 1}
        rest = [x for x in rest if n_paths[name_of_file(x)] > 1]
    return dict(sorted(named.items()))


def _find_in(name: str, found: list[Listed], data: Path | None) -> Listed:
    named = ([x for x in found if of(x) == name] for of in (_whole, _stem, _base))
    alike = next(filter(None, named), [])
    if len(alike) > 1:  # a description may be next to the data
        alike = [x for x in alike if _why_not(x.path) is None] or alike
    if len(alike) > 1:
        names = first_few(list(_named(alike)), SHOWN)
        raise ValueError(f"set {name!r} matches {names}; name one of these")
    if not alike:
        built_in_set = name.partition(":")[0] in BUILT_IN
        hint = "; leave --data out to run built-in sets" if built_in_set else ""
        raise ValueError(
            f"there is no data set {name!r} in {data}; "
            f"{nearest(name, _named(found))}; choose among these with --only{hint}"
        )
    return alike[0]


def _find_elsewhere(name: str) -> Found:
    """Look up a built-in set, or one that was fetched before."""
    base, colon, size = name.partition(":")
    try:
        if built_in(name) is not None:
            if colon:  # a small one represents all sizes
                settings = settings_of(name)
                small = SMALL * max(1, int(settings.get("n_clusters", 0)) // 10)
                base = name_of(base, settings | {"n_samples": small})
            return Found(name, sha256=_hash_content(base, size))
    except (ValueError, MemoryError) as error:
        return Found(name, missing=str(error))
    try:
        cached = datasets.fetch(name, offline=True)
    except (ValueError, OSError):
        entry = find_entry(name)
        hint = f"mvgraph datasets fetch {entry.name}" if entry else "--data FOLDER"
        return Found(name, missing=f"data set not found; try {hint}")
    return Found(name, str(cached), _hash_path(cached))


def _hash_path(path: Path) -> str:
    """Hash a file, or the files of a folder one after the other."""
    digest = hashlib.sha256()
    inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else []
    for part in inside or [path]:
        with part.open("rb") as stream:
            hashlib.file_digest(stream, lambda: digest)
    return digest.hexdigest()


def _hash_content(name: str, size: str = "") -> str:
    """Hash a built-in set."""
    digest = hashlib.sha256(size.encode())
    for x in open_set(name, None).views.arrays:
        digest.update(dense(x).tobytes())
    return digest.hexdigest()
