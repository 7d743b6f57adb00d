"""Commands on saved models: predict, cut, model info."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import AsJson, LabelsFile, app, model_app, print_json
from mvgraph.cli._clusters import (
    ClusterNames,
    Noise,
    names_by_id,
    refuse_no_names,
    tell_one_cluster,
    with_names,
)
from mvgraph.cli._input import HowCounts, Input, MemoryLimit
from mvgraph.cli._keep import Manifest
from mvgraph.cli._monitor import Model, Watching, heard, leave, open_like
from mvgraph.ops.wording import first_few

WANTED = ("label", "confidence")
#: What a model must be able to tell for an option.
LEVEL, NOISE = "leaf", "outlier_score"
LACKS = {
    LEVEL: "has no tree of clusters, from which --level and cut take other numbers",
    NOISE: "gives no outlier scores, which --noise needs",
}


@app.command()
def predict(
    model: Model,
    source: Input,
    watching: Watching,
    manifest: Manifest,
    output: LabelsFile = None,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
    level: int | None = None,
    noise: Noise = False,
    cluster_names: ClusterNames = False,
    as_json: AsJson = False,
) -> None:
    """Label the samples of DATA with a saved model: id, label, confidence.

    Views and columns are matched by name: their order is free, and some views may be
    missing. Columns of tables become what they were in the fit, and without --counts,
    raw counts are treated as they were for the model.

    Parameters
    ----------
    level : K
        Cut the tree of the model into K.
    """
    from mvgraph.base.predictor import predict_blocks
    from mvgraph.cli import _output
    from mvgraph.persistence.models import load_model

    watching.check()
    output = _output.check_labels(output, *source.files(), model)
    inputs = manifest.check(source, model)
    fitted = load_model(model, memory_limit)
    schema = fitted.schema_
    _check_fields(fitted, {LEVEL: level is not None, NOISE: noise})
    tell_one_cluster(fitted, level)
    if level is not None:
        fitted.leaf_numbers(level)  # an error before anything is read
    source.refuse_outer(fitted, type(fitted).__name__)
    if cluster_names:
        refuse_no_names(fitted)
    with heard() as notes:
        dataset = open_like(fitted, source, counts, memory_limit)
        matched = schema.match(dataset.views)
    seen = watching.start(fitted, len(matched))
    with show.progress(f"predict {dataset.name}") as report:
        whole = schema.needs_every_view
        wanted = [
            *WANTED,
            *([NOISE] if noise else []),
            *([] if level is None else [LEVEL]),
        ]
        blocks = predict_blocks(
            fitted.predictor_, matched, wanted, whole, report, observe=seen and seen.add
        )
        blocks = with_names(
            _at_level(blocks, fitted, level), fitted, cluster_names, level
        )
        sizes: Counter[int] = Counter()
        counted = _counted(blocks, sizes)
        kept: list[dict[str, Any]] = []
        if as_json and output is None:
            kept = list(counted)
        else:
            _output.write_labels(output, dataset.ids, counted, source.path, fitted)
    if as_json:
        summary = _output.labels_json(dataset.ids, sizes, output, kept)
        print_json({"data": dataset.name, "model": str(model)} | summary, dataset)
    found = watching.write(seen, notes)
    written = (output, watching.monitor)
    more = {} if found is None else {"verdict": found.verdict, "reasons": found.reasons}
    manifest.write(fitted, dataset, inputs, *written, sizes=sizes, **more)
    leave(found, watching.fail_on)


def _check_fields(fitted: Any, asked: dict[str, bool]) -> None:
    """Refuse options that ask for what a model cannot tell."""
    for field, wanted in asked.items():
        if wanted and field not in fitted.predictor_.fields:
            raise ValueError(
                f"{type(fitted).__name__} {LACKS[field]}; fit with the method "
                "graph-consensus"
            )


def _at_level(blocks: Iterable[Any], fitted: Any, level: int | None) -> Iterator[Any]:
    """Yield the blocks with the labels of a level, and -1 for what is beyond all."""
    import numpy as np

    from mvgraph.base.predictor import MAX_OUTLIER

    numbers = None if level is None else fitted.leaf_numbers(level)
    for block in blocks:
        if numbers is not None:
            block["label"] = numbers[block.pop(LEVEL)]
        if NOISE in block:
            usual = block[NOISE] <= MAX_OUTLIER
            block["label"] = np.where(usual, block["label"], -1)
        yield block


@app.command()
def cut(
    model: Model,
    k: Annotated[int, Option("-k", help="How many clusters.")],
    output: LabelsFile = None,
    cluster_names: ClusterNames = False,
) -> None:
    """Write the labels of the samples of a saved model at another number of clusters.

    A cluster that is not divided between two levels has the same number in both.
    """
    from mvgraph.cli import _output
    from mvgraph.persistence.models import load_model

    output = _output.check_labels(output, model)
    fitted = load_model(model)
    _check_fields(fitted, {LEVEL: True})
    if cluster_names:
        refuse_no_names(fitted)
    tell_one_cluster(fitted, k)
    blocks = with_names([{"label": fitted.cut(k)}], fitted, cluster_names, k)
    _output.write_labels(output, fitted.sample_ids_, blocks, Path(), fitted)


def _counted(blocks: Iterable[Any], sizes: Counter[int]) -> Iterator[Any]:
    """Yield the blocks, and count their labels."""
    for block in blocks:
        sizes.update(block["label"].tolist())
        yield block


@model_app.command("info")
def info(model: Model, as_json: AsJson = False) -> None:
    """Show what a saved model is: method, views, clusters, parameters."""
    from mvgraph.persistence.models import read_model

    facts = _facts(read_model(model))
    if as_json:
        print_json(facts)
        return
    views, columns = facts["views"].items(), facts["columns"].items()
    facts["views"] = ", ".join(f"{name} ({d})" for name, d in views)
    named = ((k, first_few(c, 5) if c else "without names") for k, c in columns)
    facts["columns"] = "; ".join(f"{name}: {text}" for name, text in named)
    facts["sizes"] = ", ".join(map(str, facts["sizes"].values()))
    names = facts["cluster_names"].items()
    facts["cluster_names"] = "; ".join(f"{c}: {n or '-'}" for c, n in names)
    facts["params"] = ", ".join(f"{k}={value}" for k, value in facts["params"].items())
    rows = [{"what": key, "value": value} for key, value in facts.items()]
    show.print_rows(f"Model {model}", rows)


def _facts(stored: Any) -> dict[str, Any]:
    from mvgraph.evaluation.protocol import plain

    model = stored.model
    sizes = Counter(model.labels_.tolist())
    return {
        "class": type(model).__name__,
        "n": sizes.total(),
        "k": len(sizes),
        "views": model.schema_.widths,
        "columns": model.schema_.columns,
        "sizes": {str(c): sizes[c] for c in sorted(sizes)},
        "cluster_names": names_by_id(model),
        "confidence": "confidence" in model.predictor_.fields,
        "params": plain(model.get_params(deep=False)),
        "mvgraph": stored.version,
        "format": stored.format,
        "bytes": stored.n_bytes,
    }
