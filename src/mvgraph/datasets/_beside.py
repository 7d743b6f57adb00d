"""What a file has beside its views: columns that pages show, genes of components."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.datasets._places import Place, path_of
from mvgraph.datasets.formats.parts import TableFiles
from mvgraph.datasets.formats.table import is_table, open_columns
from mvgraph.datasets.layout.report import Dataset
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.labels import is_missing
from mvgraph.views.annotated import genes_of
from mvgraph.views.columns import DATE, NUMBER, Columns


def columns_beside(place: str | Place, dataset: Dataset) -> dict[str, np.ndarray]:
    """Read the columns of a table, or of ``obs``, that no view holds as they are.

    Parameters
    ----------
    place : str, Path or TableFiles
        What the data set was read from. Only a single table, an AnnData or a MuData
        has such columns.
    dataset : Dataset

    Returns
    -------
    dict of str to ndarray of shape (n_samples,)
        In the order of the samples: numbers, or text. Empty where rows cannot be
        matched with the samples.
    """
    path = path_of(place)
    parts = place.files if isinstance(place, TableFiles) else ()
    if dataset.reading is None or not (parts or path.is_file()):
        return {}
    if path.suffix.lower() in (".h5ad", ".h5mu"):
        from mvgraph.datasets.formats.h5ad import columns_of_cells, open_annotated

        if dataset.ids is None:
            return {}
        return columns_of_cells(open_annotated(path, ReadOptions()), dataset.ids)
    if not is_table(path):
        return {}
    columns = open_columns(path, ReadOptions(parts=parts))
    name = dataset.reading.ids
    at = columns.header.index(name) if name in columns.header else None
    rows = _rows(columns, at, dataset)
    if rows is None:
        return {}
    encoded = bool(dataset.reading.columns)
    held = {c for own in dataset.views.feature_names for c in own or ()}
    wanted = [
        i
        for i, column in enumerate(columns.header)
        if i != at and (encoded or column not in held)
    ]
    return {columns.header[i]: _taken(columns, i, rows) for i in wanted}


def genes_beside(place: str | Place, dataset: Dataset) -> dict[str, Any] | None:
    """Read the genes behind views that are components; see `genes_of`.

    None if the data set was read from anything but an AnnData or a MuData.
    """
    path = path_of(place)
    if path.suffix.lower() not in (".h5ad", ".h5mu") or dataset.ids is None:
        return None
    from mvgraph.datasets.formats.h5ad import open_annotated

    cells = open_annotated(path, ReadOptions())
    return genes_of(cells, dataset.views.names, dataset.ids)


def _rows(columns: Columns, at: int | None, dataset: Dataset) -> np.ndarray | None:
    """Return the row of the table of every sample; None where that is not certain."""
    n = len(dataset.views)
    if at is None or dataset.ids is None:
        first = next(columns.blocks(range(min(1, len(columns.header)))), None)
        return np.arange(n) if first is not None and len(first) == n else None
    written = np.asarray(columns.ids(at)).astype(str)
    wanted = np.asarray(dataset.ids).astype(str)
    if np.array_equal(written, wanted):
        return np.arange(n)
    places = {name: i for i, name in enumerate(written.tolist())}
    if len(places) < len(written) or not places.keys() >= set(wanted.tolist()):
        return None
    return np.array([places[name] for name in wanted.tolist()])


def _taken(columns: Columns, i: int, rows: np.ndarray) -> Any:
    cells = columns.one(i)[rows]
    if columns.kinds[i] in (NUMBER, DATE) and cells.dtype.kind in "iufM":
        return cells
    return np.array(
        ["" if is_missing(c) else str(c) for c in cells.tolist()], dtype=object
    )
