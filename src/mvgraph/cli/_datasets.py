"""Commands about data: datasets list, datasets info."""

from __future__ import annotations

from mvgraph import _terminal as show
from mvgraph.cli._app import (
    AsJson,
    Data,
    LabelKey,
    Orient,
    ViewKeys,
    datasets_app,
    print_json,
    reading,
)


@datasets_app.command("list")
def list_datasets(as_json: AsJson = False) -> None:
    """List the data sets that need no file."""
    from mvgraph._catalogue import BUILT_IN

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
    data: Data,
    as_json: AsJson = False,
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
) -> None:
    """Show what mvgraph understands of a file: samples, views, classes."""
    from mvgraph._catalogue import describe

    result = describe(data, *reading(views, labels, orientation))
    if as_json:
        print_json(result)
        return
    classes = f"{result['k']} classes" if result["k"] else "no labels"
    head = list(result["views"][0])
    cells = [[show.cell(value) for value in view.values()] for view in result["views"]]
    show.print_table(f"{result['name']}: {result['n']} samples, {classes}", head, cells)
    if result.get("order_warning"):
        print(result["order_warning"])
