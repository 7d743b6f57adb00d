"""Commands about data: datasets list, datasets info, datasets fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mvgraph.cli import _log
from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, datasets_app, print_json
from mvgraph.cli._input import Input
from mvgraph.cli._limits import MemoryLimit


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
        head = ["name", "kind", "about"]
        show.print_table("Data sets", head, [list(row.values()) for row in rows])


@datasets_app.command("info")
def info(
    source: Input,
    as_json: AsJson = False,
    memory_limit: MemoryLimit = None,
) -> None:
    """Show what mvgraph understands of a file: samples, views, classes."""
    from mvgraph import datasets

    result = datasets.info(source.data, **source.options(), memory_limit=memory_limit)
    if as_json:
        print_json(result)
        return
    classes = f"{result['k']} classes" if result["k"] else "no labels"
    head = list(result["views"][0])
    cells = [[show.cell(value) for value in view.values()] for view in result["views"]]
    show.print_table(f"{result['name']}: {result['n']} samples, {classes}", head, cells)
    if result.get("order_warning"):
        print(result["order_warning"])


@datasets_app.command("fetch")
def fetch(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Without it: list the names.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Folder; default: MVGRAPH_DATA.")
    ] = None,
    mirror: Annotated[
        list[str] | None,
        typer.Option("--mirror", help="Address to ask first; may be repeated."),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use the cache only.")
    ] = False,
) -> None:
    """Fetch a published file, check it, and print where it is."""
    from mvgraph.datasets import _fetch

    if name is None:
        head = ["name", "MB", "primary source", "licence"]
        rows = [
            [e.name, f"{e.bytes / 1e6:.1f}", e.source, e.licence]
            for e in _fetch.registry().values()
        ]
        show.print_table("Published files", head, rows)
        return
    entry = _fetch.entry_of(name)
    terms = {"source": entry.source, "licence": entry.licence}
    _log.note("fetch", [f"{k}: {v}" for k, v in terms.items()], name=name, **terms)
    with show.progress(f"fetching {entry.file}") as report:
        path = _fetch.fetch(
            name, cache, mirrors=mirror or (), offline=offline, progress=report
        )
    print(path)
