"""The page of clusters: an option of cluster, and a command for a saved model."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import app
from mvgraph.cli._input import HowCounts, Input, MemoryLimit
from mvgraph.cli._log import note, settings
from mvgraph.cli._monitor import Model, open_like

PAGE = Path("clusters.html")


def write(model: Any, dataset: Any, path: Path, data: Any) -> None:
    """Write the page of a fitted model, and say where it is."""
    size = make_page(model, dataset, path, data)
    note("page", [f"page: {path} ({size / 1e6:.1f} MB)"], page=str(path), bytes=size)


def make_page(model: Any, dataset: Any, path: Path, data: Any) -> int:
    """Write the page of a model; `data` is where its samples came from."""
    from mvgraph.datasets._beside import columns_beside, genes_beside
    from mvgraph.datasets._places import path_of
    from mvgraph.page import write_page

    known = columns_beside(data, dataset)
    held = None if dataset.reading is None else dataset.reading.labels
    if dataset.labels is not None and held not in known:
        known[held or "known class"] = dataset.labels.astype(str)
    pictures = None
    if dataset.name == "digits":  # whose first view is the picture
        pictures = dataset.views.arrays[0].reshape(-1, 8, 8)
    with show.progress(f"page of {dataset.name}"):
        return write_page(
            model,
            dataset.views,
            path,
            metadata=known,
            pictures=pictures,
            folder=path_of(data).parent if dataset.reading else None,
            described_by=genes_beside(data, dataset),
            name=dataset.name,
            reading=dataset.reading,
            command=shlex.join(["mvgraph", *sys.argv[1:]]),
            warnings=settings.warned,
        )


@app.command()
def page(
    model: Model,
    source: Input,
    output: Annotated[Path, Option("--output", "-o", help="Name of the page.")] = PAGE,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Write a page that shows the clusters of a saved model; DATA is what it learned.

    One HTML file: a map, what every cluster is, samples, levels, views, a table.
    """
    from mvgraph.page import check_page
    from mvgraph.persistence.models import load_model

    check_page(output)
    fitted = load_model(model, memory_limit)
    dataset = open_like(fitted, source, counts, memory_limit)
    write(fitted, dataset, output, source.place)
