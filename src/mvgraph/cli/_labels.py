"""Read labels: of files that mvgraph or others wrote, of AnnData, of models."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mvgraph.cli._log import note
from mvgraph.cli._output import ANNOTATED, KEY, PARQUET, annotated_reader
from mvgraph.ops.wording import extra

ADVICE = "name a file written by mvgraph cluster -o labels.csv"
COLUMN_ADVICE = "name the column of labels: FILE:COLUMN"
#: Names of the column of labels, where none is given; of that of samples.
LABEL, ID = ("label", "labels", "cluster"), ("id", "ids")

Pairs = Iterable[tuple[Any, Any]]


def read_labels(path: Path, column: str | None = None) -> dict[str, str]:
    """Read ids and labels: CSV, TSV, Parquet, NPZ, AnnData or MuData, by the suffix.

    Parameters
    ----------
    path : Path
    column : str, optional
        Default: that of a file of ``mvgraph cluster``.

    Returns
    -------
    dict of str to str
        An empty label where the file has none.

    Raises
    ------
    ValueError
        The file has no such columns, or names a sample twice.
    ImportError
        The package that reads it is not installed.
    """
    path.stat()  # a missing file is reported before a missing package
    from mvgraph.datasets.formats.limits import readable

    suffix = path.suffix.lower()
    kind, read = "text table", _text_rows
    if suffix in ANNOTATED:
        kind, read = "file of annotated data", _annotated_rows
    elif suffix in PARQUET:
        kind, read = "Parquet file", _parquet_rows
    elif suffix == ".npz":
        kind, read = "NPZ file", _npz_rows
    with readable(path, kind, ADVICE):
        pairs = [(_text(i), _text(label)) for i, label in read(path, column)]
    labels = dict(pairs)
    if len(labels) < len(pairs):
        raise ValueError(
            f"{path}: ids occur more than once ({len(pairs) - len(labels)} rows); "
            "keep one row per id"
        )
    return labels


def read_labeling(source: str) -> tuple[str, Any]:
    """Read a labeling: FILE, FILE:COLUMN, or the folder of a model.

    Returns
    -------
    name : str
        What to call it: the name of the file, or of the column.
    labeling : Labeling

    Raises
    ------
    OSError
        There is no such file.
    ValueError
        It holds no labels.
    """
    import numpy as np

    from mvgraph.inspection.labelings import Labeling

    path, column = Path(source), None
    if not path.exists() and ":" in source:
        path, column = _split(source)
    if path.is_dir():
        from mvgraph import load_model

        model = load_model(path)
        ids = model.schema_.ids
        labels = np.asarray(model.labels_)
        # without ids, mvgraph cluster numbers the samples too
        return path.name, Labeling(
            np.arange(len(labels)) if ids is None else ids, labels
        )
    found = read_labels(path, column)
    ids, labels = (np.array(list(x), object) for x in (found.keys(), found.values()))
    return column or path.stem, Labeling(ids, labels)


def _split(source: str) -> tuple[Path, str]:
    """Split FILE:COLUMN at the first colon that follows the name of a file."""
    parts = source.split(":")
    for i in range(1, len(parts)):
        path = Path(":".join(parts[:i]))
        if path.is_file():
            return path, ":".join(parts[i:])
    return Path(source), ""


def _text_rows(path: Path, column: str | None) -> Pairs:
    with open(path, encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        separator = (
            "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=head.count)
        )
        file.seek(0)
        rows = list(csv.reader(file, delimiter=separator))
    names = rows[0] if len(rows) > 1 else []
    places = [names.index(name) for name in _columns(path, names, column)]
    for line, row in enumerate(rows[1:], start=2):
        if 0 < len(row) <= places[0]:
            raise ValueError(f"{path}: row {line} names no sample: {row}")
    return [
        (row[places[0]], row[places[1]] if places[1] < len(row) else None)
        for row in rows[1:]
        if row
    ]


def _parquet_rows(path: Path, column: str | None) -> Pairs:
    with extra(f"reading {path.name}", "pyarrow", "files"):
        import pyarrow.parquet as pq
    with open(path, "rb") as file:
        columns = _columns(path, pq.read_schema(file).names, column)
        table = pq.read_table(file, columns=list(columns))
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


def _npz_rows(path: Path, column: str | None) -> Pairs:
    import numpy as np

    with np.load(path, allow_pickle=False) as arrays:
        id_, label = _columns(path, list(arrays), column)
        ids, labels = arrays[id_], arrays[label]
    if ids.ndim != 1 or ids.shape != labels.shape:
        raise ValueError(
            f"{path}: {id_} has shape {ids.shape} and {label} {labels.shape}; both "
            "need one entry per sample"
        )
    return zip(ids.tolist(), labels.tolist(), strict=True)


def _columns(path: Path, names: Sequence[str], column: str | None) -> tuple[str, str]:
    """Return the columns of ids and of labels."""
    id_ = next((name for name in ID if name in names), None)
    if column is None:
        label = next((name for name in LABEL if name in names), None)
        if id_ is None or label is None:
            raise ValueError(
                f"{path}: there are no columns 'id' and 'label' with rows; "
                f"{ADVICE}, or {COLUMN_ADVICE}"
            )
        return id_, label
    if column not in names:
        raise ValueError(
            f"{path}: there is no column {column!r}; there are {list(names)}"
        )
    if id_ is None:
        id_ = names[0]
        if id_ == column:
            raise ValueError(f"{path}: no column names the samples; call one 'id'")
        note("labels", [f"{path}: samples are named by {id_!r}, the first column"])
    return id_, column


def _annotated_rows(path: Path, column: str | None) -> Pairs:
    with extra(f"reading {path.name}", "anndata", "mudata"):
        read = annotated_reader(path)
    # these packages warn of planned changes
    with warnings.catch_warnings(action="ignore"):
        data = read(path, backed="r")  # the matrices stay in the file
    from mvgraph.views.annotated import obs_column

    values = obs_column(data, column or KEY, f"{path}: ", ADVICE)
    return zip(values.index.tolist(), values.tolist(), strict=True)


def _text(value: Any) -> str:
    """Return a label as the text tables have it; empty if it is missing."""
    from mvgraph.ops.labels import is_missing  # the command line starts without SciPy

    if is_missing(value):
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)
