"""Open a source of data as specified by arguments, a schema file or a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from mvgraph.datasets.formats.detect import open_source
from mvgraph.datasets.formats.parts import TableFiles
from mvgraph.datasets.layout.orientation import CHOICES
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.tables.choosing import refuse_after_fit
from mvgraph.tables.encoders import Encoders
from mvgraph.tables.options import TableOptions
from mvgraph.tables.schema_file import read_schema
from mvgraph.views.identifiers import SaidOfNames, one_or_several
from mvgraph.views.joining import JOINS
from mvgraph.views.lazy import EAGER

KeyMap = Mapping[str, Any]
Names: TypeAlias = str | Sequence[str] | None


@dataclass(frozen=True)
class Asked:
    """How a source is to be read: the arguments of `mvgraph.datasets.load`.

    Raises
    ------
    TypeError
        `key_map` is not a dict.
    ValueError
        An argument has a value that it cannot have.
    """

    key_map: KeyMap | None = None
    orientation: str | None = None
    join: str = "strict"
    ids: Names = None
    column: Names = None
    normalise_ids: bool = False
    columns: Names = None
    drop: Names = None
    kinds: Mapping[str, Any] | None = None
    impute: str | None = None
    schema: str | Path | None = None
    encoders: Encoders | None = None
    memory_limit: int | None = None
    admit: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        if self.key_map is not None and not isinstance(self.key_map, Mapping):
            raise TypeError(
                "key_map must be a dict of names of variables, such as"
                ' {"views": ["a", "b"], "labels": "y"}; got'
                f" {type(self.key_map).__name__} ({str(self.key_map)[:40]})"
            )
        if self.orientation not in CHOICES:
            raise ValueError(
                f"orientation must be one of {CHOICES}, got {self.orientation!r}"
            )
        if self.join not in JOINS:
            raise ValueError(f"join must be one of {JOINS}, got {self.join!r}")

    @cached_property
    def _file(self) -> dict[str, Any]:
        return {} if self.schema is None else read_schema(self.schema)

    @property
    def variables(self) -> KeyMap:
        """Names of variables, by the schema file, the fit and the caller."""
        known = {k: v for k, v in self._file.items() if k in ("views", "labels")}
        if self.encoders is not None and self.encoders.views:
            known["views"] = list(self.encoders.views)
        known |= self.key_map or {}
        if isinstance(known.get("views"), Mapping):
            known["views"] = list(known["views"])
        return known

    @property
    def said(self) -> SaidOfNames:
        """What is said of the names of samples."""
        fit, file = self.encoders or Encoders(()), self._file
        return SaidOfNames.of(
            self.ids or fit.ids or file.get("ids"),
            self.column or fit.features or file.get("column"),
            self.normalise_ids or fit.normalise_ids,
        )

    @property
    def tables(self) -> TableOptions:
        """What is said of the columns of tables."""
        file = self._file
        options = TableOptions.of(
            self.columns or file.get("columns"),
            self.drop or file.get("drop"),
            {**file.get("kinds", {}), **(self.kinds or {})},
            self.impute or file.get("impute"),
            (self.key_map or {}).get("views", file.get("views")),
        )
        options = replace(options, schema=self.schema is not None)
        if self.encoders is not None:
            refuse_after_fit(options, self.encoders.tables)
        return options

    def variables_in(self, source: Source) -> KeyMap:
        """Return the names of variables, without views of the fit that are missing."""
        known = self.variables
        if self.encoders is None or not self.encoders.views:
            return known
        there = [name for name in self.encoders.views if name in source.variables]
        fitted = known.get("views") == list(self.encoders.views)
        return {**known, "views": there} if there and fitted else known


def open_for(
    path: Path | TableFiles, asked: Asked, look: bool = False, eager_bytes: int = EAGER
) -> Source:
    """Open a source; tables need to know the labels and the orientation."""
    wanted = asked.variables
    labels, views = wanted.get("labels"), one_or_several(wanted.get("views"))
    options = ReadOptions(
        labels if isinstance(labels, str) else None,
        views,
        asked.orientation,
        asked.join,
        "labels" in wanted and labels is None,
        asked.memory_limit,
        asked.said,
        asked.tables,
        asked.encoders,
        look,
        eager_bytes,
        asked.admit,
    )
    source = open_source(path, options)
    _refuse_unknown(source)
    return source


def _refuse_unknown(source: Source) -> None:
    """Reject names of columns that no table has."""
    asked, known = source.options, source.log.columns
    said = asked.said
    columns = {name for _, name in known}
    held = columns | set(source.variables)
    absent = [n for n in said.column if n not in held]
    absent += [] if not said.ids or held & {*said.ids} else list(said.ids)
    if absent and asked.encoders is None:
        raise source.error(
            f"there is no column {absent[0]!r} to name the samples, or to be a feature",
            f"choose one of {sorted(columns)[:12]} for ids and column (on"
            " the command line --ids and --column)",
        )
    asked.tables.refuse_unknown(known, source.path.name)
