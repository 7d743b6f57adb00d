"""Several files that are the parts of one table, and what their folders say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from mvgraph.datasets.layout.report import Log
from mvgraph.ops.wording import counted
from mvgraph.views.columns import Columns

#: How Hive writes that a row has no value of the column that a folder stands for.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Part:
    """A file, and the columns that the names of its folders give, ``year=2026``."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""  # its place among the others, for messages


@dataclass(frozen=True)
class TableFiles:
    """What was named, a folder or a pattern, and its files in the order of rows."""

    path: Path
    files: tuple[Part, ...]

    @classmethod
    def of(cls, path: Path, root: Path, files: Iterable[Path]) -> TableFiles:
        """Sort files by path, and read the names of their folders below `root`.

        Raises
        ------
        ValueError
            If the folders of some files stand for other columns than those of others.
        """
        ordered = sorted(set(files), key=str)
        found = [_values(file.relative_to(root).parts[:-1]) for file in ordered]
        for file, own in zip(ordered, found, strict=True):
            if list(own) != list(found[0]):
                raise ValueError(
                    f"{path}: the folders of {ordered[0].relative_to(root)} stand for"
                    f" the columns {[*found[0]]}, those of {file.relative_to(root)} for"
                    f" {[*own]}. Partition all files by the same columns"
                )
        typed = {name: _typed([own[name] for own in found]) for name in found[0]}
        rows = zip(*typed.values(), strict=True) if typed else ((),) * len(ordered)
        return cls(
            path,
            tuple(
                Part(
                    file,
                    dict(zip(typed, own, strict=True)),
                    str(file.relative_to(root)),
                )
                for file, own in zip(ordered, rows, strict=True)
            ),
        )

    def __len__(self) -> int:
        return len(self.files)

    def note(self) -> str:
        """Say which files are read, and in which order."""
        first, last = self.files[0].name, self.files[-1].name
        many = f", {first} to {last}" if len(self) > 1 else f", {first}"
        return f"{counted(len(self), 'file')} of one table, by path{many}"


def files_in(folder: Path) -> list[Path]:
    """Return the files below a folder, but not those whose names writers hide."""
    return [
        file
        for file in folder.rglob("*")
        if file.is_file()
        and not any(p[0] in "._" for p in file.relative_to(folder).parts)
    ]


def files_of_table(folder: Path, endings: Sequence[str], log: Log) -> TableFiles:
    """Return the files of a folder that is one table; report others next to them.

    Raises
    ------
    ValueError
        If there is none.
    """
    files = files_in(folder)
    tables = [file for file in files if file.suffix.lower() in endings]
    for other in sorted({*files} - {*tables}) if tables else ():
        log.leave_out(str(other.relative_to(folder)), "not a part of the table")
    files = tables or files
    if not files:
        raise ValueError(f"{folder.name}: no Parquet file in this folder. Add one")
    return TableFiles.of(folder, folder, files)


def is_partitioned(folder: Path, endings: Sequence[str]) -> bool:
    """Return whether a folder has folders such as ``year=2026`` with tables."""
    return any(
        one.suffix.lower() in endings
        for inner in folder.iterdir()
        if inner.is_dir() and inner.name.partition("=")[0] and "=" in inner.name
        for one in inner.rglob("*")
    )


def stacked(path: Path, tables: Sequence[Columns], names: Sequence[str]) -> Columns:
    """Put the rows of tables of the same columns one after the other.

    Raises
    ------
    ValueError
        If a table lacks a column of the first, has another, or another kind of cells.
    """
    first = tables[0]
    at = []
    for columns, name in zip(tables, names, strict=True):
        kinds = dict(zip(first.header, first.kinds, strict=True))
        own = dict(zip(columns.header, columns.kinds, strict=True))
        refuse_other_columns(path, names[0], kinds, name, own)
        at.append([columns.header.index(column) for column in first.header])
    pairs = list(zip(tables, at, strict=True))

    def numbers(which: Sequence[int]) -> np.ndarray:
        return np.vstack([t.numbers([own[i] for i in which]) for t, own in pairs])

    def one(i: int) -> np.ndarray:
        return np.concatenate([t.one(own[i]) for t, own in pairs])

    def written(i: int) -> np.ndarray:
        return np.concatenate([t.ids(own[i]) for t, own in pairs])

    vectors = {
        name: np.vstack([table.vectors[name] for table in tables])
        for name in first.vectors
    }
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    return Columns(
        first.header, first.kinds, one, numbers, written, vectors,
        all(table.headed for table in tables), notes, first.index, path.name,
    )  # fmt: skip


def refuse_other_columns(
    path: Path,
    first: str,
    kinds: Mapping[str, str],
    name: str,
    own: Mapping[str, str],
) -> None:
    """Reject a part whose columns, or kinds of cells, are not those of the first.

    Raises
    ------
    ValueError
    """
    remedy = (
        "The files of one table have the same columns; tables that describe the same"
        " samples, one a view, go into one folder that is named as DATA"
    )
    for one, other, who in ((kinds, own, name), (own, kinds, first)):
        lacking = [column for column in one if column not in other]
        if lacking:
            raise ValueError(
                f"{path.name}: {who} has no column {lacking[0]!r}, which"
                f" {first if who == name else name} has. {remedy}"
            )
    for column, kind in kinds.items():
        if own[column] != kind:
            raise ValueError(
                f"{path.name}: column {column!r} is {kind} in {first}, and"
                f" {own[column]} in {name}. Correct its cells"
            )


def _values(folders: Iterable[str]) -> dict[str, str | None]:
    """Return what folders such as ``year=2026`` stand for."""
    pairs = [name.partition("=") for name in folders if name.partition("=")[1]]
    return {
        unquote(key): None if value == NO_VALUE else unquote(value)
        for key, _, value in pairs
        if key
    }


def _typed(texts: Sequence[str | None]) -> list[Any]:
    """Return whole numbers where all values are; a missing one is NaN."""
    try:
        found = [np.nan if text is None else int(text) for text in texts]
    except ValueError:
        return list(texts)
    return found if any(text is not None for text in texts) else list(texts)
