"""What the caller specified about the columns of tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from mvgraph.views.identifiers import one_or_several
from mvgraph.views.spelling import DATE_ORDERS

NUMERIC, CATEGORICAL, ORDINAL = "numeric", "categorical", "ordinal"
DATE, TEXT, VECTOR, IGNORE = "date", "text", "vector", "ignore"
#: Kinds that share the view of their table.
PLAIN = (NUMERIC, CATEGORICAL, ORDINAL, DATE)
#: What a column can be.
KINDS = (NUMERIC, CATEGORICAL, ORDINAL, DATE, TEXT, VECTOR, IGNORE)
#: How the reason begins for which a column is ignored.
LEFT_OUT = "left out: "
#: What to do with empty cells.
IMPUTE = ("refuse", "median", "mean", "zero", "neighbors", "drop-rows")


@dataclass(frozen=True)
class TableOptions:
    """Which columns are used, and as what; see `mvgraph.read_columns`.

    Parameters
    ----------
    columns, drop : tuple of str
        Names or patterns of columns, or ``table:pattern``.
    kinds : mapping of str to str
        By name or pattern of the column.
    orders : mapping of str to tuple of str
        The categories of ordinal columns, lowest first; of dates dmy or mdy.
    impute : str
        One of `IMPUTE`.
    groups : mapping of str to tuple of str
        Views, and the names or patterns of their columns; in one of several tables the
        view is ``table.view``.
    schema : bool
        Whether a file says which columns there are.
    """

    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    impute: str = "refuse"
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    schema: bool = field(default=False, compare=False)

    @classmethod
    def of(
        cls,
        columns: str | Iterable[str] | None = None,
        drop: str | Iterable[str] | None = None,
        kinds: Mapping[str, Any] | None = None,
        impute: str | None = None,
        views: Any = None,
    ) -> TableOptions:
        """Check what the caller specified.

        Raises
        ------
        ValueError
            An unknown kind or way to impute, or an ordinal column without its order.
        """
        impute = impute or "refuse"
        if impute not in IMPUTE:
            raise ValueError(f"impute must be one of {IMPUTE}; got {impute!r}.")
        named, orders = {}, {}
        for column, kind in (kinds or {}).items():
            if not isinstance(kind, str):
                named[str(column)] = ORDINAL
                orders[str(column)] = tuple(map(str, kind))
            elif kind in [f"{DATE}:{order}" for order in DATE_ORDERS]:
                named[str(column)], orders[str(column)] = DATE, (kind[-3:],)
            elif kind in KINDS and kind != ORDINAL:
                named[str(column)] = kind
            else:
                raise ValueError(_unknown_kind(str(column), kind))
        groups = views if isinstance(views, Mapping) else {}
        groups = {str(view): one_or_several(own) for view, own in groups.items()}
        chosen = one_or_several(columns), one_or_several(drop)
        return cls(*chosen, named, orders, impute, groups)

    def chooses(self) -> bool:
        """Return whether some columns are used and others are not."""
        return bool(self.columns or self.drop or self.schema)

    def says_nothing(self) -> bool:
        """Return whether every column is used unchanged."""
        return self == ALL_COLUMNS

    def why_not(self, table: str, column: str) -> str:
        """Return why a column is left out, nothing if it is not."""
        if _find(self.drop, table, column) is not None:
            return "it was dropped"
        if self.columns and _find(self.columns, table, column) is None:
            return "not one of the columns that were chosen"
        return ""

    def excludes(self, table: str, columns: Iterable[str]) -> bool:
        """Return whether the caller left out all of some columns, at least one."""
        left = [
            bool(self.why_not(table, c)) or self.kind_of(table, c)[0] == IGNORE
            for c in columns
        ]
        return bool(left) and all(left)

    def view_of(self, table: str, column: str) -> str:
        """Return the view to which the caller assigned a column, nothing if to none."""
        head = f"{table}."
        for exact in (True, False):  # a name goes before a pattern
            for view, names in self.groups.items():
                found = _find(names, table, column)
                if found is not None and (not exact or found.endswith(column)):
                    return view.removeprefix(head)
        return ""

    def kind_of(self, table: str, column: str) -> tuple[str, tuple[str, ...]]:
        """Return the kind that the caller gave to a column, and the order of its words.

        The name of a column goes before a pattern.
        """
        found = _find(self.kinds, table, column)
        if found is None:
            return "", ()
        return self.kinds[found], self.orders.get(found, ())

    def refuse_unknown(self, known: Collection[tuple[str, str]], where: str) -> None:
        """Reject names and patterns that match none of the columns (table, name).

        Raises
        ------
        ValueError
        """
        grouped = [name for names in self.groups.values() for name in names]
        for one in (*self.columns, *self.drop, *self.kinds, *grouped):
            if all(_find((one,), *pair) is None for pair in known):
                several = len({table for table, _ in known}) > 1
                names = {f"{t}:{c}" if several else c for t, c in known}
                raise ValueError(
                    f"{where}: no column matches {one!r}, which was chosen, dropped or"
                    f" given a kind. Choose among {', '.join(sorted(names)[:12])}"
                )


ALL_COLUMNS = TableOptions()


def _find(patterns: Iterable[str], table: str, column: str) -> str | None:
    """Return the first name, else the first pattern, that matches a column."""
    patterns = list(patterns)
    for name in (f"{table}:{column}", column):
        if name in patterns:
            return name
    for pattern in patterns:
        full = ":" in pattern and fnmatchcase(f"{table}:{column}", pattern)
        if full or fnmatchcase(column, pattern):
            return pattern
    return None


def _unknown_kind(column: str, kind: str) -> str:
    if kind == ORDINAL:
        return (
            f"kinds: column {column!r} is ordinal, but it has no order. Give"
            f" its categories, lowest first: kinds={{{column!r}: ['S', 'M', 'L']}}"
            f" (on the command line --kinds {column}=ordinal:S,M,L)"
        )
    return f"kinds: column {column!r} cannot be {kind!r}; a column is one of {KINDS}."
