"""Commands on methods: evaluate, methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer
from typer import Option

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import (
    METHOD,
    AsJson,
    MethodName,
    Seed,
    app,
    import_from_here,
    print_json,
)
from mvgraph.cli._clusters import number_option
from mvgraph.cli._input import HowCounts, Input, treat_counts

ORDER = {True: "order-free", False: "depends on row order"}


@app.command()
def evaluate(
    source: Input,
    method: MethodName = METHOD,
    preset: Literal["default", "paper"] = "default",
    order: Literal["shuffled", "published"] = "shuffled",
    seed: Seed = 0,
    repeats: Annotated[int, Option(min=1, help="Repeat r uses the seed S + r.")] = 1,
    n_clusters: Annotated[
        Any, number_option("How many; default: the number of classes.")
    ] = None,
    as_json: AsJson = False,
    counts: HowCounts = None,
) -> None:
    """Cluster labelled DATA and score the result.

    Parameters
    ----------
    preset
        paper: the settings of the publication.
    order
        published: keep the order of the file.
    """
    from mvgraph.evaluation.protocol import evaluate
    from mvgraph.methods import get

    import_from_here()
    source.refuse_outer(get(method).make(1, seed), method)
    dataset, _ = treat_counts(source.open(), counts)
    with show.progress(f"{method} on {dataset.name}") as report:
        result = evaluate(
            *(dataset, method, preset, order, seed, repeats, n_clusters),
            progress=report,
        )
    if as_json:
        print_json(result, dataset)
        return
    title = (
        "{data}: {n} samples, {k} clusters, {views} views; preset {preset}, {order} "
        "rows, {repeats} repeat(s)"
    )
    show.print_table(title.format(**result), *show.score_cells([result]))


@app.command()
def methods(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Some methods; default: all."),
    ] = None,
    as_json: AsJson = False,
    bibtex: bool = False,
) -> None:
    """List methods with papers and costs, or print what to cite.

    Parameters
    ----------
    bibtex
        Print BibTeX entries and nothing else.
    """
    from mvgraph import methods as registry

    chosen = names or []
    if bibtex and as_json:
        raise ValueError("--json and --bibtex exclude each other; leave one out")
    if bibtex:
        print(registry.bibtex(*chosen))
        return
    rows = [registry.get(name).describe() for name in chosen] or registry.table()
    if as_json:
        print_json(rows)
        return
    head = ["name", "what it does; paper, year; cost"]
    show.print_table("Methods", head, [_method_cells(row) for row in rows], apart=True)


def _method_cells(row: dict[str, Any]) -> list[str]:
    """Lay out a method in two columns, readable in a terminal of any width."""
    facts = [f"cost {row['cost']}"]
    if row["order_free"] is not None:
        facts.append(ORDER[row["order_free"]])
    if row["needs_n_by_n"]:
        facts.append("N x N matrices")
    paper = f"{row['paper']}, {row['year']}"
    if row["paper"].startswith("none: "):
        paper = row["paper"].removeprefix("none: ")
    return [row["name"], "\n".join([row["title"], paper, "; ".join(facts)])]
