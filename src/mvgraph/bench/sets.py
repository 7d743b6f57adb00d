"""Find the data sets of a plan: in a folder, built in, or in the cache."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvgraph import datasets
from mvgraph.datasets._catalogue import BUILT_IN, built_in
from mvgraph.datasets._fetch import find_entry
from mvgraph.ops.arrays import dense

__all__ = ["Found", "find_sets", "open_set"]


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
        ``all`` or names. With a folder: of what it holds, up to ``__`` or the suffix;
        ``all`` is every file and folder in it that `mvgraph.datasets.load` reads, and
        the others are named in a warning. Without: built-in sets, ``name:1000`` is one
        generated with 1000 samples, and sets that were fetched; those that are neither
        are returned as missing.
    folder : Path or None

    Raises
    ------
    ValueError
        If the folder does not exist, it lacks a set or holds none, or a name matches
        several files.
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
    found = built_in(name)
    if found is None:
        raise ValueError(f"there is no built-in set {name!r}")
    return found.open()._replace(name=name)


def _readable(entries: list[Path], folder: Path) -> list[Path]:
    """Keep what the readers can read; say what they cannot."""
    reasons = {path: _why_not(path) for path in entries}
    lost = [path.name for path, reason in reasons.items() if reason]
    found = [path for path, reason in reasons.items() if not reason]
    first = next(filter(None, reasons.values()), "it is empty")
    if not found:
        raise ValueError(
            f"there is no data set in the folder --data {folder}, which holds "
            f"{_listed(lost)}; the first reason: {first}"
        )
    if lost:
        warnings.warn(
            f"left out of {folder}, since they cannot be read as data: "
            f"{_listed(lost)}; the first reason: {first}",
            UserWarning,
            stacklevel=4,
        )
    return found


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
    """Name sets as shortly as they differ: before ``__``, the stem, the whole name."""
    found: dict[str, Path] = {}
    rest = paths
    for name_of in (_base, lambda path: path.stem, lambda path: path.name):
        names = [name_of(path) for path in rest]
        found |= {n: p for n, p in zip(names, rest, strict=True) if names.count(n) == 1}
        rest = [p for n, p in zip(names, rest, strict=True) if names.count(n) > 1]
    return {name: found[name] for name in sorted(found)}


def _find_in(name: str, entries: list[Path], folder: Path) -> Path:
    exact = [path for path in entries if path.name == name]
    whole = exact or [path for path in entries if path.stem == name]
    alike = whole or [path for path in entries if _base(path) == name]
    if len(alike) > 1:  # a description may lie beside the data
        alike = [path for path in alike if _why_not(path) is None] or alike
    if len(alike) > 1:
        raise ValueError(
            f"set {name!r} matches {_listed(list(_named(alike)))}; name one of these"
        )
    if not alike:
        hint = "; leave --data out to run built-in sets" if _is_built_in(name) else ""
        raise ValueError(
            f"there is no data set {name!r} in the folder --data {folder}, which holds "
            f"{_listed(list(_named(entries)))}; choose among these with --only{hint}"
        )
    return alike[0]


def _listed(names: list[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "nothing"


def _is_built_in(name: str) -> bool:
    return name.partition(":")[0] in BUILT_IN


def _find_elsewhere(name: str) -> Found:
    """Look up a built-in set, or one that was fetched before."""
    try:
        known = built_in(name)
    except ValueError as error:
        return Found(name, missing=str(error))
    if known is not None:
        base, colon, size = name.partition(":")
        return Found(name, sha256=_hash_content(f"{base}:100" if colon else base, size))
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
