"""Open a source of data as specified by arguments, a schema file or a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mvgraph.datasets.formats.detect import open_source
from mvgraph.datasets.layout.orientation import CHOICES
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.tables.choosing import refuse_after_fit
from mvgraph.tables.encoders import Encoders
from mvgraph.tables.options import TableOptions
from mvgraph.tables.schema_file import read_schema
from mvgraph.views.identifiers import SaidOfNames
from mvgraph.views.joining import JOINS
from mvgraph.views.lazy import EAGER

__all__ = ["Asked", "KeyMap", "Names", "open_for"]

KeyMap = Mapping[str, Any]
Names: TypeAlias = str | Sequence[str] | None


class Asked(NamedTuple):
    """What the caller specified about a source: its views, sample names and columns."""

    key_map: KeyMap | None
    said: SaidOfNames
    tables: TableOptions
    encoders: Encoders | None

    @classmethod
    def of(
        cls,
        key_map: KeyMap | None = None,
        ids: Names = None,
        column: Names = None,
        normalise_ids: bool = False,
        columns: Names = None,
        drop: Names = None,
        kinds: Mapping[str, Any] | None = None,
        impute: str | None = None,
        schema: str | Path | None = None,
        encoders: Encoders | None = None,
    ) -> Asked:
        """Combine arguments, those in a schema file, and those of the fit."""
        if key_map is not None and not isinstance(key_map, Mapping):
            raise TypeError(
                "key_map must be a dict of names of variables, such as"
                ' {"views": ["a", "b"], "labels": "y"}; got'
                f" {type(key_map).__name__} ({str(key_map)[:40]})"
            )
        file = {} if schema is None else read_schema(schema)
        known: dict[str, Any] = {
            k: file.pop(k) for k in ("views", "labels") if k in file
        }
        if encoders is not None:
            known |= {"views": list(encoders.views)} if encoders.views else {}
            ids, column = ids or encoders.ids, column or encoders.features
            normalise_ids = normalise_ids or encoders.normalise_ids
        known |= key_map or {}
        said = SaidOfNames.of(
            ids or file.get("ids"), column or file.get("column"), normalise_ids
        )
        options = TableOptions.of(
            columns or file.get("columns"),
            drop or file.get("drop"),
            {**file.get("kinds", {}), **(kinds or {})},
            impute or file.get("impute"),
        )
        if encoders is not None:
            refuse_after_fit(options, encoders.tables)
        return cls(known or None, said, options, encoders)

    def key_map_of(self, source: Source) -> KeyMap | None:
        """Return the names of variables, without views of the fit that are missing."""
        known = self.key_map
        if self.encoders is None or not known or not self.encoders.views:
            return known
        there = [name for name in self.encoders.views if name in source.variables]
        fitted = known.get("views") == list(self.encoders.views)
        return {**known, "views": there} if there and fitted else known


def open_for(
    path: str | Path,
    asked: Asked,
    orientation: str | None = None,
    join: str = "strict",
    memory_limit: int | None = None,
    look: bool = False,
    eager_bytes: int = EAGER,
) -> Source:
    """Open a source; tables need to know the labels and the orientation."""
    wanted = asked.key_map or {}
    labels, views = wanted.get("labels"), wanted.get("views") or ()
    views = (views,) if isinstance(views, str) else tuple(views)
    if orientation not in CHOICES:
        raise ValueError(f"orientation must be one of {CHOICES}, got {orientation!r}")
    if join not in JOINS:
        raise ValueError(f"join must be one of {JOINS}, got {join!r}")
    name = labels if isinstance(labels, str) else None
    without = "labels" in wanted and labels is None
    options = ReadOptions(
        name, views, orientation, join, without, memory_limit, asked.said,
        asked.tables, asked.encoders, look, eager_bytes,
    )  # fmt: skip
    source = replace(open_source(Path(path), options), said=asked.said, join=join)
    _refuse_unknown(source, asked)
    return source


def _refuse_unknown(source: Source, asked: Asked) -> None:
    """Reject names of columns that no table has."""
    said, known = asked.said, source.log.columns
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
