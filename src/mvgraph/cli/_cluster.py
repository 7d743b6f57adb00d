"""Commands that cluster and score: cluster, evaluate, methods."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import (
    METHOD,
    AsJson,
    LabelsFile,
    MethodName,
    Seed,
    app,
    import_from_here,
    print_json,
)
from mvgraph.cli._input import HowCounts, Input, reading_json
from mvgraph.cli._limits import DryRun, Engine, EngineName, MemoryLimit, Scheduler
from mvgraph.cli._log import UNFIT


class Preset(StrEnum):
    """Settings of the library, or of the publication."""

    default = "default"
    paper = "paper"


class Order(StrEnum):
    """Order of the rows."""

    shuffled = "shuffled"
    published = "published"


@app.command()
def cluster(
    source: Input,
    n_clusters: Annotated[int, typer.Option("--n-clusters", help="How many clusters.")],
    method: MethodName = METHOD,
    output: LabelsFile = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="MODEL",
            help="Folder for the fitted model; mvgraph predict labels new samples.",
        ),
    ] = None,
    seed: Seed = 0,
    counts: HowCounts = None,
    dry_run: DryRun = False,
    memory_limit: MemoryLimit = None,
    engine: EngineName = Engine.auto.value,
    scheduler: Scheduler = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: the forecast, or a summary.")
    ] = False,
) -> None:
    """Cluster the samples of DATA and write one label a sample, with its id."""
    from mvgraph import methods
    from mvgraph.base.predictor import refuse_no_predictor
    from mvgraph.cli import _input, _limits, _output
    from mvgraph.evaluation import forecast
    from mvgraph.ops.memory import free_bytes
    from mvgraph.persistence.document import check_folder
    from mvgraph.tl._counts import remember

    import_from_here()
    output = _output.check_labels(
        output, source.data, *([] if save is None else [save])
    )
    entry = methods.get(method)
    model = entry.make(n_clusters, seed)
    if save is not None:
        refuse_no_predictor(model, "--save: ")
        check_folder(save)
    own = _limits.place(entry, engine, scheduler)
    model.set_params(**own)
    dataset = source.open(memory_limit)
    if dry_run:
        room = free_bytes() if memory_limit is None else memory_limit
        cost = forecast.estimate(
            dataset.views, method, n_clusters, memory_limit=room, **own
        )
        _print_forecast(cost, memory_limit, dataset, as_json)
        _limits.tell_unfit(cost, memory_limit)
        raise typer.Exit(0 if cost["fits"] else UNFIT)
    _limits.limit(model, method, dataset.views, memory_limit)
    dataset, sizes = _input.treat_counts(dataset, counts)
    with show.progress(f"{method} on {dataset.name}") as report:
        model.fit(dataset.views, callback=report)
    if save is not None:
        if counts is not None:
            remember(model, {}, counts.value, sizes)
        model.save(save)
    if output is not None or not (as_json or save is not None):
        blocks = [{"label": model.labels_}]
        _output.write_labels(output, dataset.ids, blocks, source.data)
    if as_json:
        summary = _output.labels_summary(dataset, method, model, output)
        summary |= {} if save is None else {"model": str(save)}
        print_json(summary | reading_json(dataset))


def _print_forecast(
    cost: dict[str, Any], memory_limit: int | None, dataset: Any, as_json: bool
) -> None:
    from mvgraph.cli import _limits

    if as_json:
        print_json(cost | reading_json(dataset))
    else:
        _limits.print_forecast(cost, memory_limit)


@app.command()
def evaluate(
    source: Input,
    method: MethodName = METHOD,
    preset: Annotated[
        Preset, typer.Option(help="paper: the settings of the publication.")
    ] = Preset.default,
    order: Annotated[
        Order, typer.Option(help="published: keep the order of the file.")
    ] = Order.shuffled,
    seed: Seed = 0,
    repeats: Annotated[
        int, typer.Option(min=1, help="Repeat r uses the seed S + r.")
    ] = 1,
    n_clusters: Annotated[
        int | None,
        typer.Option("--n-clusters", help="Default: the number of classes."),
    ] = None,
    as_json: AsJson = False,
    counts: HowCounts = None,
) -> None:
    """Cluster labelled DATA and score the result."""
    from mvgraph.cli import _input
    from mvgraph.evaluation import protocol as evaluation

    import_from_here()
    dataset, _ = _input.treat_counts(source.open(), counts)
    with show.progress(f"{method} on {dataset.name}") as report:
        result = evaluation.evaluate(
            dataset,
            method,
            preset.value,
            order.value,
            seed,
            repeats,
            n_clusters,
            progress=report,
        )
    if as_json:
        print_json(result | reading_json(dataset))
    else:
        show.print_table(show.score_title(result), *show.score_cells([result]))


@app.command()
def methods(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Some methods; default: all."),
    ] = None,
    as_json: AsJson = False,
    bibtex: Annotated[
        bool, typer.Option("--bibtex", help="Print BibTeX entries and nothing else.")
    ] = False,
) -> None:
    """List methods with papers and costs, or print what to cite."""
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
    show.print_table("Methods", head, [show.method_cells(r) for r in rows], apart=True)
