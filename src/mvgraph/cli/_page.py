"""The page of clusters: an option of cluster, and a command for a saved model."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from mvgraph.cli import _terminal as show
from mvgraph.cli._app import app
from mvgraph.cli._input import HowCounts, Input, MemoryLimit
from mvgraph.cli._log import note, settings
from mvgraph.cli._monitor import Model, open_like

PAGE = Path("clusters.html")


def write(model: Any, dataset: Any, path: Path, data: Any, moved: Any = None) -> None:
    """Write the page of a fitted model, and say where it is."""
    size = make_page(model, dataset, path, data, moved)
    note("page", [f"page: {path} ({size / 1e6:.1f} MB)"], page=str(path), bytes=size)


def make_page(
    model: Any, dataset: Any, path: Path, data: Any, moved: Any = None
) -> int:
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
            monitor=moved,
            warnings=settings.warned,
        )


def _read_monitor(path: Path | None) -> dict[str, Any] | None:
    """Read what monitor --json or predict --monitor wrote.

    Raises
    ------
    ValueError
        The file is not that.
    """
    if path is None:
        return None
    from mvgraph.page.summary import check_monitor

    try:
        return check_monitor(json.loads(path.read_text("utf-8")))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"--monitor {path} is not what `mvgraph predict --monitor` or `mvgraph"
            " monitor --json` writes; make it again"
        ) from error


@app.command()
def page(
    model: Model,
    source: Input,
    output: Path = PAGE,
    monitor: Path | None = None,
    counts: HowCounts = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Write a page that shows the clusters of a saved model; DATA is what it learned.

    One HTML file: a map, what every cluster is, samples, levels, views, a table.

    Parameters
    ----------
    monitor : FILE
        Show how new samples compare, from predict --monitor FILE.
    output
        Name of the page.
    """
    from mvgraph.page import check_page
    from mvgraph.persistence.models import load_model

    check_page(output)
    comparison = _read_monitor(monitor)
    fitted = load_model(model, memory_limit)
    dataset = open_like(fitted, source, counts, memory_limit)
    write(fitted, dataset, output, source.place, comparison)
