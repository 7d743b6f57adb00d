"""Commands about data: datasets list, datasets info, datasets fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, datasets_app, print_json
from mvgraph.cli._input import Input, MemoryLimit


@datasets_app.command("list")
def list_datasets(as_json: AsJson = False) -> None:
    """List the data sets that need no file."""
    from mvgraph.datasets._catalogue import BUILT_IN

    rows = [
        {"name": name, "kind": entry.kind, "about": entry.about}
        for name, entry in BUILT_IN.items()
    ]
    if as_json:
        print_json(rows)
    else:
        show.print_rows("Data sets", rows)


@datasets_app.command("info")
def info(
    source: Input,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
    write: Path | None = None,
) -> None:
    """Show what mvgraph reads from a file: samples, views, classes, columns.

    Parameters
    ----------
    write : YAML
        File for --schema, with the columns as read.
    """
    from mvgraph import datasets
    from mvgraph.datasets.layout.report import Reading

    result = datasets.info(
        source.place, **source.options(), memory_limit=memory_limit, write=write
    )
    if result["reading"] is not None:
        read = Reading.from_dict(result["reading"])
        _log.note("read", read.lines(), reading=result["reading"])
    if as_json:
        print_json(result)
        return
    classes = f"{result['k']} classes" if result["k"] else "no labels"
    title = f"{result['name']}: {result['n']} samples, {classes}"
    show.print_rows(title, result["views"])
    if result["columns"]:
        show.print_rows("columns", result["columns"])
    if result.get("order_warning"):
        show.print_line(result["order_warning"])


@datasets_app.command("fetch")
def fetch(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="Without it: list the names.")
    ] = None,
    cache: Path | None = None,
    mirror: list[str] | None = None,
    offline: bool = False,
) -> None:
    """Fetch a published file, check it, and print where it is.

    Parameters
    ----------
    cache
        Folder; default: MVGRAPH_DATA.
    mirror
        Address to try first; repeatable.
    offline
        Use the cache only.
    """
    from mvgraph.datasets import _fetch

    if name is None:
        rows = [
            {"name": e.name, "MB": f"{e.bytes / 1e6:.1f}"}
            | {"primary source": e.source, "licence": e.licence}
            for e in _fetch.registry().values()
        ]
        show.print_rows("Published files", rows)
        return
    entry = _fetch.entry_of(name)
    terms = {"source": entry.source, "licence": entry.licence}
    _log.note("fetch", [f"{k}: {v}" for k, v in terms.items()], name=name, **terms)
    with show.progress(f"fetching {entry.file}") as report:
        path = _fetch.fetch(
            name, cache, mirrors=mirror or (), offline=offline, progress=report
        )
    print(path)
