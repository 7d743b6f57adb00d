"""How methods are shown: display names, groups, and the method to compare with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mvgraph.bench.records import Record, setting, variant
from mvgraph.ops.wording import extra, nearest
from mvgraph.persistence.files import replace_text

with extra("a benchmark or its report", "pydantic", "report"):
    from pydantic import BaseModel, ConfigDict, ValidationError

#: File beside the records.
NAME = "names.json"


class Row(NamedTuple):
    """A method with one setting: a row of the tables."""

    method: str
    setting: str  # the method with its settings
    label: str  # as it is shown


class Naming(BaseModel):
    """Display names of methods, their groups, and the reference.

    Parameters
    ----------
    names : dict of str to str
        Names in tables and figures by method, or by method with settings, such as
        ``mine:Own (power=1)``.
    set_names : dict of str to str
        Names in tables and figures by data set.
    groups : dict of str to list of str
        Methods by the name of their group.
    reference : str, optional
        The method that all others are compared with.
    """

    model_config = ConfigDict(strict=True, extra="ignore")

    names: dict[str, str] = {}
    set_names: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    reference: str | None = None

    def row(self, method: str, setting: str) -> Row:
        """Return how a method with its settings is shown."""
        label = self.names.get(setting)
        if label is None and method in self.names:
            label = self.names[method] + setting.removeprefix(method)
        return Row(method, setting, label or setting)

    def check(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Check that all names are of methods that are run, each of one.

        Parameters
        ----------
        pairs : iterable of (method, setting)
            Those that are run.

        Raises
        ------
        ValueError
            The message says which key is wrong, and what is close to it.
        """
        rows = [self.row(*pair) for pair in dict.fromkeys(pairs)]
        known = [name for row in rows for name in (row.method, row.setting)]
        for key, label in self.names.items():
            if key not in known:
                raise ValueError(f"names: {key!r} is not run; {nearest(key, known)}")
            if not label.strip():
                raise ValueError(f"names: the name of {key!r} is empty")
        refuse_twice(row.label for row in rows)
        owner: dict[Row, str] = {}
        for group, name in self._members():
            for row in _known(name, rows, "groups"):
                if owner.setdefault(row, group) != group:
                    raise ValueError(
                        f"groups: {row.label!r} is in {owner[row]!r} and {group!r}"
                    )
        if self.reference is not None:
            only(_known(self.reference, rows, "reference"), self.reference)

    def check_sets(self, found: list[str], whole: bool = True) -> None:
        """Check that all names of sets are of sets that were found, each of one.

        A part of a plan keeps the names of all its sets.

        Raises
        ------
        ValueError
            The message says which is wrong, and what is close to it.
        """
        for key, label in self.set_names.items():
            if whole and key not in found:
                raise ValueError(f"set_names: no set {key!r}; {nearest(key, found)}")
            if not label.strip():
                raise ValueError(f"set_names: the name of {key!r} is empty")
        refuse_twice((self.set_names.get(name, name) for name in found), "set")

    def _members(self) -> Iterator[tuple[str, str]]:
        """Yield groups and what they list."""
        for group, members in self.groups.items():
            yield from ((group, name) for name in members)

    def apply(self, records: list[Record]) -> list[Record]:
        """Return records with ``label`` and ``group``, and sets as they are named."""
        rows = {
            setting(r): self.row(r["method"], setting(r))
            for r in records
            if r["method"] is not None
        }
        group = {
            row: title
            for title, name in self._members()
            for row in meant(name, rows.values())
        }
        named = []
        for r in records:
            row = rows.get(setting(r))
            more: dict[str, Any] = {}
            if row is not None and row.label != row.setting:
                more["label"] = row.label
            if row in group:
                more["group"] = group[row]
            if r["set"] in self.set_names:
                more |= {"set": self.set_names[r["set"]], "set_in_plan": r["set"]}
            named.append({**r, **more, "ranked": setting(r) in self.names})
        return named

    def _plain(self, name: str) -> str:
        """Return a method, with or without settings, by its own name."""
        for key, label in self.names.items():
            if name == label or name.startswith(f"{label} ("):
                return key + name.removeprefix(label)
        return name

    def plain(self) -> Naming:
        """Return the same with groups and the reference by the methods' own names."""
        groups = {
            title: [self._plain(name) for name in members]
            for title, members in self.groups.items()
        }
        own = None if self.reference is None else self._plain(self.reference)
        return self.model_copy(update={"groups": groups, "reference": own})

    def write(self, folder: Path) -> None:
        """Write the file beside the records of a folder."""
        text = json.dumps(self.model_dump(), indent=1, ensure_ascii=False)
        replace_text(folder / NAME, text + "\n")


