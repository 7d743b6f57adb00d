"""The command cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
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
from mvgraph.cli._clusters import (
    Noise,
    names_by_id,
    number_option,
    tell_levels,
    with_names,
)
from mvgraph.cli._input import HowCounts, Input, MemoryLimit, treat_counts
from mvgraph.cli._keep import Keep, Manifest
from mvgraph.cli._log import UNFIT, complain
from mvgraph.ops.memory import TooLargeError, free_bytes

#: Where the rows are stored while a method learns from them.
ENGINES = ("auto", "memory", "chunked", "distributed")


@app.command()
def cluster(
    source: Input,
    keep: Keep,
    manifest: Manifest,
    n_clusters: Annotated[Any, number_option("How many clusters.")] = "auto",
    method: MethodName = METHOD,
    output: LabelsFile = None,
    noise: Noise = False,
    seed: Seed = 0,
    counts: HowCounts = None,
    dry_run: bool = False,
    memory_limit: MemoryLimit = None,
    engine: str = "auto",
    scheduler: str | None = None,
    as_json: AsJson = False,
) -> None:
    """Cluster the samples of DATA and write one label per sample, with its id.

    Parameters
    ----------
    dry_run
        Print the expected bytes; do not fit.
    engine : NAME|ADDRESS
        Where rows are processed: auto, memory, chunked, distributed, or the address of
        a dask scheduler; not every method has all.
    scheduler
        Address of a dask scheduler: tcp://host:8786.
    """
    from mvgraph import methods
    from mvgraph.cli import _output
    from mvgraph.evaluation.forecast import estimate
    from mvgraph.tl._views import remember

    import_from_here()
    output = _output.check_labels(output, *source.files(), keep.save)
    entry = methods.get(method)
    model = entry.make(n_clusters, seed)
    compared = keep.check(model)
    inputs = manifest.check(source, keep.like)
    _check_method(entry, model, source, noise)
    place = _place(entry, engine, scheduler)
    model.set_params(**place)
    admit = None if dry_run else _fits(model, method, memory_limit)
    dataset = source.open(memory_limit, admit=admit)
    if dry_run:
        room = free_bytes() if memory_limit is None else memory_limit
        cost = estimate(dataset.views, method, n_clusters, memory_limit=room, **place)
        _report_forecast(cost, memory_limit, room, dataset, as_json)
        raise typer.Exit(0 if cost["fits"] else UNFIT)
    if memory_limit is not None:
        _set_limit(model, method, dataset.views, memory_limit)
    dataset, sizes = treat_counts(dataset, counts)
    with show.progress(f"{method} on {dataset.name}") as report:
        model.fit(dataset.views, callback=report, **compared)
    tell_levels(model)
    if counts is not None and keep.save is not None:
        remember(model, {}, counts, sizes)
    saved = keep.write(model, dataset, source.place)
    labels = model.labels() if noise else model.labels_
    blocks = list(with_names([{"label": labels}], model, keep.cluster_names))
    if output is not None or not (as_json or saved):
        _output.write_labels(output, dataset.ids, blocks, source.path, model)
    written = (output, keep.save, keep.changes, keep.page)
    manifest.write(
        model, dataset, inputs, *written, seed=seed, sizes=Counter(labels.tolist())
    )
    if as_json:
        summary = {"data": dataset.name, "method": method}
        summary |= _described(model, dataset, output, blocks)
        print_json(summary | saved, dataset)


def _fits(model: Any, method: str, n_bytes: int | None) -> Callable[[int], None] | None:
    """Return what refuses too many samples, however few features they have."""
    if n_bytes is None:
        return None
    from mvgraph.base.limits import LimitError, Shape
    from mvgraph.evaluation.forecast import refuse_fit

    def admit(n: int) -> None:
        least = Shape(n, features=(1,), held=0, stored=(1.0,))
        try:
            refuse_fit(least, method, model, n_bytes)
        except LimitError as error:  # readers name files that they cannot hold
            raise TooLargeError(str(error)) from error

    return admit


def _set_limit(model: Any, method: str, views: Any, n_bytes: int) -> None:
    """Pass the limit to an estimator that has one; else reject what is too large."""
    from mvgraph.evaluation.forecast import refuse_fit

    if "memory_limit" in model.get_params():
        model.set_params(memory_limit=n_bytes)
    else:
        refuse_fit(views, method, model, n_bytes)


def _described(
    model: Any, dataset: Any, output: Path | None, blocks: list[Any]
) -> dict[str, Any]:
    from mvgraph.cli import _output

    sizes = Counter(blocks[0]["label"].tolist())
    found = _output.labels_json(dataset.ids, sizes, output, blocks)
    weights, levels = (vars(model).get(name) for name in ("view_weights_", "levels_"))
    if weights is not None:
        pairs = zip(dataset.views.names, weights.tolist(), strict=True)
        found["view_weights"] = dict(pairs)
    if levels is not None:
        found["levels"] = [level._asdict() for level in levels]
    return found | {"cluster_names": names_by_id(model)}


def _check_method(method: Any, model: Any, source: Input, noise: bool) -> None:
    """Reject, before anything is read, what the method does not take or detect."""
    from mvgraph.base.clusterer import Clusterer
    from mvgraph.base.parameters import check_parameters

    if isinstance(model, Clusterer):
        check_parameters(model)
    source.refuse_outer(model, method.name)
    if noise and not method.scores_outliers:
        raise ValueError(
            f"--noise: {method.name} detects no outliers; leave it out, "
            "or use graph-consensus"
        )


def _place(method: Any, engine: str, scheduler: str | None) -> dict[str, Any]:
    """Return the parameters that send a method to an engine or a scheduler."""
    chosen = scheduler or engine
    if scheduler and (engine not in ("auto", "distributed") or "://" not in scheduler):
        raise ValueError(
            f"--scheduler={scheduler} with --engine {engine}: a scheduler needs an "
            "address such as tcp://host:8786, and no engine other than distributed"
        )
    if "://" not in engine and engine not in ENGINES:
        raise ValueError(
            f"--engine={engine!r} is neither one of {', '.join(ENGINES)} nor the "
            "address of a scheduler such as tcp://host:8786"
        )
    kind = "distributed" if "://" in chosen else chosen
    if kind in method.engines:
        return {"engine": chosen}
    if kind in ("auto", "memory"):
        return {}
    from mvgraph import methods

    others = [name for name in methods.names() if kind in methods.get(name).engines]
    raise ValueError(
        f"{method.name} has no engine {chosen}; leave --engine and --scheduler out, or "
        f"use --method {' or '.join(others)}"
    )


def _report_forecast(
    cost: dict[str, Any],
    limit: int | None,
    room: int | None,
    dataset: Any,
    as_json: bool,
) -> None:
    """Print the expected bytes and how time grows; report a fit that is too large."""
    label = "memory at hand" if limit is None else "memory limit"
    if as_json:
        print_json(cost, dataset)
    else:
        names = {
            "interpreter": "interpreter and libraries",
            "views": "views in memory (mapped files do not count)",
            "rows": "state of all rows (other engines keep it in files or on workers)",
            "fixed": "outputs and working memory",
            "other": "other data of this process",
            "peak": "expected peak, everything in memory",
            "least": "smallest memory limit that this engine can keep to",
        }
        rows = [[text, str(cost["bytes"][key])] for key, text in names.items()]
        if limit is not None or not cost["fits"]:
            fits = "is enough" if cost["fits"] else "is not enough"
            rows.append([f"{label} ({fits})", str(room)])
        size = "{method}: {n} samples, {views} views, {k} clusters"
        title = size.format(**cost | {"views": len(cost["views"])})
        show.print_table(title, ["memory", "bytes"], rows)
        print(f"time grows as {cost['cost']}")
    if not cost["fits"]:
        where = f"the {label}" if limit is None else "--memory-limit"
        complain(
            f"{cost['method']} on {cost['n']} samples does not fit into {where} "
            f"({room} bytes); at least {cost['bytes']['least']} bytes are needed",
            UNFIT,
        )
