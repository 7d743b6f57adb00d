"""Find the data sets of a plan: in a folder, built in, or in the cache."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mvgraph import datasets
from mvgraph.datasets._catalogue import BUILT_IN, built_in
from mvgraph.datasets._fetch import find_entry
from mvgraph.ops.arrays import dense

__all__ = ["Found", "find_sets", "open_set"]

SUFFIXES = (".mat", ".npz", ".npy", ".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class Found:
    """Path and hash of a set, or the reason why it is missing."""

    name: str
    path: str | None = None
    sha256: str | None = None
    missing: str | None = None


def find_sets(names: list[str], folder: Path | None) -> list[Found]:
    """Look up every set of a plan, including missing ones.

    Parameters
    ----------
    names : list of str
        ``all``, the name of a file up to ``__`` or the suffix, or a built-in set;
        ``name:1000`` is a set generated with 1000 samples.
    folder : Path or None

    Raises
    ------
    ValueError
        If the folder does not exist, or a name matches several files.
    """
    if folder is not None and not folder.is_dir():
        raise ValueError(f"there is no folder {folder}; check --data")
    files = _files(folder)
    if names == ["all"]:
        names = list(files) or list(BUILT_IN)
    return [_find_set(name, files, folder) for name in names]


def open_set(name: str, path: str | None) -> Any:
    """Open a set that was found, under its name in the plan."""
    if path is not None:
        return datasets.load(path)._replace(name=name)
    found = built_in(name)
    if found is None:
        raise ValueError(f"there is no built-in set {name!r}")
    return found.open()._replace(name=name)


def _files(folder: Path | None) -> dict[str, list[Path]]:
    """Group the files of a folder by the part of the name before ``__``.

    Files that share this part are listed by their full stems.
    """
    groups: dict[str, list[Path]] = {}
    entries = [] if folder is None else sorted(folder.iterdir())
    for path in entries:
        if path.is_file() and path.suffix.lower() in SUFFIXES:
            groups.setdefault(path.stem.split("__")[0], []).append(path)
    found: dict[str, list[Path]] = {}
    for name, paths in groups.items():
        if len(paths) == 1:
            found[name] = paths
        else:
            found |= {path.stem: [path] for path in paths}
    return found


def _find_set(name: str, files: dict[str, list[Path]], folder: Path | None) -> Found:
    if name in files:
        return Found(name, str(files[name][0]), _hash_files(files[name]))
    if folder is not None and (folder / name).is_dir() and name not in (".", ".."):
        tables = sorted(p for p in (folder / name).iterdir() if p.is_file())
        return Found(name, str(folder / name), _hash_files(tables))
    several = [stem for stem in files if stem.split("__")[0] == name]
    if several:
        raise ValueError(
            f"set {name!r} matches {', '.join(several)}; name one of these"
        )
    try:
        known = built_in(name)
    except ValueError as error:
        return Found(name, missing=str(error))
    if known is not None:
        base, colon, size = name.partition(":")
        return Found(name, sha256=_hash_content(f"{base}:100" if colon else base, size))
    cached = _cached(name)
    if cached is not None:
        return Found(name, str(cached), _hash_files([cached]))
    where = f"in {folder.name}/" if folder is not None else "(no --data folder given)"
    entry = find_entry(name)
    hint = f"; try mvgraph datasets fetch {entry.name}" if entry else ""
    if Path(name).suffix.lower() in SUFFIXES or "/" in name:
        stem = Path(name).stem.split("__")[0]
        hint = f"; sets are files of the folder --data, named without ending: {stem}"
    return Found(name, missing=f"data set not found {where}{hint}")


def _cached(name: str) -> Path | None:
    """Return the file of a set in the cache; None if it was not fetched before."""
    try:
        return datasets.fetch(name, offline=True)
    except (ValueError, OSError):
        return None


def _hash_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _hash_content(name: str, size: str = "") -> str:
    """Hash a built-in set; a small generated set represents all sizes."""
    digest = hashlib.sha256(size.encode())
    for x in open_set(name, None).views.arrays:
        digest.update(dense(x).tobytes())
    return digest.hexdigest()