def read_naming(folder: Path) -> Naming:
    """Read the file of a folder of results; nothing is named without one.

    Raises
    ------
    ValueError
        If it has been damaged.
    """
    path = folder / NAME
    if not path.is_file():
        return Naming()
    try:
        return Naming.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(
            f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; delete the "
            "file, or run mvgraph bench again"
        ) from error


def joined(namings: Iterable[Naming]) -> tuple[Naming, list[str]]:
    """Join the names of several logs: those of each are for the methods of all.

    Returns
    -------
    naming, notes : Naming, list of str
        Where two logs differ, the first one counts, and a note says so.
    """
    names: dict[str, str] = {}
    set_names: dict[str, str] = {}
    group_of: dict[str, str] = {}
    reference, notes = None, []
    for naming in (each.plain() for each in namings):
        reference = reference or naming.reference
        members = {name: title for title, name in naming._members()}
        pairs = (
            ("name", names, naming.names),
            ("name", set_names, naming.set_names),
            ("group", group_of, members),
        )
        for word, known, more in pairs:
            notes += [
                f"The logs differ in the {word} of {key}: {known[key]!r}, that of the "
                f"log named first, is used for all, not {value!r}."
                for key, value in more.items()
                if known.setdefault(key, value) != value
            ]
    groups: dict[str, list[str]] = {}
    for name, title in group_of.items():
        groups.setdefault(title, []).append(name)
    naming = Naming(
        names=names, set_names=set_names, groups=groups, reference=reference
    )
    return naming, list(dict.fromkeys(notes))


def meant(name: str, rows: Iterable[Row]) -> list[Row]:
    """Return the rows that a name means: one as it is shown, or all of a method."""
    rows = list(rows)
    exact = [row for row in rows if name in (row.label, row.setting)]
    return exact or [row for row in rows if row.method == name]


def _known(name: str, rows: list[Row], key: str) -> list[Row]:
    """Return the rows that a name means; raise ValueError if there are none."""
    found = meant(name, rows)
    if not found:
        ids = (each for row in rows for each in (row.setting, row.method))
        known = nearest(name, [*(row.label for row in rows), *ids])
        raise ValueError(f"{key}: {name!r} is not run on shuffled rows; {known}")
    return found


def only(rows: list[Row], name: str) -> Row:
    """Return the one row that the name of a reference means; raise ValueError else."""
    if len(rows) > 1:
        raise ValueError(
            f"reference: {name!r} is run with several settings; choose among "
            f"{', '.join(row.label for row in rows)}"
        )
    return rows[0]


def refuse_twice(labels: Iterable[str], kind: str = "method") -> None:
    """Raise ValueError if two rows or columns of a table have one name."""
    for label, n in Counter(labels).items():
        if n > 1:
            raise ValueError(f"names: two {kind}s are named {label!r}; rename one")


# ----------------------------------------------------------------------- the reference
def reference_of(records: list[Record]) -> str | None:
    """Return the name of the reference, as in tables; None if there is none."""
    return next((variant(r) for r in records if r.get("reference")), None)


def with_reference(records: list[Record], name: str) -> list[Record]:
    """Mark the records of one method as those of the reference.

    Parameters
    ----------
    records : list of dict
    name : str
        As in tables, or the name of a method that was run with one setting.

    Raises
    ------
    ValueError
        If no such method was run on shuffled rows, or with several settings.
    """
    tried = [r for r in records if r["method"] is not None and not r["grid"]]
    rows = [
        Row(r["method"], setting(r), variant(r))
        for r in tried
        if r["order"] == "shuffled"
    ]
    own = only(_known(name, list(dict.fromkeys(rows)), "reference"), name).setting
    return [{**r, "reference": setting(r) == own} for r in records]
