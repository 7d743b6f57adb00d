"""Commands on saved models: predict, model info."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, LabelsFile, app, model_app, print_json
from mvgraph.cli._input import HowCounts, Input, reading_json, treat_counts
from mvgraph.cli._limits import MemoryLimit

WANTED = ("label", "confidence")

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder of mvgraph cluster --save.")
]


@app.command()
def predict(
    model: Model,
    source: Input,
    output: LabelsFile = None,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a summary as JSON.")
    ] = False,
) -> None:
    """Label the samples of DATA with a saved model: id, label, confidence.

    Views and columns are matched by name: their order is free, and some views may be
    missing. Without --counts, raw counts are treated as in the fit.
    """
    from mvgraph.base.predictor import predict_blocks
    from mvgraph.cli import _output
    from mvgraph.persistence.models import load_model

    output = _output.check_labels(output, source.data, model)
    fitted = load_model(model)
    schema = fitted.schema_
    dataset = source.open(memory_limit, schema.widths)
    dataset, _ = treat_counts(dataset, counts, fitted)
    matched = schema.match(dataset.views)
    with show.progress(f"predict {dataset.name}") as report:
        whole = schema.needs_every_view
        blocks = predict_blocks(fitted.predictor_, matched, WANTED, whole, report)
        sizes: Counter[int] = Counter()
        counted = _counted(blocks, sizes)
        held: list[dict[str, Any]] = []
        if as_json and output is None:
            held = list(counted)
        else:
            n_clusters = int(fitted.labels_.max()) + 1
            _output.write_labels(output, dataset.ids, counted, source.data, n_clusters)
    if as_json:
        found = {"data": dataset.name, "model": str(model)}
        found |= {
            "n": sizes.total(),
            "sizes": {str(c): sizes[c] for c in sorted(sizes)},
        }
        found |= _labels(dataset, held) if output is None else {"output": str(output)}
        print_json(found | reading_json(dataset))


def _counted(blocks: Iterable[Any], sizes: Counter[int]) -> Iterator[Any]:
    """Hand on blocks of labels, and count the labels."""
    for block in blocks:
        sizes.update(block["label"].tolist())
        yield block


def _labels(dataset: Any, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    n = sum(len(block["label"]) for block in blocks)
    ids = range(n) if dataset.ids is None else dataset.ids
    columns = {
        name: [value for block in blocks for value in block[name].tolist()]
        for name in blocks[0]
    }
    columns["labels"] = columns.pop("label")
    return {"ids": list(map(str, ids))} | columns


@model_app.command("info")
def info(model: Model, as_json: AsJson = False) -> None:
    """Show what a saved model is: method, views, clusters, parameters."""
    from mvgraph.persistence.models import read_model

    facts = _facts(read_model(model))
    if as_json:
        print_json(facts)
        return
    facts["views"] = [f"{name} ({d})" for name, d in facts["views"].items()]
    facts["columns"] = "; ".join(
        f"{name}: {_first(columns)}" for name, columns in facts["columns"].items()
    )
    facts["sizes"] = list(facts["sizes"].values())
    rows = [[key, _listed(value)] for key, value in facts.items()]
    show.print_table(f"Model {model}", ["what", "value"], rows)


def _facts(stored: Any) -> dict[str, Any]:
    import numpy as np

    from mvgraph.evaluation.protocol import plain

    model = stored.model
    labels, counts = np.unique(model.labels_, return_counts=True)
    return {
        "class": type(model).__name__,
        "n": len(model.labels_),
        "k": len(labels),
        "views": model.schema_.widths,
        "columns": model.schema_.columns,
        "sizes": {str(c): int(n) for c, n in zip(labels, counts, strict=True)},
        "confidence": "confidence" in model.predictor_.fields,
        "params": plain(model.get_params(deep=False)),
        "mvgraph": stored.version,
        "format": stored.format,
        "bytes": stored.n_bytes,
    }


def _first(columns: list[str] | None, most: int = 5) -> str:
    """Write the first names of columns."""
    if columns is None:
        return "without names"
    more = len(columns) - most
    return ", ".join(columns[:most]) + (f" and {more} more" if more > 0 else "")


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={own}" for key, own in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return show.cell(value)
