"""The options for tables, in a YAML file: views, columns, ids, kinds, impute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from reprlib import repr as short
from typing import Any

from mvgraph.ops.wording import extra
from mvgraph.persistence.yaml_files import parse_yaml
from mvgraph.tables.options import IGNORE, IMPUTE, KINDS, ORDINAL
from mvgraph.tables.table_encoder import TableEncoder

#: Keys of the file, and whether one value stands for a list of one.
LISTS = ("views", "columns", "drop", "ids", "column")
KEYS = (*LISTS, "labels", "kinds", "impute")


def read_schema(path: str | Path) -> dict[str, Any]:
    """Read the file; its keys are the arguments of `mvgraph.datasets.load`.

    Raises
    ------
    ImportError
        PyYAML is not installed.
    ValueError
        The file is not YAML, or a key or its value is not understood.
    """
    path = Path(path)
    with extra(f"{path.name} is a YAML file, which", "PyYAML", "files"):
        import yaml  # noqa: F401
    try:
        found = parse_yaml(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path.name}: not a YAML file ({error})") from error
    found = {} if found is None else found
    if not isinstance(found, Mapping):
        raise ValueError(f"{path.name}: no keys. Write some of {KEYS}")
    for key, value in found.items():
        if key not in KEYS:
            raise ValueError(
                f"{path.name}: the key {short(key)} is unknown. Use some of {KEYS}"
            )
        _check(path.name, key, value)
    return {key: _listed(key, value) for key, value in found.items() if value != []}


def _listed(key: str, value: Any) -> Any:
    return [value] if key in LISTS and isinstance(value, str) else value


def _check(name: str, key: str, value: Any) -> None:
    if key == "views" and isinstance(value, Mapping):
        for view, columns in value.items():
            _check(name, f"{key}: {view}", columns)
        return
    if key == "kinds":
        fits = isinstance(value, Mapping)
    elif key in LISTS or key.startswith("views: "):
        parts = value if isinstance(value, list) else [value]
        fits = all(isinstance(part, str) for part in parts)
    else:
        fits = value is None or isinstance(value, str)
    if not fits:
        what = "column: kind" if key == "kinds" else "names in quotes"
        raise ValueError(f"{name}: {key} contains {short(value)}. Write {what}")


def schema_text(
    tables: Sequence[TableEncoder],
    single: bool,
    views: Sequence[str],
    ids: Sequence[str],
) -> str:
    """Write a file with which the columns are read in the same way, as a template.

    Parameters
    ----------
    tables : sequence of TableEncoder
    single : bool
        Whether there is one table.
    views : sequence of str
        Names of the views.
    ids : sequence of str
        The columns that name the samples.
    """
    import yaml

    head = (
        "# How tables are read: mvgraph cluster DATA --schema FILE\n"
        "# views: those to use, and the columns of each: names, patterns or\n"
        f"#   table:pattern; [] is all: {', '.join(views)}\n"
        f"# kinds: one of {', '.join(KINDS)};\n"
        "#   an ordinal column has the list of its categories, lowest first\n"
        f"# impute: one of {', '.join(IMPUTE)}\n"
    )
    holes = [(c.name, c.missing) for t in tables for c in t.columns if c.missing]
    if holes:
        told = ", ".join(f"{name} {share:.1%}" for name, share in holes)
        head += f"# empty cells: {told}\n"
    groups: dict[str, list[str]] = {view: [] for view in views if tables}
    kinds: dict[str, Any] = {}
    unused = []
    for table in tables:
        for column in table.columns:
            key = column.name if single else f"{table.table}:{column.name}"
            if column.kind == IGNORE:
                unused.append(key)
                continue
            groups.setdefault(table.view_of(column, single), []).append(key)
            kind = f"{column.kind}:{column.order}" if column.order else column.kind
            ordinal = column.kind == ORDINAL
            kinds[key] = list(column.categories) if ordinal else kind
    content: dict[str, Any] = {"views": groups or []}
    if ids:
        content["ids"] = list(ids)
    if unused:
        head += f"# columns without a view: {', '.join(unused)}\n"
    content["kinds"] = kinds
    content["impute"] = tables[0].impute if tables else "refuse"
    return head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
