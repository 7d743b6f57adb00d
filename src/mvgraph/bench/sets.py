"""Find the data sets of a plan: in a folder, built in, or in the cache."""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvgraph import datasets
from mvgraph.datasets._catalogue import BUILT_IN, built_in
from mvgraph.datasets._fetch import find_entry
from mvgraph.ops.arrays import dense


@dataclass(frozen=True)
class Found:
    """Path and hash of a set, or the reason why it is missing."""

    name: str
    path: str | None = None
    sha256: str | None = None
    missing: str | None = None


def find_sets(names: list[str], folder: Path | None) -> list[Found]:
    """Look up every set of a plan.

    Parameters
    ----------
    names : list of str
        ``all`` or names. With a folder: its files and folders, up to ``__`` or the
        suffix; ``all`` is every one that `mvgraph.datasets.load` reads, and a warning
        names the others. Without: built-in sets, where ``name:1000`` generates 1000
        samples, and sets that were fetched; all others are returned as missing.
    folder : Path or None

    Raises
    ------
    ValueError
        If the folder does not exist, a set is missing in it, it has no set at all, or
        a name matches several files.
    """
    if folder is None:
        wanted = list(BUILT_IN) if names == ["all"] else names
        return [_find_elsewhere(name) for name in wanted]
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}; check --data")
    entries = [path for path in sorted(folder.iterdir()) if path.name[0] != "."]
    if names == ["all"]:
        chosen = _named(_readable(entries, folder))
    else:
        chosen = {name: _find_in(name, entries, folder) for name in names}
    return [Found(name, str(path), _hash_path(path)) for name, path in chosen.items()]


def open_set(name: str, path: str | None) -> Any:
    """Open a set that was found, under its name in the plan."""
    if path is not None:
        return datasets.load(path)._replace(name=name)
    generated = built_in(name)
    if generated is None:
        raise ValueError(f"there is no built-in set {name!r}")
    return generated.open()._replace(name=name)


def _readable(entries: list[Path], folder: Path) -> list[Path]:
    """Keep what the readers can read; warn of the rest."""
    reasons = {path: _why_not(path) for path in entries}
    lost = [path.name for path, reason in reasons.items() if reason]
    first = next(filter(None, reasons.values()), "it is empty")
    if len(lost) == len(entries):
        raise ValueError(
            f"there is no data set in the folder --data {folder}, which contains "
            f"{_listed(lost)}; the first reason: {first}"
        )
    if lost:
        warnings.warn(
            f"left out of {folder} because they cannot be read as data: "
            f"{_listed(lost)}; the first reason: {first}",
            UserWarning,
            stacklevel=4,
        )
    return [path for path in entries if not reasons[path]]


def _why_not(path: Path) -> str | None:
    """Try to read a file or folder; return the reason if that fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trials show them
            datasets.load(path)
    except (ValueError, OSError, ImportError) as error:
        return str(error)
    return None


def _base(path: Path) -> str:
    return path.stem.split("__")[0]


def _named(paths: list[Path]) -> dict[str, Path]:
    """Give sets their shortest distinct names: up to ``__``, the stem, or all of it."""
    named: dict[str, Path] = {}
    rest = paths
    for name_of in (_base, lambda path: path.stem, lambda path: path.name):
        n_paths = Counter(map(name_of, rest))
        named |= {name_of(p): p for p in rest if n_paths[name_of(p)] == 1}
        rest = [p for p in rest if n_paths[name_of(p)] > 1]
    return dict(sorted(named.items()))


def _find_in(name: str, entries: list[Path], folder: Path) -> Path:
    alike = [path for path in entries if path.name == name]
    alike = alike or [path for path in entries if path.stem == name]
    alike = alike or [path for path in entries if _base(path) == name]
    if len(alike) > 1:  # a description may be next to the data
        alike = [path for path in alike if _why_not(path) is None] or alike
    if len(alike) > 1:
        raise ValueError(
            f"set {name!r} matches {_listed(list(_named(alike)))}; name one of these"
        )
    if not alike:
        built_in_set = name.partition(":")[0] in BUILT_IN
        hint = "; leave --data out to run built-in sets" if built_in_set else ""
        raise ValueError(
            f"there is no data set {name!r} in the folder --data {folder}, which has "
            f"{_listed(list(_named(entries)))}; choose among these with --only{hint}"
        )
    return alike[0]


def _listed(names: list[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "nothing"


def _find_elsewhere(name: str) -> Found:
    """Look up a built-in set, or one that was fetched before."""
    base, colon, size = name.partition(":")
    try:
        if built_in(name) is not None:
            base += ":100" if colon else ""
            return Found(name, sha256=_hash_content(base, size))
    except ValueError as error:
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
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _hash_content(name: str, size: str = "") -> str:
    """Hash a built-in set; a small generated set represents all sizes."""
    digest = hashlib.sha256(size.encode())
    for x in open_set(name, None).views.arrays:
        digest.update(dense(x).tobytes())
    return digest.hexdigest()
