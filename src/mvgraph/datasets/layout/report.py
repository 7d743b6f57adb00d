"""A data set as it was read, and the report of what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.container import Views

#: Items left out that are shown with their reason; the rest are only named.
SHOWN = 12


class ViewRead(NamedTuple):
    """One view: its name, its size with samples in rows, and how it is stored."""

    name: str
    n_samples: int
    n_features: int
    kind: str  # "float64", "sparse int32", "float64 in the file"


class ColumnRead(NamedTuple):
    """One column of a table that is not only numbers, and what becomes of it."""

    table: str
    column: str
    kind: str
    use: str
    missing: float  # share of empty cells


class LeftOut(NamedTuple):
    """An array, column or file that is neither a view nor labels, and why."""

    name: str
    why: str


#: Fields of a report that are tables.
_ROWS = {"views": ViewRead, "left_out": LeftOut, "columns": ColumnRead}


@dataclass
class Log:
    """Collects what readers report while a file is read."""

    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # variables that were understood
    may_be_labels: list[str] = field(default_factory=list)
    id_column: str | None = None
    matched: str | None = None
    columns: set[tuple[str, str]] = field(default_factory=set)  # (table, column)

    def leave_out(self, name: str, why: str) -> None:
        """Report what is neither a view nor labels."""
        self.left_out.append(LeftOut(name, why))

    def note(self, text: str) -> None:
        """Report what was understood; once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True)
class Reading:
    """How a file was interpreted.

    Parameters
    ----------
    path, format : str
    views : tuple of ViewRead
    ids : str or None
        The column that names the samples.
    matched : str
        How rows of several tables were matched.
    labels : str or None
        The variable with the classes, which is not a view.
    left_out : tuple of LeftOut
    notes : tuple of str
        Other decisions, such as the rule by which columns were grouped into views.
    may_be_labels : tuple of str
        Variables left out that have few distinct values, one per sample.
    columns : tuple of ColumnRead
        Of tables whose columns were encoded in a fit.
    """

    path: str
    format: str
    views: tuple[ViewRead, ...]
    ids: str | None = None
    matched: str = ""
    labels: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    may_be_labels: tuple[str, ...] = ()
    columns: tuple[ColumnRead, ...] = ()

    def lines(self) -> list[str]:
        """Return the report as short lines of text."""
        views = [
            f"{v.name} {v.n_samples} x {v.n_features} {v.kind}" for v in self.views
        ]
        out = [f"read {self.path} ({self.format})", f"  views: {'; '.join(views)}"]
        out.append(f"  ids: {self.ids or 'none'}; {self.matched}")
        if self.labels is not None:
            out.append(f"  labels: {self.labels} (left out of the views)")
        out += _table_lines(self.columns)
        out += [f"  left out: {one.name}: {one.why}" for one in self.left_out[:SHOWN]]
        if len(self.left_out) > SHOWN:
            more = [one.name for one in self.left_out[SHOWN:]]
            out.append(f"  left out too: {', '.join(more)}")
        return out + [f"  note: {note}" for note in self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values of JSON."""
        values = vars(self)
        rows = {k: [one._asdict() for one in values[k]] for k in _ROWS}
        return values | rows | {k: list(values[k]) for k in ("notes", "may_be_labels")}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Reading:
        """Restore a report from the result of `to_dict`."""
        lists = {k: tuple(v) for k, v in values.items() if isinstance(v, list)}
        rows = {k: tuple(of(**one) for one in values.get(k, ()))
                for k, of in _ROWS.items()}  # fmt: skip
        return cls(**values | lists | rows)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _table_lines(columns: tuple[ColumnRead, ...]) -> list[str]:
    """Write column, kind, use and share missing below each other."""
    columns = tuple(c for c in columns if c.kind != "ignore")  # these are left out
    shown = [c for c in columns if c.use or c.missing or c.kind != "numeric"]
    plain = [c for c in columns if c not in shown]
    if len(plain) <= SHOWN:
        shown, plain = list(columns), []
    several = len({c.table for c in columns}) > 1
    cells = [
        (
            f"{c.table}:{c.column}" if several else c.column,
            c.kind,
            f"{c.missing:.1%} empty" if c.missing else "",
            c.use,
        )
        for c in shown
    ]
    widths = [max((len(row[j]) for row in cells), default=0) for j in range(3)]
    out = [
        "  column " + "  ".join([*map(str.ljust, row[:3], widths), row[3]]).rstrip()
        for row in cells
    ]
    if plain:
        out.append(f"  and {len(plain)} other columns, numeric")
    return out


class Dataset(NamedTuple):
    """Views of the same samples, with classes if there are any.

    ``reading`` reports how the file was interpreted and what was left out; None for
    generated sets.
    """

    views: Views
    labels: np.ndarray | None
    name: str
    ids: np.ndarray | None = None
    reading: Reading | None = None

    def _repr_html_(self) -> str:
        """Return name, size and views as a table, for notebooks."""
        views, classes = self.views, "no classes"
        if self.labels is not None:
            classes = f"{len(np.unique(self.labels))} classes"
        return views.html_table(f"{self.name}: {len(views)} samples, {classes}")
