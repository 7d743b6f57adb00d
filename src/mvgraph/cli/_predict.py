"""Commands on saved models: predict, model info."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import (
    AsJson,
    Data,
    Join,
    Joined,
    LabelKey,
    Orient,
    Quiet,
    ViewKeys,
    app,
    model_app,
    open_data,
    print_json,
)

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder of mvgraph cluster --save.")
]


@app.command()
def predict(
    model: Model,
    data: Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A .csv, .tsv or .parquet file; default or -: standard output.",
        ),
    ] = None,
    views: ViewKeys = None,
    labels: LabelKey = None,
    orientation: Orient = None,
    join: Joined = Join.strict,
    quiet: Quiet = False,
) -> None:
    """Label the samples of DATA with a saved model: id, label, confidence.

    Views are matched by name: their order is free, and some may be missing.
    """
    from mvgraph.cli import _output
    from mvgraph.persistence.models import load_model
    from mvgraph.prediction.blocks import predict_blocks

    output = _output.check_labels(output, data, model)
    fitted = load_model(model)
    if not hasattr(fitted, "predict"):
        name = type(fitted).__name__
        raise ValueError(f"{model}: {name} labels no new samples; save another model")
    dataset = open_data(data, views, labels, orientation, join, quiet)
    checked = fitted.check_views(dataset.views)
    with show.progress(f"predict {dataset.name}") as report:
        blocks = predict_blocks(fitted, checked, report)
        _output.write_labels(output, dataset.ids, blocks)


@model_app.command("info")
def info(model: Model, as_json: AsJson = False) -> None:
    """Show what a saved model is: method, views, clusters, parameters."""
    from mvgraph.persistence.models import read_model

    facts = _facts(read_model(model))
    if as_json:
        print_json(facts)
        return
    facts["views"] = [f"{name} ({d})" for name, d in facts["views"].items()]
    facts["sizes"] = list(facts["sizes"].values())
    rows = [[key, _listed(value)] for key, value in facts.items()]
    show.print_table(f"Model {model}", ["what", "value"], rows)


def _facts(stored: Any) -> dict[str, Any]:
    import numpy as np

    from mvgraph.evaluation.protocol import plain

    model = stored.model
    names = getattr(model, "_view_names", None)
    sizes = model._n_features
    names = [f"view_{v}" for v in range(len(sizes))] if names is None else names
    labels, counts = np.unique(model.labels_, return_counts=True)
    return {
        "class": type(model).__name__,
        "n": len(model.labels_),
        "k": len(labels),
        "views": dict(zip(names, map(int, sizes), strict=True)),
        "sizes": {str(c): int(n) for c, n in zip(labels, counts, strict=True)},
        "confidence": hasattr(model, "predict_proba"),
        "params": plain(model.get_params(deep=False)),
        "mvgraph": stored.version,
        "format": stored.format,
        "bytes": stored.n_bytes,
    }


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={own}" for key, own in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return show.cell(value)
