"""Commands that cluster and score: cluster, evaluate, methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import (
    METHOD,
    AsJson,
    Data,
    Join,
    Joined,
    LabelKey,
    LabelsFile,
    MethodName,
    Order,
    Orient,
    Preset,
    Quiet,
    Seed,
    ViewKeys,
    app,
    import_from_here,
    open_data,
    print_json,
    reading_json,
)
from mvgraph.cli._counts import HowCounts
from mvgraph.cli._limits import DryRun, Engine, EngineName, MemoryLimit, Scheduler
from mvgraph.cli._log import UNFIT


@app.command()
def cluster(
    data: Data,
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
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
    join: Joined = Join.strict,
    counts: HowCounts = None,
    dry_run: DryRun = False,
    memory_limit: MemoryLimit = None,
    engine: EngineName = Engine.auto.value,
    scheduler: Scheduler = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: the forecast, or a summary.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Cluster the samples of DATA and write one label a sample, with its id."""
    from mvgraph import methods
    from mvgraph.cli import _counts, _limits, _output
    from mvgraph.evaluation import forecast
    from mvgraph.ops.memory import free_bytes
    from mvgraph.tl._counts import remember

    import_from_here()
    output = _output.check_labels(output, data, *([] if save is None else [save]))
    n_bytes = _limits.parse_bytes(memory_limit)
    model = methods.get(method).make(n_clusters, seed)
    if save is not None:
        _check_save(model, method, save)
    _limits.place(model, method, engine, scheduler)
    dataset = open_data(data, views, labels, orientation, join, quiet, n_bytes)
    if dry_run:
        own = {"engine": model.engine} if hasattr(model, "engine") else {}
        room = free_bytes() if n_bytes is None else n_bytes
        cost = forecast.estimate(
            dataset.views, method, n_clusters, memory_limit=room, **own
        )
        _print_forecast(cost, n_bytes, dataset, as_json)
        _limits.tell_unfit(cost, n_bytes)
        raise typer.Exit(0 if cost["fits"] else UNFIT)
    _limits.limit(model, method, dataset.views, n_bytes)
    dataset, sizes = _counts.treat(dataset, counts)
    with show.progress(f"{method} on {dataset.name}") as report:
        model.fit(dataset.views, callback=report)
    if save is not None:
        if counts is not None:
            remember(model, {}, counts.value, sizes)
        model.save(save)
    if output is not None or not (as_json or save is not None):
        _output.write_labels(output, dataset.ids, [{"label": model.labels_}], data)
    if as_json:
        summary = _output.labels_summary(dataset, method, model, output)
        summary |= {} if save is None else {"model": str(save)}
        print_json(summary | reading_json(dataset))


def _check_save(model: Any, method: str, folder: Path) -> None:
    """Find out before the fit whether a model can be saved, and here."""
    from mvgraph.persistence.document import check_folder
    from mvgraph.prediction.anchor_model import AnchorModel

    if not isinstance(model, AnchorModel):
        raise ValueError(
            f"--save: {method} labels no new samples later; use --method "
            "graph-consensus or anchor-filter, or leave --save out"
        )
    check_folder(folder)


def _print_forecast(
    cost: dict[str, Any], n_bytes: int | None, dataset: Any, as_json: bool
) -> None:
    from mvgraph.cli import _limits

    if as_json:
        print_json(cost | reading_json(dataset))
    else:
        _limits.print_forecast(cost, n_bytes)


@app.command()
def evaluate(
    data: Data,
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
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
    join: Joined = Join.strict,
    counts: HowCounts = None,
    quiet: Quiet = False,
) -> None:
    """Cluster labelled DATA and score the result."""
    from mvgraph.cli import _counts
    from mvgraph.evaluation import protocol as evaluation

    import_from_here()
    dataset = open_data(data, views, labels, orientation, join, quiet)
    dataset, _ = _counts.treat(dataset, counts)
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
